/** How often watched accounts post, as the daemons on this state have learned it: what makes a plan's forecast better than a guess. */
import { createProbeBook } from "../engine/probe-book.ts";
import type { Clock } from "../model/clock.ts";
import type { Notes } from "../model/store.ts";
import { baseRate } from "../plan/rates.ts";

/** Posts a day of an account by its id; undefined where nothing was learned. */
export type RateOf = (userId: string) => number | undefined;

export async function readLearnedRates(notes: Notes, clock: Clock): Promise<RateOf> {
  const book = createProbeBook(notes, clock);
  await book.load();
  return (userId) => {
    const rate = book.get(userId)?.rate;
    return rate === undefined || rate.days === 0 ? undefined : baseRate(rate, clock.now());
  };
}
