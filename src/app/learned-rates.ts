/** How often watched accounts post and their lists move, as the daemons on this state have learned it: what makes a plan's forecast better than a guess. */
import { createProbeBook } from "../engine/probe-book.ts";
import type { Clock } from "../model/clock.ts";
import type { Notes } from "../model/store.ts";

/** Posts a day of an account by its id, looks a day at a list by its poll's key, requests a day of a group; undefined where nothing was learned. */
export type RateOf = (key: string) => number | undefined;

export async function readLearnedRates(notes: Notes, clock: Clock): Promise<RateOf> {
  const book = createProbeBook(notes, clock);
  await book.load();
  return book.rateOf;
}
