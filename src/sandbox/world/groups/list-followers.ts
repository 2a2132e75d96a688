/**
 * The followers of a list, who are users of the crowd. New ones come every day, and some of those
 * from before the first day leave.
 */
import type { PublicList } from "./communities.ts";
import { crowdFollower } from "../people/crowd.ts";
import { createDaily, DAY_MS } from "../chance/daily.ts";
import { hash32, mix } from "../chance/dice.ts";

/** An offset, so that lists do not have the same followers as accounts. */
const LIST_CROWD = 70_001;

/** Creates the followers of all lists of one world. */
export function createListFollowers(seed: number, startMs: number) {
  const firstDay = Math.floor(startMs / DAY_MS);
  const arrivals = createDaily({ salt: hash32(seed, "list-arrivals"), firstDay, perDay: () => 3 });
  const departures = createDaily({
    salt: hash32(seed, "list-departures"),
    firstDay,
    perDay: () => 1,
  });
  return {
    positions: (list: PublicList, nowMs: number): number =>
      list.followerKeys?.length ?? list.followers + arrivals.count(crowdOf(list), nowMs),
    /**
     * Returns the follower at a position, counted from the oldest; undefined if the position is
     * empty.
     */
    at(list: PublicList, position: number, nowMs: number): number | undefined {
      if (list.followerKeys !== undefined) return list.followerKeys[position];
      const who = crowdOf(list);
      const isLeft = departures.count(who, nowMs) > leavingOrder(list, position);
      return isLeft ? undefined : crowdFollower(who, position);
    },
  };
}

const crowdOf = (list: PublicList): number => LIST_CROWD + (hash32(list.id) % 10_000);

/**
 * Returns when a follower from before the first day leaves, as a place in a fixed, shuffled order;
 * Infinity for later followers, who never leave.
 */
const leavingOrder = (list: PublicList, position: number): number =>
  position >= list.followers
    ? Number.POSITIVE_INFINITY
    : (position * 7 + (mix(hash32(list.id), 0) % list.followers)) % list.followers;
