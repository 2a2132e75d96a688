/**
 * A digest: many alerts as one list. It is a group of deliveries like any other, whose key says that it goes out as a list: whoever makes
 * deliveries gives them this key, and the outbox does the rest.
 */

/** `throttle`: more than its limit came at once. `return`: they came while their watch was away. `backfill`: an operator asked for the past. `schedule`: a digest is written for them. */
export type DigestCause = "throttle" | "return" | "backfill" | "schedule";

/** A digest of thousands becomes several, one after the other. */
export interface DigestSeries {
  /** It goes on with the one before. */
  readonly isContinued: boolean;
  /** So many alerts are left for the next. */
  readonly left: number;
}

const CAUSES: readonly string[] = ["throttle", "return", "backfill", "schedule"] satisfies readonly DigestCause[];

/** What the keys of digests begin with, and no other group's key. */
export const DIGEST_PREFIX = "digest\n";

/** The `groupKey` of deliveries that go out as one digest. `name` distinguishes the digests of one cause and sink: a throttle's key, a watch, a sink or route. */
export const digestGroup = (cause: DigestCause, name: string): string => `${DIGEST_PREFIX}${cause}\n${name}`;

/** The `groupKey` of messages that say that alerts of a throttle are gathered. */
export const announcementGroup = (throttleKey: string): string => `announcement\n${throttleKey}`;

/** Undefined for every other group. */
export function readDigestGroup(groupKey: string): { readonly cause: DigestCause; readonly name: string } | undefined {
  if (!groupKey.startsWith(DIGEST_PREFIX)) return undefined;
  const [cause = "", ...name] = groupKey.slice(DIGEST_PREFIX.length).split("\n");
  return CAUSES.includes(cause) ? { cause: cause as DigestCause, name: name.join("\n") } : undefined;
}
