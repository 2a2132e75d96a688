/**
 * The simulated world behind the sandbox: users, tweets, follows, groups, scores, Spaces and
 * trends. Everything is computed from the seed, the start and the time, and combined with what was
 * changed by hand or recorded. Nothing is computed before it is needed.
 */
import type { JsonObject } from "../../model/json.ts";
import type { User } from "../../model/user.ts";
import { type Account, createPosting, type PostingRates, USUAL_RATES } from "./people/accounts.ts";
import { DAY_MS } from "./chance/daily.ts";
import { FollowGraph } from "./follows/follow-graph.ts";
import { createGroups, type Groups } from "./groups/groups.ts";
import { STEADY_ACCOUNTS } from "./people/account-changes.ts";
import { People } from "./people/people.ts";
import { PeopleDirectory } from "./people/people-directory.ts";
import { createPins } from "./tweets/pins.ts";
import { createScores } from "./people/scores.ts";
import { createPlannedPosts } from "./chance/planned-posts.ts";
import { createSpaces } from "./spaces.ts";
import { Stream } from "./tweets/stream.ts";
import { createTrends, type Trend } from "./trends.ts";
import { TweetStore } from "./tweets/tweet-store.ts";
import type { TweetRecord } from "./tweets/tweet-record.ts";

const HISTORY_DAYS = 14;
/**
 * The number of tweets that a search over all authors reads at most. In a large world, searches
 * therefore do not reach back as far as timelines.
 */
const SEARCHED_TWEETS = 40_000;

export interface WorldOptions {
  readonly seed: number;
  /**
   * The number of accounts of the world. A world with 0 has only the crowd and what is recorded or
   * added; any other world has at least the five accounts that examples name.
   */
  readonly accounts: number;
  readonly startMs: number;
  /** How many posts accounts write per day; by default with median 0.4 and mean 3. */
  readonly rates?: PostingRates | undefined;
  /** Returns the time at which `people` is read; by default the start. */
  readonly now?: () => number;
}

export type World = ReturnType<typeof createWorld>;
export type WorldAt = ReturnType<World["at"]>;

/**
 * Creates a world that begins at `startMs`. Its methods have a parameter for the time, except those
 * of `people`, which always use the present time.
 */
export function createWorld(options: WorldOptions) {
  const { seed, startMs } = options;
  const firstDayMs = firstDayOf(startMs);
  const directory = new PeopleDirectory({ seed, count: options.accounts, startMs });
  const { count } = directory;
  const groups = createGroups({ seed, count, startMs });
  const pins = createPins(directory);
  const tweets = createTweets(options, { directory, groups, pins });
  const recorded = createRecorded();
  const parts = {
    seed,
    startMs,
    tweets,
    groups,
    follows: new FollowGraph(directory, { seed, firstDayMs, startMs }),
    spaces: createSpaces({ seed, startMs, count }),
    trends: createTrends(seed, count === 0),
    scores: createScores(directory, seed),
    recorded,
    recordUser: (user: User): number => directory.record(user),
    communityPin(communityId: string): TweetRecord | undefined {
      const id = recorded.communityPins.get(communityId);
      return id === undefined ? pins.communityPin(communityId) : tweets.find(id);
    },
  };
  const seen = (people: People) => ({
    ...parts,
    people,
    pinOf: (author: number): TweetRecord | undefined =>
      pins.pinOf(author, people.revisions(author)),
  });
  return {
    ...seen(new People(directory, options.now ?? (() => startMs))),
    /** Returns the same world with `people` as of `nowMs`. */
    at: (nowMs: number) => seen(new People(directory, () => nowMs)),
  };
}

const firstDayOf = (startMs: number): number => Math.floor(startMs / DAY_MS) * DAY_MS;

interface Authors {
  readonly directory: PeopleDirectory;
  readonly groups: Groups;
  readonly pins: ReturnType<typeof createPins>;
}

function createTweets(
  { seed, startMs, rates = USUAL_RATES }: WorldOptions,
  { directory, groups, pins }: Authors,
) {
  const { count } = directory;
  const postsPerDay = count * rates.mean;
  const planned = createPlannedPosts({
    seed,
    postsPerDay: createPosting(seed, count, rates),
    steadyAccounts: STEADY_ACCOUNTS,
  });
  const stream = new Stream({
    seed,
    count,
    account: (author) => directory.account(author) as Account,
    planned,
    groups,
    postsPerDay,
  });
  const searchedMs = Math.max(3_600_000, (SEARCHED_TWEETS / Math.max(1, postsPerDay)) * DAY_MS);
  return new TweetStore({
    stream,
    planned,
    count,
    startMs,
    floorMs: firstDayOf(startMs) - HISTORY_DAYS * DAY_MS,
    firstDayMs: firstDayOf(startMs),
    searchFloorMs: (nowMs) => nowMs - searchedMs,
    staticTweet: pins.find,
  });
}

/** Recorded answers of the service that the world cannot compute. */
const createRecorded = () => ({
  /** The recorded answers of /about, by user key. */
  abouts: new Map<number, JsonObject>(),
  /** The recorded answers of /article, by tweet id. */
  articles: new Map<string, JsonObject>(),
  /**
   * Fields of articles that were set by hand, by tweet id. They are shown in place of the others,
   * and make the tweet an article.
   */
  articleEdits: new Map<string, JsonObject>(),
  /** The ids of recorded pinned tweets, by community id. */
  communityPins: new Map<string, string>(),
  trends: new Map<number, readonly { readonly rank: number; readonly trend: Trend }[]>(),
});
