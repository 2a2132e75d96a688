/**
 * Recognises posts of a target that was never read, among those that other watches read: by the
 * author, or by the query.
 */
import type { Tweet } from "../../model/tweet.ts";
import type { PlannedWatch } from "../../plan/polls/plan-polls.ts";
import type { Planned } from "../../polling/watch-poll.ts";
import { evaluateQuery } from "../../query/evaluate.ts";
import { parseQuery } from "../../query/parse.ts";
import type { Query } from "../../query/query.ts";

export interface UnreadTarget {
  readonly key: string;
  readonly name: string;
  /** Whether the target would have shown the post at this time. */
  has(tweet: Tweet, nowMs: number): boolean;
}

/** Returns how posts of a target are recognised. */
export function unreadOf(
  { watch, type }: Planned,
  target: PlannedWatch["targets"][number],
): UnreadTarget {
  const { key, name } = target;
  const none = { key, name, has: () => false };
  if (type.detection.detector !== "feed") return none;
  if (/^@?\w{1,15}$/.test(name)) {
    const handle = name.replace(/^@/, "").toLowerCase();
    return { key, name, has: ({ user }) => user.username.toLowerCase() === handle };
  }
  const query = queryOf(type.source(watch.settings, target).params["query"]);
  return query === undefined
    ? none
    : { key, name, has: (tweet, nowMs) => evaluateQuery(query, tweet, { nowMs }) };
}

function queryOf(text: unknown): Query | undefined {
  return typeof text === "string" ? parseQuery(text) : undefined;
}
