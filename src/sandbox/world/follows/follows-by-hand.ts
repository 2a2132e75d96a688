/**
 * Follows that were added, removed or recorded. For these pairs of accounts, the generated follows
 * are ignored.
 */
import type { Follow } from "./follow.ts";

interface ByHand {
  readonly entries: Follow[];
  readonly keys: Set<number>;
  readonly left: Set<number>;
}

const NONE: readonly Follow[] = [];

/** Creates the empty set of these follows for one world. */
export function createFollowsByHand() {
  const byTarget = new Map<number, ByHand>();
  const byFollower = new Map<number, Follow[]>();

  function ofTarget(target: number): ByHand {
    const known = byTarget.get(target);
    if (known !== undefined) return known;
    const hand: ByHand = { entries: [], keys: new Set(), left: new Set() };
    byTarget.set(target, hand);
    return hand;
  }

  function add(target: number, follower: number, atMs: number): void {
    const { entries, keys } = ofTarget(target);
    entries.push({ key: follower, atMs });
    keys.add(follower);
    const followed = byFollower.get(follower);
    if (followed === undefined) byFollower.set(follower, [{ key: target, atMs }]);
    else followed.push({ key: target, atMs });
  }

  return {
    add,
    remove: (target: number, follower: number): void => void ofTarget(target).left.add(follower),
    /** Undoes a removal, so that the account can follow again. */
    bringBack: (target: number, follower: number): boolean =>
      ofTarget(target).left.delete(follower),
    has: (target: number, follower: number): boolean =>
      byTarget.get(target)?.keys.has(follower) === true,
    isLeft: (target: number, follower: number): boolean =>
      byTarget.get(target)?.left.has(follower) === true,
    /** Returns the followers that were added, in the order in which they were added. */
    followers: (target: number): readonly Follow[] => byTarget.get(target)?.entries ?? NONE,
    followings: (follower: number): readonly Follow[] => byFollower.get(follower) ?? NONE,
    left: (target: number): readonly number[] => [...(byTarget.get(target)?.left ?? [])],
  };
}
