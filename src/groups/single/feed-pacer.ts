/** How a feed of tweets is paced, and what its pacer is given after a read. Each timing has a pacer of its own. */
import type { Poll } from "../../polling/watch-poll.ts";
import type { RateMemory } from "../../plan/rates/rates.ts";
import type { Pacer } from "../kind/pacer.ts";

/** A read of a feed, or of several as one. */
export interface FeedRead {
  /** Our clock. */
  readonly startedAtMs: number;
  /** When tweets that were not there before were posted; service time. */
  readonly postedMs: readonly number[];
  /** How much is posted, by what it showed, where nothing is known yet. */
  readonly firstRate: (serviceMs: number) => RateMemory;
  /** It came to its end, and what it did not show is not there. */
  readonly isWhole: boolean;
}

export interface FeedPacer extends Pacer {
  /** The shortest and the longest time between two reads. */
  readonly leastMs: number;
  readonly mostMs: number;
  /** When the next read is worth its request, wall time; undefined: at the next tick. */
  after(read: FeedRead): Promise<number | undefined>;
}

/** The pacer of a poll, or of a group of searches. */
export type FeedPacers = (poll: Poll) => FeedPacer;
