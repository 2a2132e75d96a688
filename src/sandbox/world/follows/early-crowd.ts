/**
 * The followers that an account had before the world's first day. They are users of the crowd, and
 * some of them leave every day. They are computed from their rank, and never held in memory.
 */
import { crowdFollower } from "../people/crowd.ts";
import { createDaily, DAY_MS } from "../chance/daily.ts";
import { hash32 } from "../chance/dice.ts";
import type { PeopleDirectory } from "../people/people-directory.ts";

/** The share of an account's early followers who unfollow per day. */
const CHURN_PER_DAY = 0.0005;

export interface EarlyCrowdOptions {
  readonly seed: number;
  readonly firstDayMs: number;
}

interface Shuffle {
  readonly step: number;
  readonly shift: number;
}

export type EarlyCrowd = ReturnType<typeof createEarlyCrowd>;

/** Creates the early followers of all accounts of a world. Rank 0 is the oldest follower. */
export function createEarlyCrowd(
  people: Pick<PeopleDirectory, "account">,
  { seed, firstDayMs }: EarlyCrowdOptions,
) {
  const shuffles = new Map<number, Shuffle>();
  const size = (key: number): number => people.account(key)?.followersBefore ?? 0;
  const departures = createDaily({
    salt: hash32(seed, "departures"),
    firstDay: Math.floor(firstDayMs / DAY_MS),
    perDay: (key) => size(key) * CHURN_PER_DAY,
  });

  function shuffleOf(key: number): Shuffle {
    const known = shuffles.get(key);
    if (known !== undefined) return known;
    const shuffle = {
      step: coprimeStep(size(key)),
      shift: hash32(seed, "leaves", key) % size(key),
    };
    shuffles.set(key, shuffle);
    return shuffle;
  }

  /**
   * Whether the early follower with this rank still follows the account. The early followers leave
   * in a fixed, shuffled order.
   */
  function isThere(key: number, rank: number, nowMs: number): boolean {
    const { step, shift } = shuffleOf(key);
    return (rank * step + shift) % size(key) >= departures.count(key, nowMs);
  }

  return {
    size,
    isThere,
    /** Returns how many early followers still follow the account. */
    count: (key: number, nowMs: number): number =>
      Math.max(0, size(key) - departures.count(key, nowMs)),
    follower: (key: number, rank: number): number => crowdFollower(key, rank),
    /** Returns when the early follower with this rank began to follow (epoch ms). */
    followMs: (key: number, rank: number): number =>
      firstDayMs -
      Math.floor(
        ((size(key) - rank) * DAY_MS) / Math.max(0.01, people.account(key)?.followersPerDay ?? 0),
      ),
  };
}

/**
 * Returns a step that has no common divisor with `size`. Adding it repeatedly modulo `size` visits
 * every number below `size` before any number repeats.
 */
function coprimeStep(size: number): number {
  for (let step = Math.floor(size * 0.618) + 1; ; step += 1) if (gcd(step, size) === 1) return step;
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
