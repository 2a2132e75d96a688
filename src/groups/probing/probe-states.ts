/**
 * The stored memories of probed accounts: the fields as last seen, pending changes, rates and
 * handles.
 */
import type { Clock } from "../../model/clock.ts";
import type { LearnedStore } from "../../model/learned.ts";
import { LearnedValues, type WorthWriting } from "../memory/learned-values.ts";
import type { ProbeMemory } from "./pending-changes.ts";
import { expectedRate, type RateMemory } from "../../plan/rates/rates.ts";

export interface AccountMemory {
  readonly probe: ProbeMemory;
  /** For a timeline, the rate of posts. For a list, the rate of reads that its counter caused. */
  readonly rate: RateMemory;
  /** The handle in the last profile, which queries use; "" if no profile was seen. */
  readonly handle: string;
  /** When the account was last probed or searched for, in epoch ms of the local clock. */
  readonly checkedAtMs: number;
  /**
   * For an account with unreliable counters: when it was last searched for, to the end of the
   * answer.
   */
  readonly searchedAtMs?: number;
  /** For a list: the number of requests of its last complete read. */
  readonly pages?: number | undefined;
  /** For a list: a number that stands for the subscribers for whom it was last read to its end. */
  readonly readFor?: number;
}

/**
 * Returns when the result of a read must be written. A crash must not repeat thousands of first
 * reads, nor all reads of a change that is accounted for.
 */
export function worthOfRead(before: ProbeMemory, after: ProbeMemory): WorthWriting {
  if (before.open?.sinceMs === 0) return "now";
  return before.open !== after.open || before.ahead !== after.ahead ? "now" : "later";
}

/** The memories: timelines under the id of their account, lists under the key of their poll. */
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

/** Returns the posts or reads per day; undefined if nothing was learned. */
export const learnedRate = (
  memory: AccountMemory | undefined,
  nowMs: number,
): number | undefined =>
  memory === undefined || memory.rate.days === 0 ? undefined : expectedRate(memory.rate, nowMs);
