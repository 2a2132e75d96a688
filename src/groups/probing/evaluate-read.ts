/**
 * Evaluates what a read of an account means for its probes, its rate, and the pace of its group.
 * Pure.
 */
import { firstRate, learnPosts } from "../../plan/rates/rates.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import { afterFirstRead, afterRead, type ReadResult, SEARCH_LAG_MS } from "./pending-changes.ts";
import type { AccountMemory } from "./probe-states.ts";

/** A completed read. */
export interface AccountRead extends Pick<ReadResult, "endpoint" | "isFull"> {
  /** The `overlap` of the account's poll. */
  readonly overlapMs: number;
  /** Undefined if the search showed nothing of this account. */
  readonly outcome: PollOutcome | undefined;
  /** Whether not even the newest known post was shown. */
  readonly isSuspicious: boolean;
}

/** The start of the run to which the read belongs, and the time of its end, in our clock. */
export interface ReadTimes {
  readonly startedAtMs: number;
  readonly nowMs: number;
  /** Converts a time of our clock to the service's clock. */
  readonly toService: (localMs: number) => number;
}

export interface ReadEvaluation {
  readonly account: AccountMemory;
  /**
   * When the posts that the read found were posted, in our clock, without those of a first read.
   */
  readonly postedMs: readonly number[];
  /**
   * How long after it was posted each of the posts was found. Posts whose delay does not depend on
   * how often accounts are probed are left out.
   */
  readonly delaysMs: readonly number[];
}

/**
 * If a post is this much older than the last probe, the counters in that probe should have included
 * it.
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
  // These times are in our clock, which also decides which accounts are requested next.
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
    // If the run also probed the account, the time of the probe is kept, because the search was
    // made at nearly the same time.
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
  // Posts from before this time were counted before the change. If only such posts are found, the
  // counter changed for another post, which is not visible yet.
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
 * Returns the wall time after which the delay of an account's posts depends on the pace. It is
 * earlier by the search's lag, because the search may not have shown the newest posts at the last
 * read.
 */
const pacedSinceMs = ({
  probe,
  checkedAtMs,
}: Pick<AccountMemory, "probe" | "checkedAtMs">): number =>
  (probe.open?.calmMs ?? checkedAtMs) - SEARCH_LAG_MS;
