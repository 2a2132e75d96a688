/** What is learned of probed accounts: fields as last seen, open changes, rates, handles. */
import type { Clock } from "../../model/clock.ts";
import type { LearnedStore } from "../../model/learned.ts";
import { LearnedValues, type WorthWriting } from "../memory/learned-values.ts";
import type { ProbeMemory } from "./pending-changes.ts";
import { expectedRate, type RateMemory } from "../../plan/rates/rates.ts";

export interface AccountMemory {
  readonly probe: ProbeMemory;
  /** Of a timeline: posts. Of a list: reads that its counter asked for. */
  readonly rate: RateMemory;
  /** As the last profile gave it; queries name accounts by it. "" where none was seen. */
  readonly handle: string;
  /** When it was last probed or searched for; our clock. */
  readonly checkedAtMs: number;
  /**
   * When it was last searched for, to the end of the answer; of an account with unreliable
   * counters.
   */
  readonly searchedAtMs?: number;
  /** Of a list: requests of the last read of the whole of it. */
  readonly pages?: number;
  /** Of a list: for whom it was last read to its end. */
  readonly readFor?: number;
}

/**
 * What a read showed: a crash must not have thousands of first reads made again, nor all reads of a
 * change that is accounted for.
 */
export function worthOfRead(before: ProbeMemory, after: ProbeMemory): WorthWriting {
  if (before.open?.sinceMs === 0) return "now";
  return before.open !== after.open || before.ahead !== after.ahead ? "now" : "later";
}

/** Timelines under the id of their account, lists under the key of their poll. */
export type ProbeStates = LearnedValues<AccountMemory>;

/** Older releases remembered the dates of posts. */
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

/** Posts or reads a day; undefined where nothing was learned. */
export const learnedRate = (
  memory: AccountMemory | undefined,
  nowMs: number,
): number | undefined =>
  memory === undefined || memory.rate.days === 0 ? undefined : expectedRate(memory.rate, nowMs);
