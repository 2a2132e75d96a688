/**
 * What is remembered of probed accounts over restarts: fields as last seen, open changes, rates, handles. Kept in the store's notes, many
 * accounts a note. Writing late is safe: what a probe saw after the last write, it sees again as a change.
 */
import type { Clock } from "../model/clock.ts";
import { unitHash } from "../model/hash.ts";
import type { Json } from "../model/json.ts";
import type { Notes } from "../model/store.ts";
import type { ProbeMemory } from "../plan/discharge.ts";

import { baseRate, type RateMemory } from "../plan/rates.ts";
import { countRequests, type RequestCount } from "../plan/request-count.ts";

export interface AccountMemory {
  readonly probe: ProbeMemory;
  /** Of a timeline: posts. Of a list: looks that its counter asked for. */
  readonly rate: RateMemory;
  /** As the last profile gave it; queries name accounts by it. "" where none was seen. */
  readonly handle: string;
  /** When it was last probed or searched for; our clock. */
  readonly checkedAtMs: number;
  /** When it was last searched for, to the end of the answer; of an account whose counters tell nothing. */
  readonly searchedAtMs?: number;
  /** Of a list: requests of the last read of the whole of it. */
  readonly pages?: number;
  /** Of a list: for whom it was last read to its end. */
  readonly readFor?: number;
}

/** Timelines under the id of their account, lists under the key of their poll. */
export interface ProbeBook {
  /** Reads the notes once; asked before every run. */
  load(): Promise<void>;
  get(key: string): AccountMemory | undefined;
  /** `isWorthWriting` false: only times moved on. */
  put(key: string, memory: AccountMemory, isWorthWriting: boolean): void;
  /** Forgets what nobody watches any more. */
  keepOnly(keys: ReadonlySet<string>): void;
  /** What a run of a group just took; `isPaced` false: it is slowed down, which is no measure. */
  count(countKey: string, requests: number, isPaced: boolean): void;
  /** What `learnedRate` says of an account or a list, or the requests a day of a group under a `countKey`; undefined where nothing was learned. */
  rateOf(key: string): number | undefined;
  /** Writes what is new, at most once a minute. */
  flush(): Promise<void>;
}

const NOTES = 64;
const COUNTS_NOTE = "probes.counts";
/** A group that was not probed for so long is gone, or another one now. */
const KEEP_COUNT_MS = 7 * 86_400_000;
const FLUSH_EVERY_MS = 60_000;

export function createProbeBook(notes: Notes, clock: Clock): ProbeBook {
  const accounts = new Map<string, AccountMemory>();
  const dirty = new Set<number>();
  const counts = new Map<string, RequestCount>();
  let loading: Promise<void> | undefined;
  let flushedAtMs = clock.monotonic();

  const loadAll = async (): Promise<void> => {
    for (let number = 0; number < NOTES; number += 1) {
      const note = (await notes.readNote(nameOf(number))) as Readonly<Record<string, AccountMemory>> | null;
      for (const [key, memory] of Object.entries(note ?? {})) if (!accounts.has(key)) accounts.set(key, memory);
    }
    const counted = (await notes.readNote(COUNTS_NOTE)) as Readonly<Record<string, RequestCount>> | null;
    for (const [key, count] of Object.entries(counted ?? {})) if (!counts.has(key)) counts.set(key, count);
  };

  return {
    load() {
      loading ??= loadAll().catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      return loading;
    },
    get: (key) => accounts.get(key),
    put(key, memory, isWorthWriting) {
      accounts.set(key, memory);
      if (isWorthWriting) dirty.add(noteOf(key));
    },
    keepOnly(keys) {
      for (const key of accounts.keys()) {
        if (keys.has(key)) continue;
        accounts.delete(key);
        dirty.add(noteOf(key));
      }
    },
    count(key, requests, isPaced) {
      if (isPaced) counts.set(key, countRequests(counts.get(key), requests, clock.now()));
      else counts.delete(key);
    },
    rateOf: (key) => counts.get(key)?.perDay ?? learnedRate(accounts.get(key), clock.now()),
    async flush() {
      if (dirty.size === 0 || clock.monotonic() - flushedAtMs < FLUSH_EVERY_MS) return;
      flushedAtMs = clock.monotonic();
      const contents = new Map<number, Record<string, AccountMemory>>([...dirty].map((number) => [number, {}]));
      for (const [key, memory] of accounts) {
        const note = contents.get(noteOf(key));
        if (note !== undefined) note[key] = memory;
      }
      for (const [number, content] of contents) {
        await notes.writeNote(nameOf(number), content as unknown as Json);
        dirty.delete(number);
      }
      for (const [key, { sinceMs }] of counts) if (clock.now() - sinceMs > KEEP_COUNT_MS) counts.delete(key);
      if (counts.size > 0) await notes.writeNote(COUNTS_NOTE, Object.fromEntries(counts) as unknown as Json);
    },
  };
}

/** Posts or looks a day; undefined where nothing was learned. */
export const learnedRate = (memory: AccountMemory | undefined, nowMs: number): number | undefined =>
  memory === undefined || memory.rate.days === 0 ? undefined : baseRate(memory.rate, nowMs);

const noteOf = (key: string): number => Math.floor(unitHash(key) * NOTES);
const nameOf = (number: number): string => `probes.${number}`;
