/**
 * Communities and lists, and their members, who join and leave over time. A group's members are
 * read by positions that never shift, so that reading several pages finds every member who stays.
 * The position of an account that is not a member at the moment is empty.
 */
import { type Community, COMMUNITIES, LISTS, type PublicList } from "./communities.ts";
import { hash32 } from "../chance/dice.ts";
import { createListFollowers } from "./list-followers.ts";
import { canTie, tieAt, type ToggleOptions } from "../chance/toggle.ts";

/**
 * The number of accounts that are members of every group at all times, because examples rely on
 * them.
 */
const LOYAL = 5;
/**
 * Only accounts below this position can be members of a generated list, because a list holds at
 * most 5,000 members (docs/service.md section 1).
 */
const LIST_REACH = 10_000;
const RESTLESS_SHARE = 0.3;

export interface Group {
  readonly id: string;
  /** The share of all accounts that are members at any moment. */
  readonly share: number;
  /**
   * The user keys of the members of a group that was recorded or made by hand; absent for generated
   * groups.
   */
  readonly members?: readonly number[];
}

export interface GroupsOptions {
  readonly seed: number;
  /** The number of accounts that the world had at its start. */
  readonly count: number;
  readonly startMs: number;
}

interface Change {
  readonly atMs: number;
  readonly isIn: boolean;
}

/** The cached facts about the members of a group. */
interface Roll {
  readonly toggle: ToggleOptions;
  /** Accounts with this key or a higher one are members only if they were added by hand. */
  readonly reach: number;
  /**
   * The accounts that are members at some time, by position. New accounts are only added at the
   * end.
   */
  readonly keys: number[];
  readonly members?: ReadonlySet<number>;
  readonly changes: Map<number, Change>;
}

export type Groups = ReturnType<typeof createGroups>;

/** Creates the groups of one world. */
export function createGroups({ seed, count, startMs }: GroupsOptions) {
  const communities = new Map<string, Community & Group>(
    count === 0 ? [] : COMMUNITIES.map((each) => [each.id, each]),
  );
  const lists = new Map<string, PublicList & Group>(
    count === 0 ? [] : LISTS.map((each) => [each.id, each]),
  );
  const rolls = new Map<string, Roll>();
  const listFollowers = createListFollowers(seed, startMs);
  const toggleOf = ({ id, share }: Group): ToggleOptions => ({
    salt: hash32(seed, "member", id),
    share,
    restless: share * RESTLESS_SHARE,
    zeroMs: startMs,
  });
  const natural = new Map<string, ToggleOptions>(
    COMMUNITIES.map((each) => [each.id, toggleOf(each)]),
  );

  /** Whether an account is a member of a generated community. Changes by hand are ignored. */
  function belongsByNature({ id }: Community, key: number, nowMs: number): boolean {
    return key < LOYAL || tieAt(natural.get(id) as ToggleOptions, key, 0, nowMs).isOn;
  }

  function rollOf(group: Group): Roll {
    const known = rolls.get(group.id);
    if (known !== undefined) return known;
    const toggle = toggleOf(group);
    const reach = lists.has(group.id) ? Math.min(count, LIST_REACH) : count;
    const keys = [...(group.members ?? [])];
    if (group.members === undefined)
      for (let key = 0; key < reach; key += 1)
        if (key < LOYAL || canTie(toggle, key, 0)) keys.push(key);
    const roll = {
      toggle,
      reach,
      keys,
      changes: new Map(),
      ...(group.members === undefined ? {} : { members: new Set(group.members) }),
    };
    rolls.set(group.id, roll);
    return roll;
  }

  function isMember(group: Group, key: number, nowMs: number): boolean {
    const { changes, members, reach, toggle } = rollOf(group);
    const change = changes.get(key);
    if (change !== undefined && change.atMs <= nowMs) return change.isIn;
    if (members !== undefined) return members.has(key);
    return key < reach && (key < LOYAL || tieAt(toggle, key, 0, nowMs).isOn);
  }

  /** Returns the user keys of the accounts that are members at this time. */
  const membersOf = (group: Group, nowMs: number): readonly number[] =>
    rollOf(group).keys.filter((key) => isMember(group, key, nowMs));

  /**
   * Makes an account a member, or no member, from `atMs` on. The account no longer joins or leaves
   * by itself.
   */
  function setMember(group: Group, key: number, isIn: boolean, atMs: number): void {
    const { changes, keys } = rollOf(group);
    changes.set(key, { atMs, isIn });
    if (!keys.includes(key)) keys.push(key);
  }

  return {
    communities: (): readonly Community[] => [...communities.values()],
    community: (id: string): (Community & Group) | undefined => communities.get(id),
    lists: (): readonly PublicList[] => [...lists.values()],
    list: (id: string): (PublicList & Group) | undefined => lists.get(id),
    putCommunity: (community: Community & Group): void =>
      void (communities.set(community.id, community), rolls.delete(community.id)),
    /** Changes the texts of a community. Its members stay the same. */
    describeCommunity: (community: Community & Group): void =>
      void communities.set(community.id, community),
    /** Replaces a list. `hasOtherMembers: false` means that the members stay the same. */
    putList(list: PublicList & Group, hasOtherMembers = true): void {
      lists.set(list.id, list);
      if (hasOtherMembers) rolls.delete(list.id);
    },
    /**
     * Returns the user keys at all positions, including accounts that are not members at the
     * moment.
     */
    positions: (group: Group): readonly number[] => rollOf(group).keys,
    isMember,
    belongsByNature,
    membersOf,
    setMember,
    followerPositions: (list: PublicList, nowMs: number): number =>
      listFollowers.positions(list, nowMs),
    followerAt: (list: PublicList, position: number, nowMs: number): number | undefined =>
      listFollowers.at(list, position, nowMs),
  };
}
