/**
 * Adds members of groups that have a `freshness` setting to profile requests of other callers that
 * have spare slots, so that these members are probed at no cost. Chooses the members, and makes a
 * group run if a profile shows a change. The profile batcher makes the requests; the group
 * evaluates the profiles.
 */
import { chooseProbe } from "../probing/probe-choice.ts";
import { type GroupMember, membersOf } from "../memory/group-members.ts";
import type { Waiting } from "./pacing/turns.ts";
import type { PiggybackedAccounts, SeenProfile } from "../../requests/profile-batcher.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface SpareSlotsDeps {
  /**
   * Returns the members of a group that were probed before. Returns none for a group that is slowed
   * down or has not run yet.
   */
  readonly waitingOf: (group: Poll) => readonly Waiting[];
  /**
   * Applies the profile of a member to its memory. Returns whether the profile has changed, so that
   * the member must be read.
   */
  readonly apply: (member: GroupMember, seen: SeenProfile) => boolean;
  /** Makes the group run now. */
  readonly wake: (groupKey: string) => void;
}

export interface SpareSlots extends PiggybackedAccounts {
  /** Sets the groups whose members may fill spare slots. Called after every plan. */
  keepOnly(groups: readonly Poll[]): void;
  /**
   * Marks a group as running. A running group requests its members' profiles itself, so its members
   * fill no spare slots during the run. Returns whether requests of other callers have shown
   * members since the group's last run.
   */
  begin(groupKey: string): boolean;
  end(groupKey: string): void;
}

/**
 * A member may get a spare slot once its last check is older than this. A profile hardly changes
 * within a shorter time.
 */
const MIN_AGE_MS = 5_000;

export function createSpareSlots({ waitingOf, apply, wake }: SpareSlotsDeps): SpareSlots {
  let groups: readonly Poll[] = [];
  /**
   * The group that reads an account, by user id. An account has only one group, which reads its
   * timeline for all watches.
   */
  let owners: ReadonlyMap<string, Owner> = new Map();
  const running = new Set<string>();
  const helped = new Set<string>();

  return {
    keepOnly(all) {
      groups = all;
      owners = new Map(
        groups.flatMap((group) =>
          membersOf(group).map((member) => [member.userId, { group, member }] as const),
        ),
      );
    },
    choose(slots, asked) {
      const others = groups.filter(({ key }) => !running.has(key));
      const candidates = others
        .flatMap(waitingOf)
        .filter(({ id, ageMs }) => ageMs >= MIN_AGE_MS && !asked.has(id));
      return chooseProbe(candidates, Number.POSITIVE_INFINITY, slots).map(({ id }) => id);
    },
    receive(seen) {
      const moved = new Set<string>();
      for (const [id, profile] of seen) {
        const owner = owners.get(id);
        if (owner === undefined || running.has(owner.group.key)) continue;
        helped.add(owner.group.key);
        if (apply(owner.member, profile)) moved.add(owner.group.key);
      }
      for (const key of moved) wake(key);
    },
    begin(groupKey) {
      running.add(groupKey);
      return helped.delete(groupKey);
    },
    end: (groupKey) => void running.delete(groupKey),
  };
}

interface Owner {
  readonly group: Poll;
  readonly member: GroupMember;
}
