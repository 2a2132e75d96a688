/**
 * Separates polls that could be read together from those that are read on their own, and creates
 * the poll of a group from its members. Each kind of group decides what its members must have in
 * common and whether reading them together is worth it. Pure.
 */
import { groupBy } from "../../model/group-by.ts";
import { canonicalJson } from "../../model/hash.ts";
import type { Poll, Pollable, PollGroup } from "../poll.ts";
import { fullPollEveryOf, strategyOf } from "./effective-settings.ts";

export type Members<T extends Pollable> = readonly [Poll<T>, ...Poll<T>[]];

export interface SortedPolls<T extends Pollable> {
  readonly kinds: ReadonlyMap<string, Members<T>>;
  /** Polls that belong to no kind. */
  readonly rest: readonly Poll<T>[];
}

const NO_KIND = "";

/**
 * Sorts polls into groups by `keyOf`. For a poll that can be read together with others, `keyOf`
 * returns the settings that all polls of the group must have in common; for any other poll,
 * undefined. Both results keep the original order.
 */
export function sortByKind<T extends Pollable>(
  polls: readonly Poll<T>[],
  keyOf: (poll: Poll<T>) => string | undefined,
): SortedPolls<T> {
  const kinds = groupBy(polls, (poll) => keyOf(poll) ?? NO_KIND);
  const rest = kinds.get(NO_KIND) ?? [];
  kinds.delete(NO_KIND);
  return { kinds, rest };
}

/**
 * Returns the part of a group's key that contains the settings that all of its polls must have in
 * common. `name` is added to the key of groups that do not read accounts.
 */
export function sharedKey(poll: Poll, ...name: readonly string[]): string {
  const { timing, priority } = poll;
  const rhythm =
    timing.kind === "schedule"
      ? timing.schedules.map((schedule) => canonicalJson({ ...schedule }))
      : { ...timing.freshness };
  return canonicalJson([
    ...name,
    priority,
    strategyOf(poll),
    rhythm,
    fullPollEveryOf(poll) ?? null,
  ]);
}

/**
 * Creates the poll of a group. Its depth is that of the deepest member, and its subscribers are
 * those of all members.
 */
export function joinMembers<T extends Pollable>(
  kind: PollGroup["kind"],
  members: Members<T>,
): Poll<T> & { readonly group: PollGroup<T> } {
  const [first] = members;
  const fullPollEveryMs = fullPollEveryOf(first);
  return {
    ...first,
    maxPages: Math.max(...members.map(({ maxPages }) => maxPages)),
    overlapMs: Math.max(...members.map(({ overlapMs }) => overlapMs)),
    subscribers: members.flatMap(({ subscribers }) => subscribers),
    group: {
      kind,
      members,
      override: strategyOf(first),
      fullPollEveryMs,
    },
  };
}
