/**
 * Members of groups under freshness in the spare slots of requests for profiles that others send:
 * probes that cost nothing. Owns who gets a place, and which group has to check at once what an
 * answer showed. The requests are the profile batcher's; what a profile means is the group's.
 */
import { chooseProbe } from "../probing/probe-choice.ts";
import { type GroupMember, membersOf } from "../memory/group-members.ts";
import type { Waiting } from "./pacing/turns.ts";
import type { PiggybackedAccounts, SeenProfile } from "../../requests/profile-batcher.ts";
import type { Poll } from "../../polling/watch-poll.ts";

export interface FreePlacesDeps {
  /**
   * Members of a group that were probed before; none of one that is slowed down, or has not run
   * yet.
   */
  readonly waitingOf: (group: Poll) => readonly Waiting[];
  /** Takes what was seen of a member; whether it has to be read for that. */
  readonly take: (member: GroupMember, seen: SeenProfile) => boolean;
  /** The group is to run now. */
  readonly wake: (groupKey: string) => void;
}

export interface FreePlaces extends PiggybackedAccounts {
  /** Called with every plan: whose members take spare slots. */
  keepOnly(groups: readonly Poll[]): void;
  /**
   * A group runs: whom it wants to ask for, it asks for and takes itself. Whether members of it
   * were seen by others since its last run.
   */
  begin(groupKey: string): boolean;
  end(groupKey: string): void;
}

/** Who was seen so short a time ago has hardly moved since. */
const LEAST_AGE_MS = 5_000;

export function createSpareSlots({ waitingOf, take, wake }: FreePlacesDeps): FreePlaces {
  let groups: readonly Poll[] = [];
  /** By user id: a timeline is read by one group for all who watch it. */
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
    choose(places, asked) {
      const others = groups.filter(({ key }) => !running.has(key));
      const candidates = others
        .flatMap(waitingOf)
        .filter(({ id, ageMs }) => ageMs >= LEAST_AGE_MS && !asked.has(id));
      return chooseProbe(candidates, Number.POSITIVE_INFINITY, places).map(({ id }) => id);
    },
    take(seen) {
      const moved = new Set<string>();
      for (const [id, profile] of seen) {
        const owner = owners.get(id);
        if (owner === undefined || running.has(owner.group.key)) continue;
        helped.add(owner.group.key);
        if (take(owner.member, profile)) moved.add(owner.group.key);
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
