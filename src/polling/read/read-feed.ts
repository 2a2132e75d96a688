/**
 * Reads a newest-first list: the head down to known ground, then the gaps below with an allowance
 * of their own. Owns the order of requests; what is covered is decided in detect/.
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
  /** Highest id of the first page that held items; undefined when none came. */
  readonly firstPageHigh: string | undefined;
  /** Items newer than this are news beyond `max_age`; service time. */
  readonly horizonMs: number;
  readonly nowMs: number;
  /** Whether the head walk got as deep as a first run asked. */
  readonly isHeadWhole: boolean;
  /**
   * Whether a list that held items before came back empty; never said of a search bounded by time.
   */
  readonly isSuspicious: boolean;
  /** Gaps the service would not fill. */
  readonly lostGaps: number;
  /** What stopped the poll after its first page; what was read before it counts. */
  readonly error?: unknown;
}

export interface FeedNeeds {
  /** Oldest service time that a subscriber in its first run wants. */
  readonly firstRunFloorMs?: number;
  readonly minItems: number;
  /** Where something other than the clock decides how deep the poll goes. */
  readonly reach?: Reach;
}

export interface FeedReadOptions {
  /** As the last read left it. */
  readonly memory: FeedMemory;
  /** Asked again once the first answer has shown the service's clock. */
  readonly needs: () => FeedNeeds;
  readonly serviceClock: ServiceClock;
  /** Our clock. */
  readonly startedAtMs: number;
}

/** One read of a feed, while it gathers. */
interface Gathering {
  readonly ask: Ask;
  readonly poll: Poll;
  /** Each once, whichever page showed it. */
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
    ...(error === undefined ? {} : { error }),
  };
}

function isWhole(memory: FeedMemory, walk: FeedWalk): boolean {
  if (isSuspiciouslyEmpty(memory, walk)) return false;
  // A first walk that was cut left a gap that remembers its floor: nothing more to ask of the head.
  return walk.end !== "cut" || (memory.stretches.length === 0 && walk.covered !== undefined);
}

interface Head {
  readonly walk: FeedWalk;
  readonly plan: HeadPlan;
  readonly query: string | undefined;
  readonly error?: unknown;
}

/**
 * The first page fails as a whole; a later one leaves a gap. A cursor the service no longer takes
 * restarts the walk once.
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
    // The first answer shows the service's clock; a first run measures its floor with it.
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
 * Feeds pages to a walk until it has enough, and adds their tweets to `tweets`; returns what went
 * wrong after the first page.
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
 * What goes wrong after a first page came with a cursor: a 400 there is about the cursor, never
 * about the query. A gap is left.
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
  /** The stored cursor is no longer taken. */
  readonly isStoredRefused: boolean;
}

/** By the stored cursor, or by a bounded query, or from the top again. */
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
 * By its own date; by its id where the service gave none, or rounded it to the second: half a
 * second decides whether a tweet is older than the watch.
 */
export function itemOfTweet(tweet: Tweet): FeedItem {
  const writtenMs = Date.parse(tweet.created_at);
  const idMs = timeOfTweetId(tweet.id);
  const isRounded = Math.floor(idMs / 1_000) * 1_000 === writtenMs;
  return { id: tweet.id, timeMs: Number.isNaN(writtenMs) || isRounded ? idMs : writtenMs };
}
