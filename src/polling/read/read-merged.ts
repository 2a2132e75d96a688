/**
 * Reads many accounts' posts, or many keyword searches, with one query. Each member's part of the
 * answer is treated like the complete answer to a search of its own with a time bound, so that the
 * memory of each stays correct. The callers decide which members are read, and what happens to the
 * posts.
 */
import { type FeedMemory, readFeedMemory } from "../../detect/feed-memory.ts";
import {
  afterHead,
  type HeadPlan,
  horizonMs,
  marginMs,
  planHead,
  type Reach,
} from "../../detect/feed-poll.ts";
import { type FeedItem, FeedWalk } from "../../detect/feed-walk.ts";
import type { SourceState } from "../../model/poll-store.ts";
import type { Tweet } from "../../model/tweet.ts";
import { isBadRequest } from "../../model/upstream.ts";
import { attributeTweets, type MergeMember, writeMerged } from "../../query/merging/merge.ts";
import { withBounds } from "../../query/with-bounds.ts";
import type { AskSearch } from "../ask.ts";
import { type FeedObservation, itemOfTweet, walkFeed } from "./read-feed.ts";
import type { Poll } from "../watch-poll.ts";

export interface MergedMember {
  readonly poll: Poll;
  readonly source: SourceState;
  /** The member's part of the query, and how its posts are recognised. */
  readonly feed: MergeMember;
  /** How far back the member's part must be read. Undefined means back to its last poll. */
  readonly reach?: Reach | undefined;
}

/** A member with its memory, and with the plan how far back to read. */
export interface PlannedMember {
  readonly member: MergedMember;
  readonly memory: FeedMemory;
  readonly plan: HeadPlan;
}

export interface MergeTimes {
  /** The start of the run, in service time. */
  readonly startMs: number;
  readonly intervalMs: number;
}

/** `MergeTimes` and a function for the current time, because reading takes time. */
export interface ReadClock extends MergeTimes {
  /**
   * Returns the current service time. Its offset from our clock may have changed since the start of
   * the run.
   */
  readonly nowMs: () => number;
}

/**
 * Plans how far back each member must be read. Members that need the least come first, because a
 * query reads as far back as its deepest member needs.
 */
export function planMembers(
  members: readonly MergedMember[],
  { startMs, intervalMs }: MergeTimes,
): readonly PlannedMember[] {
  return members
    .map((member) => {
      const memory = readFeedMemory(member.source.memory);
      const { overlapMs, maxPages } = member.poll;
      const reach = member.reach === undefined ? {} : { reach: member.reach };
      const plan = planHead(memory, {
        startMs,
        intervalMs,
        overlapMs,
        maxPages,
        minItems: 0,
        hasNoPins: true,
        ...reach,
      });
      return { member, memory, plan };
    })
    .sort((a, b) => b.plan.walk.floorMs - a.plan.walk.floorMs);
}

/**
 * The maximum number of pages of one query: this many, or more if it merges many searches. If
 * further pages are needed, the members are read one by one.
 */
const MAX_PAGES = 15;
const PAGES_PER_SEARCH = 8;

export interface MergedAnswer {
  /**
   * The observations by poll key. Members without a post in the answer are left out, because an
   * empty list moves no watermark.
   */
  readonly observations: ReadonlyMap<string, FeedObservation>;
  /** Whether the answer was not read to its end, so that it says nothing about any member. */
  readonly isCut: boolean;
  /**
   * The tweets that match no member's query as we evaluate it. They are in none of the
   * observations.
   */
  readonly unattributed: readonly Tweet[];
  /**
   * Whether the answer lacks even the newest known post. That post was deleted, or the search
   * temporarily shows nothing.
   */
  readonly isSuspicious: boolean;
}

/** Reads all of `planned` with one query, as deep as they need. @throws the error of a request */
export async function readMerged(
  ask: AskSearch,
  planned: readonly PlannedMember[],
  times: ReadClock,
): Promise<MergedAnswer> {
  const boundMs = boundOf(planned, times.intervalMs);
  const members = planned.map(({ member }) => member.feed);
  const query = withBounds(writeMerged(members), { sinceTime: Math.floor(boundMs / 1_000) });
  const tweets = await readPages(ask, query, boundMs, mostPages(members));
  if (tweets === undefined)
    return { observations: new Map(), unattributed: [], isCut: true, isSuspicious: false };
  const { byMember, unattributed } = attributeTweets(tweets, members, times.startMs);
  const observations = new Map<string, FeedObservation>();
  for (const [index, one] of planned.entries()) {
    const own = byMember[index] ?? [];
    if (own.length > 0) observations.set(one.member.poll.key, observe(one, own, query, times));
  }
  return { observations, unattributed, isCut: false, isSuspicious: tweets.length === 0 };
}

const mostPages = (members: readonly MergeMember[]): number =>
  Math.max(MAX_PAGES, PAGES_PER_SEARCH * members.filter(({ kind }) => kind === "query").length);

/**
 * Returns the time from which the query asks for posts. It is as early as the deepest member needs,
 * and before the newest known post, so that new posts are found even if the service dates posts
 * behind its own clock.
 */
function boundOf(planned: readonly PlannedMember[], intervalMs: number): number {
  const newestMs = Math.max(...planned.map(({ memory }) => memory.newestItemMs ?? 0));
  const floorMs = Math.min(...planned.map(({ plan }) => plan.walk.floorMs));
  return newestMs === 0 ? floorMs : Math.min(floorMs, newestMs - marginMs(intervalMs));
}

/**
 * Whether the list ends here. That is so after a 400 as well, because it concerns the cursor of the
 * request and not the query. Posts below the cursor then stay unread.
 */
const isListOver = (error: unknown): boolean => error === undefined || isBadRequest(error);

/** Reads the pages; resolves to undefined if the list was not read to its end. */
async function readPages(
  ask: AskSearch,
  query: string,
  floorMs: number,
  maxNewPages: number,
): Promise<readonly Tweet[] | undefined> {
  const nothingKnown = {
    stretches: [],
    knownRanges: [],
    minItems: 0,
    fills: true,
    hasNoPins: true,
  };
  const walk = new FeedWalk({ ...nothingKnown, floorMs, maxNewPages });
  const tweets = new Map<string, Tweet>();
  const error = await walkFeed((cursor) => ask(query, cursor), walk, await ask(query), tweets);
  if (!isListOver(error)) throw error;
  return walk.end === "cut" ? undefined : [...tweets.values()];
}

function observe(
  { memory, plan }: PlannedMember,
  tweets: readonly Tweet[],
  query: string,
  times: ReadClock,
): FeedObservation {
  const items: readonly FeedItem[] = tweets.map(itemOfTweet);
  const walk = new FeedWalk(plan.walk);
  walk.addPage(items, undefined);
  return {
    tweets: new Map(tweets.map((tweet) => [tweet.id, tweet])),
    items,
    memory: afterHead(memory, { plan, walk, startMs: times.startMs, query }),
    firstPageHigh: walk.firstPageHigh,
    horizonMs: horizonMs(memory),
    nowMs: times.nowMs(),
    isHeadWhole: true,
    isSuspicious: false,
    lostGaps: 0,
  };
}
