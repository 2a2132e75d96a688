/** How often watched accounts post and their lists move, as the daemons on this state have learned it: what makes a plan's forecast better than a guess. */
import { createFeedBook } from "../engine/feed-book.ts";
import { createProbeBook } from "../engine/probe-book.ts";
import type { Clock } from "../model/clock.ts";
import type { Notes } from "../model/store.ts";

/** Posts a day of an account by its id, looks a day at a list by its poll's key, requests a day of a group, reads of a feed as a share of even ones; undefined where nothing was learned. */
export type RateOf = (key: string) => number | undefined;

export async function readLearnedRates(notes: Notes, clock: Clock): Promise<RateOf> {
  const [book, feeds] = [createProbeBook(notes, clock), createFeedBook(notes, clock)];
  await Promise.all([book.load(), feeds.load()]);
  return (key) => feeds.rateOf(key) ?? book.rateOf(key);
}
