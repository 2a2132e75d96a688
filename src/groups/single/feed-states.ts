/** What is learned of feeds that freshness has read: how much is posted in them, the pace of their reads, how often they were read. */
import type { Clock } from "../../model/clock.ts";
import type { LearnedStore } from "../../model/learned.ts";
import { type FeedPace, shareKey } from "./feed-pace.ts";
import { countRequests, type RequestCount } from "../../plan/rates/request-count.ts";
import { LearnedValues } from "../memory/learned-values.ts";

export interface FeedEntry {
  readonly feed: FeedPace;
  /** Start of the last read that came to its end; our clock. */
  readonly readAtMs: number;
  /** Reads, as shares of even ones. */
  readonly count?: RequestCount;
}

/** How far apart even reads would be, and reads are at most. */
export interface FeedRhythm {
  readonly evenMs: number;
  readonly longestMs: number;
}

/** Under the keys of polls, and of groups of searches. */
export interface FeedStates extends Pick<LearnedValues<FeedEntry>, "load" | "get" | "flush" | "close"> {
  /** A read was made; `rhythm` undefined: it is slowed down, which is no measure. */
  put(key: string, entry: Omit<FeedEntry, "count">, rhythm: FeedRhythm | undefined): void;
  /** Reads a day as a share of even ones, by the `shareKey` of a poll; undefined until a whole day was counted. */
  rateOf(key: string): number | undefined;
}

const DAY_MS = 86_400_000;
const WRITE_EVERY_MS = 60_000;
/** A feed that was not read for so long is watched by nobody. */
const KEEP_MS = 30 * DAY_MS;

export function createFeedStates(store: LearnedStore, clock: Clock): FeedStates {
  /** Keys by what polls of the same source share. */
  const shares = new Map<string, string>();
  const restore = (stored: unknown, key: string): FeedEntry | undefined => {
    const entry = stored as FeedEntry;
    if (clock.now() - entry.readAtMs >= KEEP_MS) return undefined;
    shares.set(shareKey(key), key);
    return entry;
  };
  const entries = new LearnedValues<FeedEntry>({ scope: "feeds", store, clock, writeEveryMs: WRITE_EVERY_MS, restore });
  const enter = (key: string, entry: FeedEntry): void => {
    entries.put(key, entry);
    shares.set(shareKey(key), key);
  };
  return {
    load: entries.load,
    get: (key) => entries.get(key),
    put(key, entry, rhythm) {
      if (rhythm === undefined) return enter(key, entry);
      const share = rhythm.evenMs / DAY_MS;
      const count = countRequests(entries.get(key)?.count, share, clock.now(), { intervalMs: rhythm.longestMs });
      enter(key, { ...entry, count });
    },
    rateOf: (key) => entries.get(shares.get(key) ?? "")?.count?.counted?.perDay,
    flush: () => entries.flush(),
    close: () => entries.close(),
  };
}
