/**
 * Reads a source back to a time, page by page. Each page is stored before the next request, so that
 * a repeated backfill never pays for the same page twice.
 */
import { FeedWalk } from "../../detect/feed-walk.ts";
import { BACKFILL_KEPT_MS, type BackfillRead, type BackfillStore } from "../../model/backfill.ts";
import type { Clock } from "../../model/clock.ts";
import { timeOfTweetId } from "../../model/id.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Source } from "../../model/source.ts";
import { isBadRequest, type UpstreamAnswer } from "../../model/upstream.ts";
import { itemOfTweet } from "../../polling/read/read-feed.ts";
import { withBounds } from "../../query/with-bounds.ts";

export interface ReadBackDeps {
  readonly store: Pick<BackfillStore, "loadBackfill" | "saveBackfillPage">;
  readonly clock: Clock;
  readonly ask: (params: JsonObject, cursor: string | undefined) => Promise<UpstreamAnswer>;
  /** Returns false if no further request may be made. */
  readonly mayAsk: () => boolean;
  /**
   * Called after each page, with the number of its tweets. Everything that was posted after
   * `reachedMs` has been read.
   */
  readonly onPage: (tweets: number, reachedMs: number) => void;
}

export interface BackTarget {
  /** The fingerprint of the source. */
  readonly key: string;
  readonly source: Source;
  readonly sinceMs: number;
}

/**
 * Reads the source. Resolves to `cut` if no further request could be made before the time was
 * reached.
 */
export async function readBack(deps: ReadBackDeps, target: BackTarget): Promise<"reached" | "cut"> {
  const { store, clock } = deps;
  let read = await store.loadBackfill(target.key, clock.now() - BACKFILL_KEPT_MS);
  let isFirst = read === undefined;
  let walk = newWalk(target);
  for (let step = nextStep(read, target); step !== undefined; step = nextStep(read, target)) {
    if (!deps.mayAsk()) return "cut";
    const answer = await askOrRestart(deps, step);
    if (answer === undefined) {
      // The service no longer accepts the stored cursor. A bounded query can continue below the
      // items that were read; any other list is read again from its start.
      read = withoutCursor(read);
      walk = newWalk(target);
      continue;
    }
    const tweets = answer.tweets ?? [];
    const goesOn = walk.addPage(tweets.map(itemOfTweet), answer.nextCursor);
    read = readAfter(read, { walk, goesOn, step, nextCursor: answer.nextCursor }, target.sinceMs);
    await store.saveBackfillPage({
      fingerprint: target.key,
      read,
      tweets,
      atMs: clock.now(),
      isFirst,
    });
    isFirst = false;
    if (!goesOn || walk.pages >= MAX_WALK_PAGES) walk = newWalk(target);
    deps.onPage(tweets.length, read.reachedMs);
  }
  return "reached";
}

/**
 * The maximum number of pages of one walk. The past of a busy list has more pages, and is read in
 * several walks.
 */
const MAX_WALK_PAGES = 400;

function withoutCursor(read: BackfillRead | undefined): BackfillRead | undefined {
  if (read === undefined) return undefined;
  const { reachedMs, lowestId, hasEnded } = read;
  return { reachedMs, hasEnded, lowestId };
}

/** Whether the source has been read back far enough, so that no request is needed. */
export const isReadBack = (read: BackfillRead | undefined, target: BackTarget): boolean =>
  nextStep(read, target) === undefined;

const newWalk = ({ source, sinceMs }: BackTarget): FeedWalk =>
  new FeedWalk({
    stretches: [],
    knownRanges: [],
    floorMs: sinceMs,
    maxNewPages: Number.POSITIVE_INFINITY,
    minItems: 0,
    fills: false,
    hasNoPins: source.boundParam !== undefined,
  });

interface Step {
  readonly params: JsonObject;
  readonly cursor?: string;
  /** The bounded query; only set if the source accepts one. */
  readonly query?: string;
  readonly boundMs?: number;
}

function nextStep(
  read: BackfillRead | undefined,
  { source, sinceMs }: BackTarget,
): Step | undefined {
  if (read === undefined) return stepFrom(source, sinceMs, undefined);
  if (read.reachedMs <= sinceMs || read.hasEnded) return undefined;
  if (read.cursor !== undefined) {
    const { cursor, query, boundMs } = read;
    if (query === undefined || boundMs === undefined) return { params: source.params, cursor };
    return { params: withQuery(source, query), cursor, query, boundMs };
  }
  return stepFrom(source, sinceMs, read.lowestId);
}

function stepFrom(source: Source, sinceMs: number, belowId: string | undefined): Step {
  const param = source.boundParam;
  if (param === undefined) return { params: source.params };
  const written = source.params[param];
  const bounds = {
    sinceTime: Math.floor(sinceMs / 1_000),
    maxId: belowId,
  };
  const query = withBounds(typeof written === "string" ? written : "", bounds);
  return { params: withQuery(source, query), query, boundMs: sinceMs };
}

const withQuery = ({ params, boundParam }: Source, query: string): JsonObject =>
  boundParam === undefined ? params : { ...params, [boundParam]: query };

/** Requests a page. Resolves to undefined if the service no longer accepts the cursor. */
async function askOrRestart(
  { ask }: ReadBackDeps,
  { params, cursor }: Step,
): Promise<UpstreamAnswer | undefined> {
  try {
    return await ask(params, cursor);
  } catch (error) {
    if (cursor !== undefined && isBadRequest(error)) return undefined;
    throw error;
  }
}

interface PageTaken {
  readonly walk: FeedWalk;
  readonly goesOn: boolean;
  readonly step: Step;
  readonly nextCursor: string | undefined;
}

function readAfter(
  before: BackfillRead | undefined,
  { walk, goesOn, step, nextCursor }: PageTaken,
  sinceMs: number,
): BackfillRead {
  const lowestId = walk.covered?.low ?? before?.lowestId;
  const reachedMs = goesOn
    ? undefined
    : walk.end === "reached"
      ? sinceMs
      : walk.end === "end"
        ? step.boundMs
        : undefined;
  const downToMs = lowestId === undefined ? Number.MAX_SAFE_INTEGER : timeOfTweetId(lowestId);
  return {
    reachedMs: reachedMs ?? Math.min(before?.reachedMs ?? Number.MAX_SAFE_INTEGER, downToMs),
    lowestId,
    cursor: nextCursor,
    ...(step.query === undefined || step.boundMs === undefined
      ? {}
      : { query: step.query, boundMs: step.boundMs }),
    // The list has also ended if its cursors lead in a circle or only to empty pages.
    hasEnded: !goesOn && reachedMs === undefined,
  };
}
