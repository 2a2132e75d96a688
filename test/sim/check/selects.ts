/**
 * Decides which tweets a watch covers and reports, by its type and keys as the documentation says.
 */
import type { Json, JsonObject } from "../../../src/model/json.ts";
import { BURST_QUERIES, CONDITIONS, IGNORE_FILES, QUERIES } from "../draw/cast.ts";
import type { TweetFact } from "../run/world-history.ts";
import { textOf, type WatchRules } from "./rules.ts";

/** The parts of the world that the decision depends on. */
export interface Scene {
  /** Lines of accounts.txt. */
  readonly accountsFile: readonly string[];
  readonly listMembers: readonly string[];
}

/** The kinds of posts that are reported beside plain ones unless `include` says otherwise. */
const INCLUDED: Readonly<Record<string, readonly TweetFact["kind"][]>> = {
  timeline: ["quote"],
  list_tweets: ["quote"],
  retweets: ["retweet"],
};
const INCLUDED_ELSEWHERE: readonly TweetFact["kind"][] = ["reply", "quote"];

/** Whether a watch reports a tweet. `unsure`: the service may or may not show it there. */
export type Selection = "yes" | "no" | "unsure";

export function selects(watch: WatchRules, tweet: TweetFact, scene: Scene): Selection {
  const { keys, type } = watch;
  const isAbout = isSubject(watch, tweet, scene);
  if (!isAbout) return "no";
  if (!isIncluded(type, keys, tweet.kind) || isIgnored(keys, tweet)) return "no";
  const where = CONDITIONS.find(({ text }) => text === keys["where"]);
  if (where !== undefined && !where.holds(tweet)) return "no";
  if (["min_likes", "min_replies", "min_retweets"].some((key) => Number(keys[key] ?? 0) > 0))
    return "unsure";
  // The text of a retweet is its original's, cut short. Whether searches match it is up to the
  // service.
  return tweet.kind === "retweet" && /search|mentions|community/.test(type) ? "unsure" : "yes";
}

function isSubject({ type, keys }: WatchRules, tweet: TweetFact, scene: Scene): boolean {
  const queries = [...QUERIES, ...BURST_QUERIES];
  const finds = (text: Json | undefined) =>
    queries.find((query) => query.text === text)?.holds(tweet) === true || tweet.kind === "retweet";
  switch (type) {
    case "search":
      return finds(keys["query"]);
    case "community_search":
      return tweet.community === keys["community"] && finds(keys["query"]);
    case "community_tweets":
      return tweet.community === keys["community"];
    case "timeline":
    case "retweets":
      return (
        accountsOf(keys, scene).includes(tweet.by) &&
        (type === "timeline" || tweet.kind === "retweet")
      );
    case "list_tweets":
      return scene.listMembers.includes(tweet.by);
    case "mentions":
      return accountsOf(keys, scene).some(
        (handle) => tweet.text.split(" ").includes(`@${handle}`) && tweet.by !== handle,
      );
    case "replies":
      return tweet.kind === "reply" && tweet.of === postNamed(keys);
    case "quotes":
      return tweet.kind === "quote" && tweet.of === postNamed(keys);
    default:
      return false;
  }
}

export const postNamed = (keys: JsonObject): string | undefined =>
  /%post:(\w+)%/.exec(textOf(keys["tweet"]))?.[1];

/** Returns the watched handles, as they are at the start of the scenario. */
export function accountsOf(keys: JsonObject, scene: Scene): readonly string[] {
  return ((keys["accounts"] ?? []) as readonly Json[]).flatMap((written) =>
    typeof written === "string" ? [handleIn(written)] : scene.accountsFile,
  );
}

const handleIn = (written: string): string =>
  /^id:%user:(\w+)%$/.exec(written)?.[1] ?? written.replace(/^(?:@|https:\/\/x\.com\/)/, "");

function isIncluded(type: string, keys: JsonObject, kind: TweetFact["kind"]): boolean {
  if (kind === "post") return true;
  const written = (keys["include"] as JsonObject)[
    { reply: "replies", quote: "quotes", retweet: "retweets" }[kind]
  ];
  return typeof written === "boolean"
    ? written
    : (INCLUDED[type] ?? INCLUDED_ELSEWHERE).includes(kind);
}

/** Returns the ignored handles: those that are written, and the lines of files that are named. */
const ignored = (items: Json | undefined): readonly string[] =>
  ((items ?? []) as readonly (string | { readonly file: string })[]).flatMap((item) =>
    typeof item === "string" ? [item] : (IGNORE_FILES[item.file] ?? []),
  );

function isIgnored(keys: JsonObject, tweet: TweetFact): boolean {
  const written = (keys["ignore"] ?? {}) as JsonObject;
  const [authors, words] = [ignored(written["authors"]), ignored(written["words"])];
  const said = tweet.text.toLowerCase().split(/[^a-z0-9]+/);
  return (
    authors.some((written) => handleIn(written) === tweet.by) ||
    words.some((word) => said.includes(word))
  );
}
