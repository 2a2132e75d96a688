/**
 * The simulated world behind the sandbox: people, tweets, follows, groups, scores, Spaces and
 * trends. Each is a function of seed, start and time, plus what was changed by hand or recorded.
 * Nothing is computed before it is asked for.
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
 * How many tweets a search over everyone reads at most. In large worlds the search index therefore
 * does not reach back as far as timelines do.
 */
const SEARCHED_TWEETS = 40_000;

export interface WorldOptions {
  readonly seed: number;
  /**
   * How many accounts the world has. With 0 there is only the crowd, and what is recorded or added;
   * otherwise there are at least the five accounts that examples name.
   */
  readonly accounts: number;
  readonly startMs: number;
  /** How many posts a day accounts write; by default median 0.4 and mean 3. */
  readonly rates?: PostingRates | undefined;
  /** The moment at which `people` are read; the start by default. */
  readonly now?: () => number;
}

export type World = ReturnType<typeof createWorld>;
export type WorldAt = ReturnType<World["at"]>;

/**
 * Creates a world as of `startMs`. Every method takes the time for which it answers, except those
 * of `people`, which answer for the present.
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
    /** Returns the same world with its people as they are at `nowMs`. */
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

/** Recorded answers of the service that the world cannot compute from anything else. */
const createRecorded = () => ({
  /** Answers of /about by user key. */
  abouts: new Map<number, JsonObject>(),
  /** Answers of /article by tweet id. */
  articles: new Map<string, JsonObject>(),
  /**
   * Fields of articles set by hand, which are shown instead of the real ones. They turn any tweet
   * into an article.
   */
  articleEdits: new Map<string, JsonObject>(),
  /** Ids of pinned tweets by community id. */
  communityPins: new Map<string, string>(),
  trends: new Map<number, readonly { readonly rank: number; readonly trend: Trend }[]>(),
});
