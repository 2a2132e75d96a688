/**
 * A digest is a message that lists many alerts. In the outbox, a digest is a group of deliveries
 * whose key has a special form. This module makes and parses these keys.
 */

/**
 * Why alerts become a digest.
 * - `throttle`: there were more alerts than the limit allows.
 * - `return`: the events happened while their watch was not polled.
 * - `backfill`: an operator's backfill found the events.
 * - `schedule`: a scheduled digest is configured for the alerts.
 * - `snooze`: a person snoozed what the alerts are about.
 */
export type DigestCause = "throttle" | "return" | "backfill" | "schedule" | "snooze";

/**
 * The place of a digest in a series. A digest of thousands of alerts becomes several digests, which
 * are sent one after the other.
 */
export interface DigestSeries {
  /** Whether the digest continues the one before it. */
  readonly isContinued: boolean;
  /** How many alerts are left for the next digest. */
  readonly left: number;
}

/** The period that a digest covers. */
export interface DigestPeriod {
  readonly fromMs: number;
  readonly toMs: number;
}

const CAUSES: readonly string[] = [
  "throttle",
  "return",
  "backfill",
  "schedule",
  "snooze",
] satisfies readonly DigestCause[];

/** The prefix of the keys of digests, which no other group's key has. */
export const DIGEST_PREFIX = "digest\n";

/**
 * Returns the `groupKey` of deliveries that are sent as one digest. `name` distinguishes the
 * digests of one cause and sink: a throttle's key, a watch, a sink or a route.
 */
export const digestGroup = (cause: DigestCause, name: string): string =>
  `${DIGEST_PREFIX}${cause}\n${name}`;

/** Returns the `groupKey` of messages that say that alerts of a throttle are gathered. */
export const announcementGroup = (throttleKey: string): string => `announcement\n${throttleKey}`;

/** Returns the cause and name in a digest's key; undefined for every other group. */
export function readDigestGroup(
  groupKey: string,
): { readonly cause: DigestCause; readonly name: string } | undefined {
  if (!groupKey.startsWith(DIGEST_PREFIX)) return undefined;
  const [cause = "", ...name] = groupKey.slice(DIGEST_PREFIX.length).split("\n");
  return CAUSES.includes(cause)
    ? { cause: cause as DigestCause, name: name.join("\n") }
    : undefined;
}

/**
 * Returns the name of a scheduled digest; undefined for every other group. Digests that a mute
 * holds are groups of their own, with the time after the name.
 */
export function scheduledDigestName(groupKey: string): string | undefined {
  const digest = readDigestGroup(groupKey);
  return digest?.cause === "schedule" ? digest.name.split("\n")[0] : undefined;
}

/**
 * Returns the period of a digest that ends at `toMs`: it begins where the last one ended, or at
 * `firstMs` if there was none. A digest that is sealed again covers the same period. A `last` that
 * ends in the future was stored before the clock was set back, and does not count.
 */
export function periodAfter(
  last: DigestPeriod | undefined,
  toMs: number,
  firstMs: number,
): DigestPeriod {
  if (last === undefined || last.toMs > toMs) return { fromMs: Math.min(firstMs, toMs), toMs };
  return { fromMs: last.toMs === toMs ? last.fromMs : last.toMs, toMs };
}
