/**
 * What is remembered of probed accounts over restarts: fields as last seen, open changes, rates, handles. Kept in the store's notes, many
 * accounts a note. Those are written late; what a probe saw for the first time, and a change it opened, stands in a note of its own before
 * anything is read for it: after a crash, the same probe may show no change, because another one made up for it or nothing was known before.
 * What reads did to a change follows there within seconds.
 */
import type { Clock } from "../../model/clock.ts";
import { unitHash } from "../../model/hash.ts";
import { createInTurn, untilDone } from "../../model/in-turn.ts";
import type { Json } from "../../model/json.ts";
import type { Notes } from "../../model/store.ts";
import type { ProbeMemory } from "./pending-changes.ts";
import { countedOf, countRun, type GroupCount, type GroupCounted, type GroupTaken } from "../../plan/rates/group-count.ts";
import { expectedRate, type RateMemory } from "../../plan/rates/rates.ts";

export interface AccountMemory {
  readonly probe: ProbeMemory;
  /** Of a timeline: posts. Of a list: reads that its counter asked for. */
  readonly rate: RateMemory;
  /** When its known posts of the last half day were posted; service time. Of a timeline. */
  readonly postedMs?: readonly number[];
  /** As the last profile gave it; queries name accounts by it. "" where none was seen. */
  readonly handle: string;
  /** When it was last probed or searched for; our clock. */
  readonly checkedAtMs: number;
  /** When it was last searched for, to the end of the answer; of an account with unreliable counters. */
  readonly searchedAtMs?: number;
  /** Of a list: requests of the last read of the whole of it. */
  readonly pages?: number;
  /** Of a list: for whom it was last read to its end. */
  readonly readFor?: number;
}

/**
 * - `nothing`: only times moved on; written at an orderly stop.
 * - `later`: a crash would cost another read, and no post.
 * - `soon`: what a read did to a change; a crash would have all reads of that change made again. A few times a minute at most.
 * - `now`: what a probe saw; written with the next `flush`.
 */
export type WorthWriting = "nothing" | "later" | "soon" | "now";

/** What a read showed: a crash must not have thousands of first reads made again, nor all reads of a change that is accounted for. */
export function worthOfRead(before: ProbeMemory, after: ProbeMemory): WorthWriting {
  if (before.open?.sinceMs === 0) return "now";
  return before.open !== after.open || before.ahead !== after.ahead ? "soon" : "later";
}

/** Timelines under the id of their account, lists under the key of their poll. */
export interface ProbeStates {
  /** Reads the notes once; asked before every run. */
  load(): Promise<void>;
  get(key: string): AccountMemory | undefined;
  put(key: string, memory: AccountMemory, worth: WorthWriting): void;
  /** Forgets what nobody watches any more. */
  keepOnly(keys: ReadonlySet<string>): void;
  /** What a run of a group just took; undefined: it is slowed down, which is no measure. */
  count(groupKey: string, taken: GroupTaken | undefined): void;
  /** What `learnedRate` says of an account or a list. */
  rateOf(key: string): number | undefined;
  /** Of a group of so many accounts; undefined where none of that size ran. */
  countOf(groupKey: string, members: number): GroupCounted | undefined;
  /** Writes what cannot wait, and the rest at most every five minutes. Asked between a probe and the reads for it, and after them. */
  flush(): Promise<void>;
  /** Writes all that is new: nothing more comes. */
  close(): Promise<void>;
}

const NOTES = 64;
const COUNTS_NOTE = "probes.counts";
/** Accounts as they are, of those that changed since their own note was written. */
const RECENT_NOTE = "probes.recent";
/** With more of them, all that is new is written where it belongs. */
const MOST_RECENT = 200;
/** A group that was not probed for so long is gone, or another one now. */
const KEEP_COUNT_MS = 7 * 86_400_000;
const FLUSH_EVERY_MS = 300_000;
/** Where changes are many, the next one writes down the reads of those before it. */
const SOON_EVERY_MS = 20_000;

export const createProbeStates = (notes: Notes, clock: Clock): ProbeStates => new StoredProbeState(notes, clock);

class StoredProbeState implements ProbeStates {
  readonly #notes: Notes;
  readonly #clock: Clock;
  readonly #inTurn = createInTurn();
  readonly #accounts = new Map<string, AccountMemory>();
  readonly #counts = new Map<string, GroupCount>();
  /** Numbers of notes to be written. */
  readonly #dirty = new Set<number>();
  /** Notes of accounts of which only times moved on. */
  readonly #moved = new Set<number>();
  /** Accounts that stand in the note of recent ones until their own note is written. */
  readonly #recent = new Set<string>();
  #isRecentWritten = true;
  #hasReads = false;
  #readsWrittenAtMs = Number.NEGATIVE_INFINITY;
  #flushedAtMs: number;
  readonly load = untilDone(() => this.#loadAll());

  constructor(notes: Notes, clock: Clock) {
    this.#notes = notes;
    this.#clock = clock;
    this.#flushedAtMs = clock.monotonic();
  }

  get(key: string): AccountMemory | undefined {
    return this.#accounts.get(key);
  }

  put(key: string, memory: AccountMemory, worth: WorthWriting): void {
    this.#accounts.set(key, memory);
    if (worth === "nothing") this.#moved.add(noteOf(key));
    if (worth === "later") this.#dirty.add(noteOf(key));
    if (worth === "nothing" || worth === "later") return;
    this.#markRecent(key);
    if (worth === "now") this.#isRecentWritten = false;
    else this.#hasReads = true;
  }

  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#accounts.keys()) {
      if (keys.has(key)) continue;
      this.#accounts.delete(key);
      this.#dirty.add(noteOf(key));
    }
  }

  count(key: string, taken: GroupTaken | undefined): void {
    if (taken === undefined) this.#counts.delete(key);
    else this.#counts.set(key, countRun(this.#counts.get(key), taken, this.#clock.now()));
  }

  rateOf(key: string): number | undefined {
    return learnedRate(this.#accounts.get(key), this.#clock.now());
  }

  countOf(key: string, members: number): GroupCounted | undefined {
    return countedOf(this.#counts.get(key), members);
  }

  flush(): Promise<void> {
    return this.#inTurn(() => this.#writeDue());
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      for (const number of this.#moved) this.#dirty.add(number);
      if (this.#dirty.size > 0) await this.#writeAll();
    });
  }

  async #loadAll(): Promise<void> {
    const stored = new Map<string, AccountMemory>();
    for (const name of [...Array.from({ length: NOTES }, (_, number) => nameOf(number)), RECENT_NOTE]) {
      const note = (await this.#notes.readNote(name)) as Readonly<Record<string, AccountMemory>> | null;
      for (const [key, memory] of Object.entries(note ?? {})) stored.set(key, memory);
      if (name === RECENT_NOTE) for (const key of Object.keys(note ?? {})) this.#markRecent(key);
    }
    for (const [key, memory] of stored) if (!this.#accounts.has(key)) this.#accounts.set(key, memory);
    const counted = (await this.#notes.readNote(COUNTS_NOTE)) as Readonly<Record<string, Partial<GroupCount>>> | null;
    for (const [key, count] of Object.entries(counted ?? {}))
      if (!this.#counts.has(key) && isGroupCount(count)) this.#counts.set(key, count);
  }

  #markRecent(key: string): void {
    this.#recent.add(key);
    this.#dirty.add(noteOf(key));
  }

  async #writeDue(): Promise<void> {
    const nowMs = this.#clock.monotonic();
    const isDue = nowMs - this.#flushedAtMs >= FLUSH_EVERY_MS || this.#recent.size > MOST_RECENT;
    const areReadsDue = this.#hasReads && nowMs - this.#readsWrittenAtMs >= SOON_EVERY_MS;
    if (areReadsDue) this.#readsWrittenAtMs = nowMs;
    if (isDue && this.#dirty.size > 0) await this.#writeAll();
    else if (!this.#isRecentWritten || areReadsDue) await this.#writeRecent();
  }

  async #writeRecent(): Promise<void> {
    [this.#isRecentWritten, this.#hasReads] = [true, false];
    const content = [...this.#recent].flatMap((key) => {
      const memory = this.#accounts.get(key);
      return memory === undefined ? [] : [[key, memory] as const];
    });
    await this.#notes.writeNote(RECENT_NOTE, Object.fromEntries(content) as unknown as Json).catch((error: unknown) => {
      this.#isRecentWritten = false;
      throw error;
    });
  }

  async #writeAll(): Promise<void> {
    this.#flushedAtMs = this.#clock.monotonic();
    const written = [...this.#recent];
    await this.#writeAccounts();
    if (written.length > 0) await this.#writeRecent();
    for (const [key, { counts: count }] of this.#counts)
      if (this.#clock.now() - count.probes.sinceMs > KEEP_COUNT_MS) this.#counts.delete(key);
    if (this.#counts.size > 0) await this.#notes.writeNote(COUNTS_NOTE, Object.fromEntries(this.#counts) as unknown as Json);
  }

  async #writeAccounts(): Promise<void> {
    const [numbers, recent] = [[...this.#dirty], [...this.#recent]];
    const contents = new Map<number, Record<string, AccountMemory>>(numbers.map((number) => [number, {}]));
    for (const [key, memory] of this.#accounts) {
      const note = contents.get(noteOf(key));
      if (note !== undefined) note[key] = memory;
    }
    // What is put meanwhile is new again.
    this.#dirty.clear();
    this.#recent.clear();
    try {
      for (const [number, content] of contents) await this.#notes.writeNote(nameOf(number), content as unknown as Json);
    } catch (error) {
      for (const number of numbers) this.#dirty.add(number);
      for (const key of recent) this.#recent.add(key);
      throw error;
    }
  }
}

/** Posts or reads a day; undefined where nothing was learned. */
export const learnedRate = (memory: AccountMemory | undefined, nowMs: number): number | undefined =>
  memory === undefined || memory.rate.days === 0 ? undefined : expectedRate(memory.rate, nowMs);

/** An older release counted without saying how a group was read. */
const isGroupCount = (stored: Partial<GroupCount>): stored is GroupCount => stored.strategy !== undefined;

const noteOf = (key: string): number => Math.floor(unitHash(key) * NOTES);
const nameOf = (number: number): string => `probes.${number}`;
