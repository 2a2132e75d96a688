/**
 * The stored memories of feeds with a `freshness` setting: how much is posted in them, and the pace
 * of their reads.
 */
import type { Clock } from "../../model/clock.ts";
import type { LearnedStore } from "../../model/learned.ts";
import type { FeedPace } from "./feed-pace.ts";
import { LearnedValues } from "../memory/learned-values.ts";

export interface FeedEntry {
  readonly feed: FeedPace;
  /** The start of the last complete read, in epoch ms of the local clock. */
  readonly readAtMs: number;
}

/** The memories of feeds, under the keys of polls and of groups of searches. */
export type FeedStates = LearnedValues<FeedEntry>;

const WRITE_EVERY_MS = 60_000;
/** A feed that was not read for this long is forgotten, because no watch uses it any more. */
const KEEP_MS = 30 * 86_400_000;

export function createFeedStates(store: LearnedStore, clock: Clock): FeedStates {
  const restore = (stored: unknown): FeedEntry | undefined => {
    const { feed, readAtMs } = stored as FeedEntry;
    return clock.now() - readAtMs >= KEEP_MS ? undefined : { feed, readAtMs };
  };
  return new LearnedValues<FeedEntry>({
    scope: "feeds",
    store,
    clock,
    writeEveryMs: WRITE_EVERY_MS,
    restore,
  });
}
