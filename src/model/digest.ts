/**
 * A digest: many alerts as one list. It is a group of deliveries like any other, whose key says
 * that it goes out as a list: whoever makes deliveries gives them this key, and the outbox does the
 * rest.
 */

/**
 * `throttle`: more than its limit came at once. `return`: they came while their watch was away.
 * `backfill`: an operator asked for the past. `schedule`: a digest is written for them.
 */
export type DigestCause = "throttle" | "return" | "backfill" | "schedule";

/** A digest of thousands becomes several, one after the other. */
export interface DigestSeries {
  /** It goes on with the one before. */
  readonly isContinued: boolean;
  /** So many alerts are left for the next. */
  readonly left: number;
}

/** The time that a digest is about. */
export interface DigestPeriod {
  readonly fromMs: number;
  readonly toMs: number;
}

const CAUSES: readonly string[] = [
  "throttle",
  "return",
  "backfill",
  "schedule",
] satisfies readonly DigestCause[];

/** What the keys of digests begin with, and no other group's key. */
export const DIGEST_PREFIX = "digest\n";

/**
 * The `groupKey` of deliveries that go out as one digest. `name` distinguishes the digests of one
 * cause and sink: a throttle's key, a watch, a sink or route.
 */
export const digestGroup = (cause: DigestCause, name: string): string =>
  `${DIGEST_PREFIX}${cause}\n${name}`;

/** The `groupKey` of messages that say that alerts of a throttle are gathered. */
export const announcementGroup = (throttleKey: string): string => `announcement\n${throttleKey}`;

/** Undefined for every other group. */
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
 * The name of a digest with a schedule; undefined for every other group. Those that a mute holds
 * are a group of their own, with the time behind the name.
 */
export function scheduledDigestName(groupKey: string): string | undefined {
  const digest = readDigestGroup(groupKey);
  return digest?.cause === "schedule" ? digest.name.split("\n")[0] : undefined;
}

/**
 * What a digest is about that ends at that time: it begins where the last one ended. Sealed anew it
 * is about the same time again. `last` lies ahead after the clock was set back.
 */
export function periodAfter(
  last: DigestPeriod | undefined,
  toMs: number,
  firstMs: number,
): DigestPeriod {
  if (last === undefined || last.toMs > toMs) return { fromMs: Math.min(firstMs, toMs), toMs };
  return { fromMs: last.toMs === toMs ? last.fromMs : last.toMs, toMs };
}
