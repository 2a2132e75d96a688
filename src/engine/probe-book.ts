/**
 * What is remembered of probed accounts over restarts: fields as last seen, open changes, rates, handles. Kept in the store's notes, many
 * accounts a note. Writing late is safe: what a probe saw after the last write, it sees again as a change.
 */
import type { Clock } from "../model/clock.ts";
import { unitHash } from "../model/hash.ts";
import type { Json } from "../model/json.ts";
import type { Notes } from "../model/store.ts";
import type { ProbeMemory } from "../plan/discharge.ts";
import type { RateMemory } from "../plan/rates.ts";

export interface AccountMemory {
  readonly probe: ProbeMemory;
  readonly rate: RateMemory;
  /** As the last profile gave it; queries name accounts by it. "" where none was seen. */
  readonly handle: string;
  /** When it was last probed or searched for; our clock. */
  readonly checkedAtMs: number;
}

export interface ProbeBook {
  /** Reads the notes once; asked before every run. */
  load(): Promise<void>;
  get(userId: string): AccountMemory | undefined;
  /** `isWorthWriting` false: only times moved on. */
  put(userId: string, memory: AccountMemory, isWorthWriting: boolean): void;
  /** Forgets accounts that nobody watches any more. */
  keepOnly(userIds: ReadonlySet<string>): void;
  /** Writes what is new, at most once a minute. */
  flush(): Promise<void>;
}

const NOTES = 64;
const FLUSH_EVERY_MS = 60_000;

export function createProbeBook(notes: Notes, clock: Clock): ProbeBook {
  const accounts = new Map<string, AccountMemory>();
  const dirty = new Set<number>();
  let loading: Promise<void> | undefined;
  let flushedAtMs = clock.monotonic();

  const loadAll = async (): Promise<void> => {
    for (let number = 0; number < NOTES; number += 1) {
      const note = (await notes.readNote(nameOf(number))) as Readonly<Record<string, AccountMemory>> | null;
      for (const [userId, memory] of Object.entries(note ?? {})) if (!accounts.has(userId)) accounts.set(userId, memory);
    }
  };

  return {
    load() {
      loading ??= loadAll().catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      return loading;
    },
    get: (userId) => accounts.get(userId),
    put(userId, memory, isWorthWriting) {
      accounts.set(userId, memory);
      if (isWorthWriting) dirty.add(noteOf(userId));
    },
    keepOnly(userIds) {
      for (const userId of accounts.keys()) {
        if (userIds.has(userId)) continue;
        accounts.delete(userId);
        dirty.add(noteOf(userId));
      }
    },
    async flush() {
      if (dirty.size === 0 || clock.monotonic() - flushedAtMs < FLUSH_EVERY_MS) return;
      flushedAtMs = clock.monotonic();
      const contents = new Map<number, Record<string, AccountMemory>>([...dirty].map((number) => [number, {}]));
      for (const [userId, memory] of accounts) {
        const note = contents.get(noteOf(userId));
        if (note !== undefined) note[userId] = memory;
      }
      for (const [number, content] of contents) {
        await notes.writeNote(nameOf(number), content as unknown as Json);
        dirty.delete(number);
      }
    },
  };
}

const noteOf = (userId: string): number => Math.floor(unitHash(userId) * NOTES);
const nameOf = (number: number): string => `probes.${number}`;
