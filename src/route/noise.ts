/**
 * Keeps chat channels quiet: one tweet is announced once a day, accounts found by one poll share a
 * message, and accounts that come and go all day share one line. Webhook and console sinks do not
 * use any of this.
 */
import type { ChirpEvent } from "../model/event.ts";
import type { Once } from "../model/poll-store.ts";
import type { OutboxEvent } from "../model/sink.ts";
import { tweetKey } from "./dedupe.ts";
import { ownValue } from "../model/own-value.ts";

const ONCE_WITHIN_MS = 86_400_000;

/** Whether accounts joined or left a list of accounts. */
const isJoining = (event: ChirpEvent): boolean =>
  /^(follower|following|member|retweeter|user|top_follower|top_following)\./.test(event.type);

/** Returns the target's id, because watches may write the same account as a handle or an id. */
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
 * Whether a group holds the changes of accounts that come and go all the time. `summariseChanges`
 * makes one line per account from them.
 */
export const isSummaryGroup = (groupKey: string): boolean => groupKey.startsWith(SUMMARY);

/**
 * Returns the key under which a chat sink gets only one alert on a fact. Undefined for facts that
 * can recur, such as a score that crosses a threshold again, because each occurrence gets its own
 * alert.
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
 * Returns the last event of each account, in the order of these events, with the number of changes
 * that the account made.
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
 * How long an ops alert about a target waits for similar ones. An account that is taken down or a
 * fault of the service often concerns many targets at once.
 */
export const TARGET_ALERTS_WAIT_MS = 60_000;

/**
 * Returns the group in which some of the daemon's own events share a message. Undefined for events
 * that are sent alone and without a wait.
 */
export const opsAlertGroupOf = ({ type }: ChirpEvent): string | undefined =>
  type.startsWith("target.") ? `notice\n${type}` : undefined;

/**
 * Returns the group of all accounts that joined or left at one target in one poll; undefined for
 * other events.
 */
export function bundleKeyOf(event: ChirpEvent): string | undefined {
  if (!isJoining(event)) return undefined;
  const family = event.type.slice(0, event.type.indexOf("."));
  return `${family}\n${targetOf(event)}\n${event.detectedAtMs}`;
}
