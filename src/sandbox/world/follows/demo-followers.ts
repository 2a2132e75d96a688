/** Who follows the first stars of a demo, one every few seconds: indexed, so that both ways of watching see them; every other one with a large following. */
import { crowdPerson, crowdRank, CROWD_FROM, CROWD_SIZE } from "../people/crowd.ts";
import { demoFollowTimes, type Pace } from "../chance/demo-pace.ts";
import { hash32 } from "../chance/dice.ts";
import type { PeopleDirectory } from "../people/people-directory.ts";

const FOLLOWED = 2;
/** Numbers of the crowd each slot may look through, so that no two slots find the same person. */
const STRIDE = 487;

export interface DemoFollowerOptions {
  readonly seed: number;
  readonly startMs: number;
  readonly pace: Pace;
}

export type DemoFollowers = ReturnType<typeof createDemoFollowers>;

/** Those who came up to `nowMs`, earliest first; nobody where there is no demo. */
export function createDemoFollowers(people: Pick<PeopleDirectory, "account">, { seed, startMs, pace }: DemoFollowerOptions) {
  const known = new Map<number, number[]>();

  function followerOf(key: number, slot: number): number {
    const before = people.account(key)?.followersBefore ?? 0;
    for (let attempt = 0; ; attempt += 1) {
      const person = CROWD_FROM + ((hash32(seed, "demo-follower", key) + slot * STRIDE + attempt) % CROWD_SIZE);
      const { indexed, followersCount } = crowdPerson(seed, person);
      const isWanted = indexed && (slot % 2 === 1 || followersCount >= 10_000);
      if (isWanted && crowdRank(key, person) > before + 100_000) return person;
    }
  }

  return (key: number, nowMs: number): readonly { readonly key: number; readonly atMs: number }[] => {
    if (pace !== "demo" || key >= FOLLOWED) return [];
    const keys = known.get(key) ?? [];
    known.set(key, keys);
    return demoFollowTimes(startMs, nowMs).map((atMs, slot) => ({ key: (keys[slot] ??= followerOf(key, slot)), atMs }));
  };
}
