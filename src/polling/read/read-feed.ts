/**
 * Reads a newest-first list: first its head, which is from the top down to known items, then the
 * gaps below, with a limit of pages of their own. Decides the order of requests; `detect/` decides
 * which ranges count as covered.
 */
import { type FeedMemory, newestGap } from "../../detect/feed-memory.ts";
import {
  afterFill,
  afterHead,
  type FillPlan,
  forgetCursor,
  type HeadPlan,
  horizonMs,
  isSuspiciouslyEmpty,
  planFill,
  planHead,
  type Reach,
} from "../../detect/feed-poll.ts";
import { type FeedItem, FeedWalk, type WalkOptions } from "../../detect/feed-walk.ts";
import { timeOfTweetId } from "../../model/id.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Tweet } from "../../model/tweet.ts";
import { isBadRequest } from "../../model/upstream.ts";
import type { Poll } from "../watch-poll.ts";
import { withBounds } from "../../query/with-bounds.ts";
import type { Ask } from "../ask.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";

export interface FeedObservation {
  /** Each tweet once. */
  readonly tweets: ReadonlyMap<string, Tweet>;
  readonly items: readonly FeedItem[];
  readonly memory: FeedMemory;
  /** The highest id on the first page that held items; undefined if none did. */
  readonly firstPageHigh: string | undefined;
  /** Items newer than this are announced even if they are older than `max_age`. In service time. */
  readonly horizonMs: number;
  readonly nowMs: number;
  /** Whether the read of the head went as far back as it had to. */
  readonly isHeadWhole: boolean;
  /**
   * Whether a list that held items before came back empty. Always false for a search bounded by
   * time.
   */
  readonly isSuspicious: boolean;
  /** The number of gaps that the service would not fill. */
  readonly lostGaps: number;
  /** The error that ended the poll after its first page. The pages before it are used. */
  readonly error?: unknown;
}

export interface FeedNeeds {
  /** The oldest service time that a subscriber in its first run needs. */
  readonly firstRunFloorMs?: number;
  readonly minItems: number;
  /**
   * Set if something other than the schedule decides how far back the poll reads, for example a
   * probe.
   */
  readonly reach?: Reach | undefined;
}

export interface FeedReadOptions {
  /** The memory after the last read. */
  readonly memory: FeedMemory;
  /** Called again once the first answer has shown the service's clock. */
  readonly needs: () => FeedNeeds;
  readonly serviceClock: ServiceClock;
  /** The start of the poll, on our clock. */
  readonly startedAtMs: number;
}

/** The state of one read of a feed. */
interface Gathering {
  readonly ask: Ask;
  readonly poll: Poll;
  /** The tweets of all pages, each once. */
  readonly tweets: Map<string, Tweet>;
}

interface TweetPage {
  readonly tweets?: readonly Tweet[];
  readonly nextCursor?: string;
}

export async function readFeed(
  ask: Ask,
  poll: Poll,
  options: FeedReadOptions,
): Promise<FeedObservation> {
  const { memory, needs, serviceClock, startedAtMs } = options;
  const planNow = () =>
    planHead(memory, {
      startMs: serviceClock.fromLocal(startedAtMs),
      intervalMs: poll.intervalMs,
      overlapMs: poll.overlapMs,
      maxPages: poll.maxPages,
      hasNoPins: poll.source.boundParam !== undefined,
      ...needs(),
    });
  const tweets = new Map<string, Tweet>();
  const gathering = { ask, poll, tweets };
  const head = await walkHead(gathering, planNow, memory.stretches.length === 0);
  const query = head.plan.sinceMs === undefined ? undefined : head.query;
  const startMs = serviceClock.fromLocal(startedAtMs);
  const afterTop = afterHead(memory, { plan: head.plan, walk: head.walk, startMs, query });
  const canFill = head.error === undefined && !isSuspiciouslyEmpty(memory, head.walk);
  const filled = canFill
    ? await fillGaps(gathering, afterTop)
    : { memory: afterTop, lostGaps: 0, error: undefined };
  const error = head.error ?? filled.error;
  return {
    tweets,
    items: [...tweets.values()].map(itemOfTweet),
    memory: filled.memory,
    firstPageHigh: head.walk.firstPageHigh,
    horizonMs: horizonMs(memory),
    nowMs: serviceClock.now(),
    isHeadWhole: isWhole(memory, head.walk),
    isSuspicious:
      query === undefined && head.error === undefined && isSuspiciouslyEmpty(memory, head.walk),
    lostGaps: filled.lostGaps,
    error,
  };
}

function isWhole(memory: FeedMemory, walk: FeedWalk): boolean {
  if (isSuspiciouslyEmpty(memory, walk)) return false;
  // If the first walk of a feed was cut off, the gap that it left stores how far back to read, so
  // the head need not be read again.
  return walk.end !== "cut" || (memory.stretches.length === 0 && walk.covered !== undefined);
}

interface Head {
  readonly walk: FeedWalk;
  readonly plan: HeadPlan;
  readonly query: string | undefined;
  readonly error?: unknown;
}

/**
 * Reads the head. If the first page fails, the poll fails. An error on a later page leaves a gap. A
 * cursor that the service no longer accepts restarts the walk once.
 */
async function walkHead(
  gathering: Gathering,
  planNow: () => HeadPlan,
  isFirst: boolean,
): Promise<Head> {
  const { ask, poll, tweets } = gathering;
  for (let restarts = 0; ; restarts += 1) {
    const early = planNow();
    const { params, query } = boundParams(
      poll,
      early.sinceMs === undefined ? {} : { sinceTime: Math.floor(early.sinceMs / 1_000) },
    );
    const first = await ask(params);
    // The first answer shows the service's clock, with which a first run computes its floor.
    const plan = isFirst ? planNow() : early;
    const walk = new FeedWalk(plan.walk);
    const error = await walkFeed((cursor) => ask(params, cursor), walk, first, tweets);
    if (isCursorRefused(error) && restarts === 0) continue;
    return {
      walk,
      plan,
      query,
      ...(error === undefined || isCursorRefused(error) ? {} : { error }),
    };
  }
}

/**
 * Reads pages until the walk has enough, and adds their tweets to `tweets`. Returns the error that
 * occurred after the first page.
 */
export async function walkFeed(
  ask: (cursor: string | undefined) => Promise<TweetPage>,
  walk: FeedWalk,
  first: TweetPage,
  tweets: Map<string, Tweet>,
): Promise<unknown> {
  let answer = first;
  for (;;) {
    const page = answer.tweets ?? [];
    for (const tweet of page) if (!tweets.has(tweet.id)) tweets.set(tweet.id, tweet);
    if (!walk.addPage(page.map(itemOfTweet), answer.nextCursor)) return undefined;
    try {
      answer = await ask(answer.nextCursor);
    } catch (error) {
      walk.cut();
      return error;
    }
  }
}

/**
 * Whether the error means that the service refuses a cursor. After a first page, a 400 can only
 * concern the cursor, not the query. The caller then leaves a gap.
 */
const isCursorRefused = isBadRequest;

interface Filled {
  readonly memory: FeedMemory;
  readonly lostGaps: number;
  readonly error: unknown;
}

async function fillGaps(gathering: Gathering, start: FeedMemory): Promise<Filled> {
  const { poll } = gathering;
  let memory = start;
  let allowance = poll.maxPages;
  let lostGaps = 0;
  for (let index = newestGap(memory); index >= 0 && allowance > 0; index = newestGap(memory)) {
    const plan = planFill(memory, index, allowance, poll.overlapMs);
    if (plan === undefined) break;
    const { walk, query, error, isStoredRefused } = await walkGap(gathering, plan);
    if (isStoredRefused) {
      memory = forgetCursor(memory, index);
      break;
    }
    const after = afterFill(memory, index, { plan, walk, query, hasFailed: error !== undefined });
    memory = after.memory;
    if (after.isGapLost) lostGaps += 1;
    if (error !== undefined) return { memory, lostGaps, error };
    if (after.isStuck) break;
    allowance -= Math.max(walk.newPages, 1);
  }
  return { memory, lostGaps, error: undefined };
}

interface GapWalk {
  readonly walk: FeedWalk;
  readonly query: string | undefined;
  readonly error?: unknown;
  /** Whether the stored cursor is no longer accepted. */
  readonly isStoredRefused: boolean;
}

/**
 * Reads a gap: from the stored cursor if there is one, else with a bounded query or, if the source
 * takes no bounds, again from the top.
 */
async function walkGap(gathering: Gathering, plan: FillPlan): Promise<GapWalk> {
  const { ask, poll, tweets } = gathering;
  const { gap } = plan;
  const options: WalkOptions = plan.walk;
  const bounded = boundParams(poll, {
    sinceTime: Math.floor(Math.max(plan.sinceMs, 0) / 1_000),
    maxId: plan.belowId,
  });
  const param = poll.source.boundParam;
  const isStored = gap.cursor !== undefined;
  const query = isStored ? gap.query : bounded.query;
  const params = isStored
    ? gap.query === undefined || param === undefined
      ? poll.source.params
      : { ...poll.source.params, [param]: gap.query }
    : bounded.params;
  const walk = new FeedWalk(options);
  try {
    const first = await ask(params, gap.cursor);
    const error = await walkFeed((cursor) => ask(params, cursor), walk, first, tweets);
    return {
      walk,
      query,
      isStoredRefused: false,
      ...(error === undefined || isCursorRefused(error) ? {} : { error }),
    };
  } catch (error) {
    if (isStored && isCursorRefused(error)) return { walk, query, isStoredRefused: true };
    walk.cut();
    return { walk, query, error, isStoredRefused: false };
  }
}

function boundParams(
  poll: Poll,
  bounds: { readonly sinceTime?: number; readonly maxId?: string },
): { readonly params: JsonObject; readonly query: string | undefined } {
  const param = poll.source.boundParam;
  if (param === undefined || Object.keys(bounds).length === 0)
    return { params: poll.source.params, query: undefined };
  const written = poll.source.params[param];
  const query = withBounds(typeof written === "string" ? written : "", bounds);
  return { params: { ...poll.source.params, [param]: query }, query };
}

/**
 * Returns the tweet's id and time. The time is the tweet's own date, or the one in its id if the
 * service gave no date or rounded it to the second: half a second decides whether a tweet is older
 * than the watch.
 */
export function itemOfTweet(tweet: Tweet): FeedItem {
  const writtenMs = Date.parse(tweet.created_at);
  const idMs = timeOfTweetId(tweet.id);
  const isRounded = Math.floor(idMs / 1_000) * 1_000 === writtenMs;
  return { id: tweet.id, timeMs: Number.isNaN(writtenMs) || isRounded ? idMs : writtenMs };
}
