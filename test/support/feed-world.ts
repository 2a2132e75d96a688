/**
 * A newest-first list as the data service serves it, with everything that the documents warn about:
 * late items, deletions, short and empty pages, repeats, pinned posts, cursors that expire. Ids
 * contain their time. The answers depend only on the clock and a seed.
 */
import { compareIds, tweetIdAt } from "../../src/model/id.ts";
import type { Random } from "../../src/model/random.ts";
import type { Tweet } from "../../src/model/tweet.ts";
import {
  type UpstreamAnswer,
  UpstreamError,
  type UpstreamRequest,
} from "../../src/model/upstream.ts";
import { makeTweet } from "./make-event.ts";

export interface PlacedTweet {
  readonly tweet: Tweet;
  readonly timeMs: number;
  /** The list shows the tweet from this time on. */
  readonly visibleAtMs: number;
  /** The list hides the tweet in this span. */
  readonly hidden?: { readonly fromMs: number; readonly untilMs: number };
}

export interface FeedWorldOptions {
  readonly random: Random;
  readonly pageSize?: number;
  /**
   * The share of pages that are odd: short, empty with a cursor, or with a repeat of the previous
   * item.
   */
  readonly oddPages?: number;
  /** The tweet that is first on every page. */
  readonly pinnedId?: string;
  /** Cursors given before that time are refused. */
  readonly cursorsValidFromMs?: () => number;
}

export interface FeedWorld {
  readonly placed: readonly PlacedTweet[];
  /** Posts a tweet at `timeMs` that becomes visible `lagMs` later. */
  post(timeMs: number, lagMs?: number, changes?: Partial<Tweet>): Tweet;
  hide(id: string, fromMs: number, untilMs: number): void;
  /** Returns one page, by the bounds of the query and the cursor. */
  answer(request: UpstreamRequest, nowMs: number): UpstreamAnswer;
}

const PAGE_SIZE = 20;

export function createFeedWorld(options: FeedWorldOptions): FeedWorld {
  const { random, pinnedId } = options;
  const pageSize = options.pageSize ?? PAGE_SIZE;
  const odd = options.oddPages ?? 0;
  const placed = new Map<string, PlacedTweet>();
  let sequence = 0;
  let newestFirst: readonly PlacedTweet[] | undefined;

  const sizeOfPage = (): number =>
    random.float() < odd ? 1 + Math.floor(random.float() * pageSize) : pageSize;

  const answer = (request: UpstreamRequest, nowMs: number): UpstreamAnswer => {
    const at = readCursor(request.cursor);
    if (at !== undefined && at.givenAtMs < (options.cursorsValidFromMs?.() ?? 0)) {
      throw new UpstreamError("bad_request", "next_cursor is not valid", 400);
    }
    newestFirst ??= [...placed.values()].sort((a, b) => compareIds(b.tweet.id, a.tweet.id));
    const listed = listOf(newestFirst, queryOf(request), nowMs, at?.belowId);
    const pinned = pinnedId === undefined ? undefined : placed.get(pinnedId)?.tweet;
    const ordinary = listed.filter(({ id }) => id !== pinnedId);
    const empties = at?.empties ?? 0;
    if (ordinary.length > 0 && empties < 2 && random.float() < odd / 2) {
      return {
        tweets: [],
        nextCursor: cursorOf({
          givenAtMs: nowMs,
          belowId: at?.belowId ?? "",
          empties: empties + 1,
        }),
      };
    }
    const page = ordinary.slice(0, sizeOfPage());
    const last = page.at(-1);
    const hasMore = ordinary.length > page.length || (page.length > 0 && random.float() < odd);
    const repeated =
      at !== undefined && random.float() < odd ? placed.get(at.belowId)?.tweet : undefined;
    return {
      tweets: [
        ...(pinned === undefined ? [] : [pinned]),
        ...(repeated === undefined ? [] : [repeated]),
        ...page,
      ],
      ...(hasMore && last !== undefined
        ? { nextCursor: cursorOf({ givenAtMs: nowMs, belowId: last.id, empties: 0 }) }
        : {}),
    };
  };

  return {
    get placed() {
      return [...placed.values()];
    },
    post(timeMs, lagMs = 0, changes = {}) {
      sequence = (sequence + 1) % 4_194_304;
      const id = (BigInt(tweetIdAt(timeMs)) + BigInt(sequence)).toString();
      const tweet: Tweet = {
        ...makeTweet(id),
        created_at: new Date(timeMs).toISOString(),
        ...changes,
      };
      placed.set(id, { tweet, timeMs, visibleAtMs: timeMs + lagMs });
      newestFirst = undefined;
      return tweet;
    },
    hide(id, fromMs, untilMs) {
      const known = placed.get(id);
      if (known !== undefined) placed.set(id, { ...known, hidden: { fromMs, untilMs } });
      newestFirst = undefined;
    },
    answer,
  };
}

/** Returns whether the service shows the tweet at that time. */
export const isShown = ({ visibleAtMs, hidden }: PlacedTweet, nowMs: number): boolean =>
  visibleAtMs <= nowMs &&
  (hidden === undefined || nowMs < hidden.fromMs || nowMs >= hidden.untilMs);

function queryOf({ params }: UpstreamRequest): string {
  const query = params["query"];
  return typeof query === "string" ? query : "";
}

/**
 * Returns the visible tweets that a query finds, only those below a tweet id if one is given.
 * `placed` must be sorted newest first.
 */
function listOf(
  placed: readonly PlacedTweet[],
  query: string,
  nowMs: number,
  belowId: string | undefined,
): readonly Tweet[] {
  const sinceMs = Number(/since_time:(\d+)/.exec(query)?.[1] ?? 0) * 1_000;
  const maxId = /max_id:(\d+)/.exec(query)?.[1];
  return placed
    .filter((one) => isShown(one, nowMs) && one.timeMs >= sinceMs)
    .map(({ tweet }) => tweet)
    .filter(
      ({ id }) =>
        (maxId === undefined || compareIds(id, maxId) <= 0) &&
        (!belowId || compareIds(id, belowId) < 0),
    );
}

interface CursorParts {
  readonly givenAtMs: number;
  readonly belowId: string;
  readonly empties: number;
}

const cursorOf = ({ givenAtMs, belowId, empties }: CursorParts): string =>
  `c:${Math.floor(givenAtMs)}:${belowId}:${empties}`;

function readCursor(cursor: string | undefined): CursorParts | undefined {
  const match = /^c:(\d+):(\d*):(\d+)$/.exec(cursor ?? "");
  return match === null
    ? undefined
    : { givenAtMs: Number(match[1]), belowId: match[2] ?? "", empties: Number(match[3]) };
}
