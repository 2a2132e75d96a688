/** The simulated world behind the sandbox: people, tweets, follows and scores, each a function of seed and time plus what tests changed by hand. */
import { COMMUNITIES } from "./communities.ts";
import type { Pace } from "./demo-pace.ts";
import { unit } from "./dice.ts";
import { createFollowBook } from "./follow-book.ts";
import { createPeople, type People } from "./people.ts";
import { createScoreBook } from "./score-book.ts";
import { createSpaces } from "./spaces.ts";
import { createTweetBook } from "./tweet-book.ts";
import { snowflake, type TweetRecord } from "./tweet-record.ts";

const DAY_MS = 86_400_000;
const HISTORY_DAYS = 14;
/** Pinned tweets are older than any timeline, and the same whenever the sandbox starts. */
const PINS_FROM_MS = Date.UTC(2024, 5, 1);

export interface WorldOptions {
  readonly seed: number;
  readonly accounts: number;
  readonly startMs: number;
  readonly pace: Pace;
}

export type World = ReturnType<typeof createWorld>;

/** A world as of `startMs`. Every question takes the time it is asked at. */
export function createWorld(options: WorldOptions) {
  const { seed, startMs, pace } = options;
  const firstDayMs = Math.floor(startMs / DAY_MS) * DAY_MS;
  const floorMs = firstDayMs - HISTORY_DAYS * DAY_MS;
  const people = createPeople(seed, options.accounts);
  const pins = new Map(
    people.native.filter((account) => account.hasPinned).map((account) => [account.index, pinOf(people, account.index)]),
  );
  const communityPins = new Map(COMMUNITIES.map((community) => [community.id, communityPin(people, community.id, community.creator)]));
  return {
    seed,
    startMs,
    pace,
    people,
    tweets: createTweetBook({
      seed,
      accounts: people.native,
      startMs,
      pace,
      floorMs,
      firstDayMs,
      statics: [...pins.values(), ...communityPins.values()],
    }),
    follows: createFollowBook(people, { seed, firstDayMs, startMs, pace }),
    spaces: createSpaces(seed, startMs),
    scores: createScoreBook(seed, startMs, pace),
    pinOf: (author: number): TweetRecord | undefined => pins.get(author),
    communityPin: (communityId: string): TweetRecord | undefined => communityPins.get(communityId),
  };
}

function pinOf(people: People, author: number): TweetRecord {
  const account = people.account(author);
  const isArticle = unit(people.seed, "article", author) < 0.3;
  const text = isArticle
    ? `I wrote it all down: what ${account?.topic} taught me.`
    : `New here? Start with my thread on ${account?.topic}.`;
  return { ...staticRecord(people, "pin", author, text), isArticle };
}

const communityPin = (people: People, communityId: string, creator: number): TweetRecord => ({
  ...staticRecord(people, `rules-${communityId}`, creator, "House rules: be kind, show your work, no giveaways."),
  communityId,
});

function staticRecord(people: People, what: string, author: number, text: string): TweetRecord {
  const atMs = PINS_FROM_MS + Math.floor(unit(people.seed, what, author) * 90 * DAY_MS);
  const id = snowflake(atMs, author);
  return {
    id,
    atMs,
    visibleMs: atMs,
    indexedMs: atMs,
    author,
    kind: "post",
    text,
    lang: "en",
    conversationId: id,
    media: [],
    likesAtLast: 120,
  };
}
