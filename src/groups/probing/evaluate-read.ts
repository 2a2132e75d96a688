/** What a read of an account means for its probes, its rate, and the pace of its group. Pure. */
import { firstRate, learnPosts } from "../../plan/rates/rates.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import { afterFirstRead, afterRead, type ReadResult, SEARCH_LAG_MS } from "./pending-changes.ts";
import type { AccountMemory } from "./probe-states.ts";

/** A read that came to its end. */
export interface AccountRead extends Pick<ReadResult, "endpoint" | "isFull"> {
  /** Of its poll. */
  readonly overlapMs: number;
  /** Undefined: the search showed nothing of this account. */
  readonly outcome: PollOutcome | undefined;
  /** Not even the newest post that is known was shown. */
  readonly isSuspicious: boolean;
}

/** The run that the read belongs to, and the moment of its end; our clock. */
export interface ReadTimes {
  readonly startedAtMs: number;
  readonly nowMs: number;
  /** Our time as the service's. */
  readonly toService: (localMs: number) => number;
}

export interface ReadEvaluation {
  readonly account: AccountMemory;
  /** When posts were posted, without those of a first read; our clock. */
  readonly postedMs: readonly number[];
  /** How long after that they were found, as far as it depends on how often is probed. */
  readonly delaysMs: readonly number[];
}

/** A post this much older than the last probe should have been in its counters. */
const COUNTER_LAG_MS = 900_000;

export function evaluateRead(
  before: AccountMemory,
  read: AccountRead,
  times: ReadTimes,
): ReadEvaluation {
  const { nowMs } = times;
  const serviceMs = times.toService(nowMs);
  const postedMs = read.outcome?.postedMs ?? [];
  const isFirst = (read.outcome?.baselined.length ?? 0) > 0;
  const result = isFirst
    ? { ...resultOf(before, read, times), newBeforeProbe: 0, newPosts: 0 }
    : resultOf(before, read, times);
  const probe = afterRead(before.probe, result, nowMs);
  const probedMs = times.toService(before.probe.probedAtMs);
  // Who is asked for next goes by our clock.
  const localMs = postedMs.map((atMs) => atMs - (serviceMs - nowMs));
  const account: AccountMemory = {
    ...before,
    probe: isFirst
      ? afterFirstRead(probe, postedMs.filter((atMs) => atMs > probedMs).length)
      : probe,
    rate: isFirst
      ? firstRate(localMs, nowMs)
      : localMs.length === 0
        ? before.rate
        : learnPosts(before.rate, localMs, nowMs),
    // A search that comes with a probe is hardly older than it.
    checkedAtMs: read.isSuspicious
      ? before.checkedAtMs
      : Math.max(times.startedAtMs, Math.min(before.checkedAtMs, nowMs)),
  };
  if (isFirst) return { account, postedMs: [], delaysMs: [] };
  const sinceMs = times.toService(pacedSinceMs(before));
  return {
    account,
    postedMs: localMs,
    delaysMs: postedMs.filter((atMs) => atMs >= sinceMs).map((atMs) => serviceMs - atMs),
  };
}

function resultOf({ probe }: AccountMemory, read: AccountRead, times: ReadTimes): ReadResult {
  const { endpoint, isFull, isSuspicious, overlapMs, outcome } = read;
  const postedMs = outcome?.postedMs ?? [];
  const probedMs = times.toService(probe.probedAtMs);
  // Older ones were counted before the change: what the counter moved for is another post, which
  // nobody can see yet.
  const promisedMs = times.toService(probe.open?.sinceMs ?? probe.probedAtMs) - overlapMs;
  return {
    endpoint,
    isFull,
    isSuspicious,
    newPosts: postedMs.filter((atMs) => atMs >= promisedMs).length,
    newBeforeProbe: postedMs.filter((atMs) => atMs < probedMs - COUNTER_LAG_MS).length,
  };
}

/**
 * Posts of an account since then are found as late as the pace has it: those that a search lacked
 * at the last read, too. Wall time.
 */
const pacedSinceMs = ({
  probe,
  checkedAtMs,
}: Pick<AccountMemory, "probe" | "checkedAtMs">): number =>
  (probe.open?.calmMs ?? checkedAtMs) - SEARCH_LAG_MS;
