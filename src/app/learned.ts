/** What the daemons on this state have learned of how much is posted and asked: what makes a plan's forecast better than a guess. */
import { createChangeBook } from "../engine/change-book.ts";
import { createFeedBook } from "../engine/feed-book.ts";
import { learnedIn } from "../engine/runners.ts";
import { createProbeBook } from "../engine/probe-book.ts";
import type { Clock } from "../model/clock.ts";
import type { Notes } from "../model/store.ts";
import type { Learned } from "../plan/learned.ts";

export async function readLearned(notes: Notes, clock: Clock): Promise<Learned> {
  const [book, feeds, changes] = [createProbeBook(notes, clock), createFeedBook(notes, clock), createChangeBook(notes, clock)];
  await Promise.all([book, feeds, changes].map((one) => one.load()));
  return learnedIn(book, feeds, changes);
}
