/**
 * What keeps a chat channel quiet: one tweet once a day, followers of one poll in one message,
 * accounts that come and go all day in one line. Webhook and console have none of this.
 */
import type { ChirpEvent } from "../model/event.ts";
import type { Once } from "../model/poll-store.ts";
import type { OutboxEvent } from "../model/sink.ts";
import { tweetKey } from "./dedupe.ts";
import { ownValue } from "../model/own-value.ts";

const ONCE_WITHIN_MS = 86_400_000;

/** Accounts that came onto a list of accounts or went. */
const isJoining = (event: ChirpEvent): boolean =>
  /^(follower|following|member|retweeter|user|top_follower|top_following)\./.test(event.type);

/** Watches may write the same account as a handle or an id. */
const targetOf = (event: ChirpEvent): string =>
  event.body.target?.id ?? event.labels["target"] ?? "";

const OPPOSITES: Readonly<Record<string, string>> = {
  added: "removed",
  removed: "added",
  entered: "left",
  left: "entered",
};

const SUMMARY = "summary\n";

/**
 * Groups that hold the changes of accounts that come and go all the time: `summariseChanges` makes
 * one line per account of them.
 */
export const isSummaryGroup = (groupKey: string): boolean => groupKey.startsWith(SUMMARY);

/**
 * How a chat sink alerts once on a fact. Facts that recur by nature (a score that crosses again)
 * have none: each gets its own alert.
 */
export function onceOf(event: ChirpEvent): Once | undefined {
  if (event.type === "tweet.created") return { key: tweetKey(event), withinMs: ONCE_WITHIN_MS };
  if (!isJoining(event)) return undefined;
  const [family = "", change = ""] = event.type.split(".");
  const target = targetOf(event);
  const once = { key: `${event.type}:${target}:${event.subject}`, withinMs: ONCE_WITHIN_MS };
  const opposite = ownValue(OPPOSITES, change);
  if (opposite === undefined) return once;
  return {
    ...once,
    undo: {
      key: `${family}.${opposite}:${target}:${event.subject}`,
      summaryGroup: `${SUMMARY}${family}\n${target}`,
    },
  };
}

/**
 * One line per account, in the order of their last changes: that change, and how many it stands
 * for.
 */
export function summariseChanges<T extends OutboxEvent>(
  events: readonly T[],
): readonly (T & { readonly changes: number })[] {
  const last = new Map<string, T & { readonly changes: number }>();
  for (const one of events) {
    const { subject } = one.event;
    const before = last.get(subject);
    last.delete(subject);
    last.set(subject, { ...one, changes: (before?.changes ?? 0) + 1 });
  }
  return [...last.values()];
}

/**
 * How long an ops alert about a target waits for others: a takedown or a fault of the service is
 * about many at once.
 */
export const TARGET_ALERTS_WAIT_MS = 60_000;

/**
 * The group of the daemon's own events that share a message; undefined for those that go out alone
 * and at once.
 */
export const opsAlertGroupOf = ({ type }: ChirpEvent): string | undefined =>
  type.startsWith("target.") ? `notice\n${type}` : undefined;

/** The group of everyone who came or went at one target in one poll; undefined for other events. */
export function bundleKeyOf(event: ChirpEvent): string | undefined {
  if (!isJoining(event)) return undefined;
  const family = event.type.slice(0, event.type.indexOf("."));
  return `${family}\n${targetOf(event)}\n${event.detectedAtMs}`;
}
