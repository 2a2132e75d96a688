/**
 * Polls that could be read together, separated from those that stay by themselves. Owns what a group takes over from its members; what they
 * must have in common, and whether reading them together is worth it, each kind of group decides. Pure.
 */
import { canonicalJson } from "../../model/hash.ts";
import type { Poll, Pollable } from "../poll.ts";
import { fullPollEveryOf, strategyOf } from "./effective-settings.ts";

export type Members<T extends Pollable> = readonly [Poll<T>, ...Poll<T>[]];

export interface SortedPolls<T extends Pollable> {
  readonly kinds: ReadonlyMap<string, Members<T>>;
  /** Those of no kind. */
  readonly rest: readonly Poll<T>[];
}

/** `keyOf`: what polls must have in common; undefined for one that shares its requests with nobody. Both keep the order they came in. */
export function sortByKind<T extends Pollable>(polls: readonly Poll<T>[], keyOf: (poll: Poll<T>) => string | undefined): SortedPolls<T> {
  const kinds = new Map<string, [Poll<T>, ...Poll<T>[]]>();
  const rest: Poll<T>[] = [];
  for (const poll of polls) {
    const kind = keyOf(poll);
    const known = kind === undefined ? undefined : kinds.get(kind);
    if (kind === undefined) rest.push(poll);
    else if (known === undefined) kinds.set(kind, [poll]);
    else known.push(poll);
  }
  return { kinds, rest };
}

/** What the polls of a group have in common whatever they read, and the `name` of those that are not accounts: what it is called decides its key. */
export function sharedKey(poll: Poll, ...name: readonly string[]): string {
  const { timing, priority } = poll;
  const rhythm = timing.kind === "schedule" ? timing.schedules.map((schedule) => canonicalJson({ ...schedule })) : { ...timing.freshness };
  return canonicalJson([...name, priority, strategyOf(poll), rhythm, fullPollEveryOf(poll) ?? null]);
}

/** As deep as the deepest of them, and for all whom they serve. */
export const joinMembers = <T extends Pollable>(members: Members<T>): Pick<Poll<T>, "maxPages" | "overlapMs" | "subscribers"> => ({
  maxPages: Math.max(...members.map(({ maxPages }) => maxPages)),
  overlapMs: Math.max(...members.map(({ overlapMs }) => overlapMs)),
  subscribers: members.flatMap(({ subscribers }) => subscribers),
});
