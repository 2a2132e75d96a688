/** What keeps a chat channel quiet: one tweet once a day, followers of one poll in one message. Webhook and console have none of this. */
import type { ChirpEvent } from "../model/event.ts";

export const ONCE_WITHIN_MS = 86_400_000;

/** Accounts that came onto a list of accounts or went. */
const isJoining = (event: ChirpEvent): boolean =>
  /^(follower|following|member|retweeter|user|top_follower|top_following)\./.test(event.type);

/** Watches may write the same account as a handle or an id. */
const targetOf = (event: ChirpEvent): string => event.body.target?.id ?? event.labels["target"] ?? "";

/** The same for facts a reader would call the same. Facts that recur by nature (a score that crosses again) have none: each is told. */
export function onceKeyOf(event: ChirpEvent): string | undefined {
  if (event.type === "tweet.created") return `tweet:${event.body.tweet?.id ?? event.subject}`;
  if (isJoining(event)) return `${event.type}:${targetOf(event)}:${event.subject}`;
  return undefined;
}

/** The group of everyone who came or went at one target in one poll; undefined for other events. */
export function bundleKeyOf(event: ChirpEvent): string | undefined {
  if (!isJoining(event)) return undefined;
  const family = event.type.slice(0, event.type.indexOf("."));
  return `${family}\n${targetOf(event)}\n${event.detectedAtMs}`;
}
