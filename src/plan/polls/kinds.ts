/**
 * Polls that could be read together, separated from those that stay by themselves. Owns what a
 * group takes over from its members; what they must have in common, and whether reading them
 * together is worth it, each kind of group decides. Pure.
 */
import { groupBy } from "../../model/group-by.ts";
import { canonicalJson } from "../../model/hash.ts";
import type { Poll, Pollable, PollGroup } from "../poll.ts";
import { fullPollEveryOf, strategyOf } from "./effective-settings.ts";

export type Members<T extends Pollable> = readonly [Poll<T>, ...Poll<T>[]];

export interface SortedPolls<T extends Pollable> {
  readonly kinds: ReadonlyMap<string, Members<T>>;
  /** Those of no kind. */
  readonly rest: readonly Poll<T>[];
}

const NO_KIND = "";

/**
 * `keyOf`: what polls must have in common; undefined for one that shares its requests with nobody.
 * Both keep the order they came in.
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
 * What the polls of a group have in common whatever they read, and the `name` of those that are not
 * accounts: what it is called decides its key.
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

/** What stands for them is as deep as the deepest of them, and for all whom they serve. */
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
