/**
 * What is remembered over restarts of feeds that freshness has read: how much is posted in them, the pace of their reads, how often they
 * were read. Kept in the store's notes, many feeds a note, written late: what a crash loses of it is learned again.
 */
import type { Clock } from "../../model/clock.ts";
import { unitHash } from "../../model/hash.ts";
import { createInTurn, untilDone } from "../../model/in-turn.ts";
import type { Json } from "../../model/json.ts";
import type { Notes } from "../../model/store.ts";
import { type FeedPace, shareKey } from "./feed-pace.ts";
import { countRequests, type RequestCount } from "../../plan/rates/request-count.ts";

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
export interface FeedStates {
  /** Reads the notes once; asked before every run. */
  load(): Promise<void>;
  get(key: string): FeedEntry | undefined;
  /** A read was made; `rhythm` undefined: it is slowed down, which is no measure. */
  put(key: string, entry: Omit<FeedEntry, "count">, rhythm: FeedRhythm | undefined): void;
  /** Reads a day as a share of even ones, by the `shareKey` of a poll; undefined until a whole day was counted. */
  rateOf(key: string): number | undefined;
  /** Writes what is new, at most once a minute. */
  flush(): Promise<void>;
  /** Writes all that is new: nothing more comes. */
  close(): Promise<void>;
}

const NOTES = 16;
const DAY_MS = 86_400_000;
const FLUSH_EVERY_MS = 60_000;
/** A feed that was not read for so long is watched by nobody. */
const KEEP_MS = 30 * DAY_MS;

export function createFeedStates(notes: Notes, clock: Clock): FeedStates {
  const entries = new Map<string, FeedEntry>();
  const shares = new Map<string, string>();
  const dirty = new Set<number>();
  const inTurn = createInTurn();
  let flushedAtMs = clock.monotonic();

  const enter = (key: string, entry: FeedEntry) => {
    entries.set(key, entry);
    shares.set(shareKey(key), key);
  };

  const loadAll = async (): Promise<void> => {
    for (let number = 0; number < NOTES; number += 1) {
      const note = (await notes.readNote(nameOf(number))) as Readonly<Record<string, FeedEntry>> | null;
      for (const [key, entry] of Object.entries(note ?? {})) if (!entries.has(key)) enter(key, entry);
    }
  };

  const writeAll = async (): Promise<void> => {
    flushedAtMs = clock.monotonic();
    for (const number of [...dirty]) {
      dirty.delete(number);
      const own = [...entries].filter(([key, { readAtMs }]) => noteOf(key) === number && clock.now() - readAtMs < KEEP_MS);
      await notes.writeNote(nameOf(number), Object.fromEntries(own) as unknown as Json).catch((error: unknown) => {
        dirty.add(number);
        throw error;
      });
    }
  };

  return {
    load: untilDone(loadAll),
    get: (key) => entries.get(key),
    put(key, entry, rhythm) {
      if (rhythm === undefined) enter(key, entry);
      else {
        const share = rhythm.evenMs / DAY_MS;
        const count = countRequests(entries.get(key)?.count, share, clock.now(), { intervalMs: rhythm.longestMs });
        enter(key, { ...entry, count });
      }
      dirty.add(noteOf(key));
    },
    rateOf: (key) => entries.get(shares.get(key) ?? "")?.count?.counted?.perDay,
    flush: () => (dirty.size === 0 || clock.monotonic() - flushedAtMs < FLUSH_EVERY_MS ? Promise.resolve() : inTurn(writeAll)),
    close: () => inTurn(writeAll),
  };
}

const noteOf = (key: string): number => Math.floor(unitHash(key) * NOTES);
const nameOf = (number: number): string => `feeds.${number}`;
