/**
 * The stored memories of probed accounts: the fields as last seen, pending changes, posting rates
 * and handles.
 */
import type { Clock } from "../../model/clock.ts";
import type { LearnedStore } from "../../model/learned.ts";
import { LearnedValues, type WorthWriting } from "../memory/learned-values.ts";
import type { ProbeMemory } from "./pending-changes.ts";
import { expectedRate, type RateMemory } from "../../plan/rates/rates.ts";

export interface AccountMemory {
  readonly probe: ProbeMemory;
  /**
   * For a timeline, the rate of posts. For a list, the rate of the reads that changes of its
   * counter caused.
   */
  readonly rate: RateMemory;
  /** The handle in the last profile, which search queries use; "" if no profile was seen yet. */
  readonly handle: string;
  /** When the account was last probed or searched for, in epoch ms of the local clock. */
  readonly checkedAtMs: number;
  /**
   * For an account with unreliable counters: when a search for it was last read to the end of its
   * answer (epoch ms).
   */
  readonly searchedAtMs?: number;
  /** For a list: the number of requests of its last complete read. */
  readonly pages?: number | undefined;
  /**
   * For a list: a number computed from the subscribers for which the list was last read to its end.
   * A different number means that there are other subscribers now.
   */
  readonly readFor?: number;
}

/**
 * Returns when the result of a read must be written. After a crash, thousands of first reads and
 * reads of explained changes must not be repeated.
 */
export function worthOfRead(before: ProbeMemory, after: ProbeMemory): WorthWriting {
  if (before.open?.sinceMs === 0) return "now";
  return before.open !== after.open || before.ahead !== after.ahead ? "now" : "later";
}

/**
 * The memories of accounts. The key is the account's id for a timeline, and the poll's key for a
 * list.
 */
export type ProbeStates = LearnedValues<AccountMemory>;

/** Removes the dates of posts, which older releases stored. */
const restore = (stored: unknown): AccountMemory => {
  const { postedMs: _, ...account } = stored as AccountMemory & { postedMs?: unknown };
  return account;
};

const WRITE_EVERY_MS = 300_000;

export const createProbeStates = (store: LearnedStore, clock: Clock): ProbeStates =>
  new LearnedValues<AccountMemory>({
    store,
    clock,
    writeEveryMs: WRITE_EVERY_MS,
    scope: "accounts",
    restore,
  });

/** Returns the learned posts or reads per day; undefined if nothing was learned yet. */
export const learnedRate = (
  memory: AccountMemory | undefined,
  nowMs: number,
): number | undefined =>
  memory === undefined || memory.rate.days === 0 ? undefined : expectedRate(memory.rate, nowMs);
