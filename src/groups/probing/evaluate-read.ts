/**
 * Evaluates a read of one account of a group: how the read changes the account's probe state and
 * its learned posting rate, and which delays the group's pace learns from. Pure.
 */
import { firstRate, learnPosts } from "../../plan/rates/rates.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import { afterFirstRead, afterRead, type ReadResult, SEARCH_LAG_MS } from "./pending-changes.ts";
import type { AccountMemory } from "./probe-states.ts";

/** A completed read. */
export interface AccountRead extends Pick<ReadResult, "endpoint" | "isFull"> {
  /** The `overlap` of the account's poll. */
  readonly overlapMs: number;
  /**
   * What the read found; undefined if a search for several accounts returned no post of this one.
   */
  readonly outcome: PollOutcome | undefined;
  /** Whether the answer lacked even the newest known post, so that it is not reliable. */
  readonly isSuspicious: boolean;
}

/**
 * The time at which the run began that made this read, and the time at which the read ended, in
 * epoch ms of the local clock.
 */
export interface ReadTimes {
  readonly startedAtMs: number;
  readonly nowMs: number;
  /** Converts a time of the local clock to the service's clock. */
  readonly toService: (localMs: number) => number;
}

export interface ReadEvaluation {
  readonly account: AccountMemory;
  /**
   * When the found posts were posted, in epoch ms of the local clock. Empty for the first read of
   * an account.
   */
  readonly postedMs: readonly number[];
  /**
   * The time from each post until it was found, in ms. Posts whose delay does not depend on how
   * often accounts are probed are left out.
   */
  readonly delaysMs: readonly number[];
}

/**
 * A counter shows a post at most this long after it was posted. A post that is older than this at a
 * probe must be included in the counter.
 */
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
  // These times are converted to the local clock, because rates and ages of accounts are computed
  // in that clock.
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
    // If the run has probed the account, `checkedAtMs` is already the time of the probe. It is
    // kept, because the search is sent at nearly the same time.
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
  // Posts from before this time were counted before the pending change. If the read finds only such
  // posts, the change was caused by another post, which is not visible yet.
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
 * Returns the time (epoch ms) from which on the delay of a post depends on how often accounts are
 * probed. The search shows posts late, so the last read may have missed the newest ones. The
 * returned time is therefore earlier than the last read by the search's lag.
 */
const pacedSinceMs = ({
  probe,
  checkedAtMs,
}: Pick<AccountMemory, "probe" | "checkedAtMs">): number =>
  (probe.open?.calmMs ?? checkedAtMs) - SEARCH_LAG_MS;
