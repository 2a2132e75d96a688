/**
 * Draws watches: for every key of every watch type, a value that the configuration accepts. A key
 * that is missing here fails the coverage test.
 */
import type { Json, JsonObject } from "../../../src/model/json.ts";
import {
  ARTICLE_POST,
  AUTHORS,
  COMMUNITY_ID,
  CONDITIONS,
  COUNTED_POSTS,
  FAN_COMMUNITY_ID,
  FAN_LIST_ID,
  FANS,
  LIST_ID,
  postRef,
  QUERIES,
  ROOT_POSTS,
  SPACE_REF,
  USER_QUERY,
  userRef,
  WATCHED,
  WOEID,
} from "./cast.ts";
import type { Dice } from "./dice.ts";

export interface WatchScene {
  readonly dice: Dice;
  /** Whether `defaults.watch` says when to poll. */
  readonly hasDefaults: boolean;
  readonly sinkNames: readonly string[];
  readonly hasTree: boolean;
}

export type Draw = (scene: WatchScene) => Json | undefined;
export type Draws = Readonly<Record<string, Draw>>;

const accounts: Draw = ({ dice }) =>
  dice.some(WATCHED, 1).map((handle) => {
    const form = dice.int(0, 5);
    if (form === 0) return `id:${userRef(handle)}`;
    return form === 1 ? `https://x.com/${handle}` : form === 2 ? `@${handle}` : handle;
  });
const fileOfAccounts: Draw = (scene) =>
  scene.dice.likes("accounts file") ? [{ file: "accounts.txt" }] : accounts(scene);
const query: Draw = ({ dice }) => dice.pick(QUERIES).text;
const rootPost: Draw = ({ dice }) => {
  const id = postRef(dice.pick(ROOT_POSTS));
  return dice.chance(0.5) ? id : `https://x.com/anna0/status/${id}`;
};
const fullPollEvery: Draw = ({ dice }) => dice.pick(["20m", "45m"]);
const community: Draw = () => COMMUNITY_ID;
const list: Draw = () => LIST_ID;

interface TypeDraws {
  /** Keys that the type requires. */
  readonly required: Draws;
  readonly optional: Draws;
}

/** The keys of each type of watch that is about new tweets. */
const OWN_KEYS: Readonly<Record<string, TypeDraws>> = {
  search: {
    required: { query },
    optional: {
      strategy: ({ dice }) => dice.pick(["auto", "single", "merge"]),
      full_poll_every: fullPollEvery,
    },
  },
  timeline: {
    required: { accounts: fileOfAccounts },
    optional: {
      strategy: ({ dice }) => dice.pick(["auto", "single", "probe", "merge"]),
      full_poll_every: fullPollEvery,
      via_list: list,
    },
  },
  mentions: {
    required: { accounts: fileOfAccounts },
    optional: {
      min_likes: ({ dice }) => dice.int(1, 2),
      min_replies: ({ dice }) => dice.int(1, 2),
      min_retweets: ({ dice }) => dice.int(1, 2),
    },
  },
  list_tweets: { required: { list }, optional: {} },
  community_tweets: { required: { community }, optional: {} },
  community_search: { required: { community, query }, optional: {} },
  retweets: { required: { accounts: fileOfAccounts }, optional: {} },
  replies: { required: { tweet: rootPost }, optional: {} },
  quotes: { required: { tweet: rootPost }, optional: {} },
};

const people: TypeDraws["optional"] = {
  strategy: ({ dice }) => dice.pick(["auto", "single", "probe"]),
  full_poll_every: fullPollEvery,
};
const fullReadEvery: Draw = ({ dice }) => dice.pick(["1h", "1d", "never"]);
const source: Draw = ({ dice }) => dice.pick(["all", "all", "auto", "indexed"]);
const step =
  (name: string, texts: readonly string[]): Draw =>
  ({ dice }) => ({ [name]: dice.pick(texts) });

/** Draws one or two of the names, with the same condition. */
const steps =
  (names: readonly string[], text: string): Draw =>
  ({ dice }) =>
    Object.fromEntries(dice.some(names, 1, 2).map((name) => [name, text]));

/** The keys of each watch type that is not about new tweets. */
const OTHER_KEYS: Readonly<Record<string, TypeDraws>> = {
  followers: { required: { accounts: fileOfAccounts }, optional: people },
  following: { required: { accounts: fileOfAccounts }, optional: people },
  new_followers: {
    required: { accounts: fileOfAccounts },
    optional: { ...people, source, full_read_every: fullReadEvery, verified_only: () => false },
  },
  new_following: {
    required: { accounts: fileOfAccounts },
    optional: { ...people, source, full_read_every: fullReadEvery },
  },
  list_members: { required: { list: () => FAN_LIST_ID }, optional: {} },
  community_members: { required: { community: () => FAN_COMMUNITY_ID }, optional: {} },
  membership: {
    required: {
      accounts: ({ dice }) => dice.some([...FANS, ...AUTHORS], 1, 5),
      check: ({ dice }) => dice.pick(["follow", "community_member", "retweet", "comment"]),
      account: ({ dice }) => dice.pick(WATCHED),
      community: () => FAN_COMMUNITY_ID,
      tweet: rootPost,
    },
    optional: {},
  },
  verified_followers: { required: { accounts: fileOfAccounts }, optional: people },
  top_followers: { required: { accounts: fileOfAccounts }, optional: {} },
  top_following: { required: { accounts: fileOfAccounts }, optional: {} },
  list_followers: { required: { list: () => FAN_LIST_ID }, optional: {} },
  retweeters: { required: { tweet: rootPost }, optional: { full_read_every: fullReadEvery } },
  user_search: { required: { query: () => USER_QUERY }, optional: {} },
  about: { required: { accounts: fileOfAccounts }, optional: {} },
  followers_stats: {
    required: {
      accounts: fileOfAccounts,
      when: steps(
        ["followers_count", "influencers_count", "projects_count", "venture_capitals_count"],
        ">= 2",
      ),
    },
    optional: {},
  },
  community_info: {
    required: { community: () => FAN_COMMUNITY_ID },
    optional: { when: step("member_count", [">= 4"]) },
  },
  article: {
    required: { tweet: () => postRef(ARTICLE_POST) },
    optional: {
      when: steps(
        [
          "favorite_count",
          "retweet_count",
          "reply_count",
          "quote_count",
          "bookmark_count",
          "views",
        ],
        ">= 10",
      ),
    },
  },
  space: {
    required: { space: () => SPACE_REF },
    optional: { when: step("listeners", [">= 100"]) },
  },
  trends: {
    required: { woeid: () => WOEID },
    optional: {
      top: ({ dice }) => dice.pick([2, 3, 5]),
      tell: ({ dice }) => [...dice.some(["entered", "left", "moved"], 1)],
      move_by: ({ dice }) => dice.int(1, 3),
    },
  },
  profile: {
    required: { accounts: fileOfAccounts },
    optional: {
      fields: ({ dice }) => [...dice.some(["display_name", "description", "location"], 0)],
      when: step("favourites_count", [">= 1000"]),
    },
  },
  score: { required: { accounts: fileOfAccounts, when: step("score", [">= 1000"]) }, optional: {} },
  score_delta: {
    required: { accounts: fileOfAccounts, when: step("week_delta", [">= 25"]) },
    optional: { present_score: () => true },
  },
  tweet: {
    required: { tweets: ({ dice }) => dice.some(COUNTED_POSTS, 1).map(postRef) },
    optional: {
      when: ({ dice }) =>
        dice.pick<JsonObject>([{ likes_count: ">= 10" }, { view_count: ">= 1000" }]),
      deleted: ({ dice }) => dice.chance(0.5),
    },
  },
};

const seconds = (dice: Dice): string =>
  dice.pick(["@every 30s", "@every 1m", "@every 90s", "@every 2m", "@every 5m"]);
const crons = ["* * * * *", "*/2 * * * *", "*/5 * * * *", "0 */2 * * * *", "30 * * * * *"];

/** Keys of every watch. */
const COMMON_KEYS: Draws = {
  schedule: ({ dice }) => {
    if (dice.chance(0.6)) return seconds(dice);
    const cron = dice.pick(crons);
    return dice.chance(0.5)
      ? cron
      : { cron, timezone: dice.pick(["Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"]) };
  },
  freshness: ({ dice }) =>
    dice.chance(0.5) ? dice.pick(["60s", "2m"]) : { mean: "60s", max: dice.pick(["5m", "10m"]) },
  timezone: ({ dice }) =>
    dice.pick(["Europe/Berlin", "America/New_York", "Pacific/Auckland", "UTC"]),
  sink: ({ dice, sinkNames }) =>
    dice.chance(0.5) ? dice.pick(sinkNames) : [...dice.some(sinkNames, 1, 3)],
  where: ({ dice }) => dice.pick(CONDITIONS).text,
  labels: ({ dice }) => ({
    team: dice.pick(["comms", "ops"]),
    ...(dice.chance(0.3) ? { tier: "one" } : {}),
  }),
  priority: ({ dice }) => dice.pick(["high", "normal", "low"]),
  first_run: ({ dice }) =>
    dice.pick<Json>([
      "baseline",
      { latest: 2 },
      { latest: 3 },
      { since: "24h" },
      "latest: 1",
      "since: 1h",
    ]),
  include: ({ dice }) =>
    Object.fromEntries(
      dice.some(["replies", "retweets", "quotes"], 1).map((key) => [key, dice.chance(0.5)]),
    ),
  ignore: ({ dice }) => ({
    ...(dice.chance(0.6)
      ? {
          authors: [
            dice.pick<Json>(["clara2", "@dan3", `id:${userRef("edda4")}`, { file: "ignored.txt" }]),
          ],
        }
      : {}),
    ...(dice.chance(0.6)
      ? { words: [dice.pick<Json>(["giveaway", "delta", { file: "words.txt" }])] }
      : {}),
  }),
  max_pages: ({ dice }) => dice.pick([1, 1, 2, 3, 50]),
  max_age: ({ dice }) => dice.pick(["2h", "6h", "24h", "7d"]),
  overlap: ({ dice }) => dice.pick(["5m", "15m", "1h"]),
  recheck: ({ dice }) =>
    dice.pick<JsonObject>([
      { every: "5m", until: "1h" },
      { every: "10m", until: "30m" },
    ]),
  enrich: ({ dice }) => ({
    ...(dice.chance(0.7)
      ? {
          url: "https://enrich.example/rate",
          headers: { authorization: "Bearer x" },
          allow_private: dice.chance(0.5),
        }
      : { exec: ["/usr/local/bin/on-alert", "enrich"] }),
    labels: dice.pick([["mood"], ["topic"], ["mood", "topic"]]),
    timeout: dice.pick(["500ms", "3s", "20s"]),
    concurrency: dice.pick([1, 4, 20]),
    cache: dice.pick(["0s", "10m"]),
    on_error: dice.pick(["pass", "hold"]),
    max_hold: dice.pick(["30s", "2m", "5m"]),
  }),
  spike: () => ({ factor: 3, window: "1h", min: 10 }),
  no_events: ({ dice }) => ({ for: dice.pick(["1h", "3h"]) }),
  enabled: ({ dice }) => !dice.chance(0.1),
  on_return: ({ dice }) => dice.pick(["digest", "deliver", "skip"]),
};

/** Keys that only watches of new tweets take, and conditions that only tweets meet. */
const TWEET_KEYS = ["freshness", "where", "first_run", "include", "ignore", "recheck", "enrich"];

export const TWEET_TYPES = Object.keys(OWN_KEYS);
const OTHER_TYPES = Object.keys(OTHER_KEYS);

export function drawWatch(scene: WatchScene): JsonObject {
  const { dice } = scene;
  // Keys inherited from `defaults.watch` may be valid for tweets only.
  const isOther = !scene.hasDefaults && dice.chance(0.45);
  const type = dice.pick(isOther ? OTHER_TYPES : TWEET_TYPES);
  const own = (OWN_KEYS[type] ?? OTHER_KEYS[type]) as TypeDraws;
  const watch: Record<string, Json | undefined> = { type };
  for (const [key, draw] of Object.entries(own.required)) watch[key] = draw(scene);
  for (const [key, draw] of Object.entries(own.optional))
    if (dice.likes(`${type}.${key}`)) watch[key] = draw(scene);
  for (const [key, draw] of Object.entries(COMMON_KEYS).filter(
    ([key]) => !isOther || !TWEET_KEYS.includes(key),
  ))
    if (dice.likes(key) || (key === "sink" && !scene.hasTree)) watch[key] = draw(scene);
  if (watch["schedule"] === undefined && watch["freshness"] === undefined && !scene.hasDefaults)
    watch["schedule"] = "@every 2m";
  return dropConflicts(watch);
}

/** Draws `defaults.watch` for the watches that do not set a key themselves. */
export function drawWatchDefaults(scene: WatchScene): JsonObject {
  const { dice } = scene;
  const keys = Object.entries(COMMON_KEYS).filter(
    ([key]) => key === "schedule" || dice.likes(`defaults.${key}`),
  );
  return dropConflicts(Object.fromEntries(keys.map(([key, draw]) => [key, draw(scene)])));
}

/** Drops keys that the configuration refuses in combination. */
function dropConflicts(watch: Record<string, Json | undefined>): JsonObject {
  const without = (key: string) => {
    delete watch[key];
  };
  if (watch["freshness"] !== undefined) without("schedule");
  if (watch["source"] === "indexed") without("full_read_every");
  if (watch["type"] === "membership") {
    const about =
      { follow: "account", community_member: "community" }[watch["check"] as string] ?? "tweet";
    for (const key of ["account", "community", "tweet"]) if (key !== about) without(key);
  }
  // Without these keys nothing would be left to report.
  if (watch["when"] === undefined && watch["type"] === "tweet") without("deleted");
  if (watch["when"] === undefined && watch["type"] === "profile") without("fields");
  return Object.fromEntries(
    Object.entries(watch).filter(([, value]) => value !== undefined),
  ) as JsonObject;
}
