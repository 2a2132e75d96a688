/**
 * Random events that happen to an account several times per day on average: how many have happened
 * until now, and when. The result depends only on the seed, the account and the time; results are
 * cached.
 */
import { diceFrom, mix, poisson } from "./dice.ts";

export const DAY_MS = 86_400_000;

export interface DailyOptions {
  /**
   * A hash of the seed and the kind of event, so that different kinds happen at different times.
   */
  readonly salt: number;
  /** The first day, in days since the epoch. No event happens before it. */
  readonly firstDay: number;
  /** Returns the average number of events per day for an account. */
  perDay(who: number): number;
}

interface Memory {
  /** The day up to which `before` counts the events, not including this day. */
  day: number;
  before: number;
  times: readonly number[];
}

export type Daily = ReturnType<typeof createDaily>;

/** Creates the events of one kind for all accounts. */
export function createDaily({ salt, firstDay, perDay }: DailyOptions) {
  const memories = new Map<number, Memory>();

  /** Returns the times of the events on a day, in epoch ms, earliest first. */
  function timesOn(who: number, day: number): readonly number[] {
    const mean = perDay(who);
    if (mean <= 0) return [];
    const dice = diceFrom(mix(salt, who, day));
    const count = poisson(dice, mean);
    return Array.from({ length: count }, () => day * DAY_MS + Math.floor(dice() * DAY_MS)).sort(
      (a, b) => a - b,
    );
  }

  function memoryAt(who: number, day: number): Memory {
    const known = memories.get(who);
    if (known?.day === day) return known;
    const memory =
      known !== undefined && known.day < day
        ? known
        : { day: firstDay, before: 0, times: timesOn(who, firstDay) };
    while (memory.day < day) {
      memory.before += memory.times.length;
      memory.day += 1;
      memory.times = timesOn(who, memory.day);
    }
    memories.set(who, memory);
    return memory;
  }

  /** Returns how many events have happened up to and including `nowMs`. */
  function count(who: number, nowMs: number): number {
    const day = Math.floor(nowMs / DAY_MS);
    if (day < firstDay) return 0;
    const memory = memoryAt(who, day);
    return memory.before + countUpTo(memory.times, nowMs);
  }

  return { firstDay, timesOn, count };
}

/** Returns how many of these sorted times are not later than `atMs`. */
function countUpTo(times: readonly number[], atMs: number): number {
  let count = 0;
  while (count < times.length && (times[count] as number) <= atMs) count += 1;
  return count;
}
