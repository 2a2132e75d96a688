/**
 * Finds 95 of 100 posts of a group within the configured delay. A post that is found within the
 * delay is on time, and finding it earlier has no value. Accounts that post enough (busy accounts)
 * are therefore requested once per delay, and all others only after the longest allowed wait. Each
 * round of requests reads the changed accounts with shared searches. An account counts as busy
 * after a recent post, and as quiet after a silence. Pure; the memory is plain data.
 */
import { BATCH_SIZE } from "../../../model/batch.ts";
import { passedMs } from "../../../model/clock.ts";
import { longestWaitMs, type P95 } from "../../../plan/delay-aims.ts";
import { expectedRate, UNPROMPTED } from "../../../plan/rates/rates.ts";
import { sum } from "../../../plan/sum.ts";
import type { Candidate } from "../../probing/probe-choice.ts";
import type { LearnedPace, PaceQuery, ProbeAlgorithm, Rounds, TurnQuery } from "./group-pace.ts";
import { NOBODYS_TURN } from "./turns.ts";

const DAY_MS = 86_400_000;
/**
 * The share of posts that may be found late. It is a little less than 5%, because the number of
 * late posts varies from day to day.
 */
const LATE_SHARE = 0.045;
/** About how many ms after a probe the search that follows it returns the posts. */
const FOUND_AFTER_MS = 2_000;
/** The shortest time between two rounds, as a share of the configured delay. */
const MIN_SHARE = 0.8;
/** How strongly one found post changes the learned correction of `busyRate`. */
const STEP = 0.02;
/** The correction of `busyRate` is at least 1 / MAX_CORRECTION and at most MAX_CORRECTION. */
const MAX_CORRECTION = 4;

export const probesForP95 = (freshness: P95): ProbeAlgorithm => ({
  choose: (query) => ({
    ...NOBODYS_TURN,
    all: chooseRound(query.waiting, roundOf(query, freshness)).map(({ member }) => member),
  }),
  waitMs(query) {
    const round = roundOf(query, freshness);
    return Math.max(
      untilRound(query.memory.rounds, round.everyMs, query.nowMs),
      waitForDue(query.waiting, round),
    );
  },
  after: (query) => roundsAfter(query, freshness),
  // Counts rounds. A round may take several probe requests.
  runsPerDay: (accounts) => DAY_MS / roundEveryMs(freshness, accounts),
});

function roundOf({ waiting, memory, factor }: TurnQuery, freshness: P95): RoundQuery {
  const { busyRate = 0, rounds } = memory;
  const everyMs = roundEveryMs(freshness, waiting.length) * factor;
  return {
    busyRate: busyRate * (rounds?.correction ?? 1),
    everyMs,
    maxMs: longestWaitMs(freshness) * factor,
  };
}

/**
 * Returns what a run teaches about the rounds. A run shortly after a round does not count as a
 * round, because hardly any account is due in it.
 */
function roundsAfter(query: PaceQuery, freshness: P95): LearnedPace {
  const { waiting, memory, factor, delaysMs, hasProbed, startedAtMs, nowMs, isPaced } = query;
  const { correction = 1, roundAtMs = startedAtMs } = memory.rounds ?? {};
  const everyMs = roundEveryMs(freshness, waiting.length) * factor;
  const isRound = hasProbed && untilRound(memory.rounds, everyMs, startedAtMs) < everyMs / 2;
  const rates = () => waiting.map(({ account }) => expectedRate(account.rate, nowMs));
  return {
    rounds: {
      correction: isPaced ? learnLate(correction, delaysMs, freshness) : correction,
      roundAtMs: isRound ? startedAtMs : roundAtMs,
    },
    busyRate:
      isRound || memory.busyRate === undefined ? busyRate(rates(), freshness) : memory.busyRate,
  };
}

const untilRound = (rounds: Rounds | undefined, everyMs: number, nowMs: number): number =>
  everyMs - passedMs(rounds?.roundAtMs ?? 0, nowMs);

/**
 * Returns the time between two rounds in ms. If one probe request can hold all accounts, every
 * round requests all of them, and only the interval determines how many posts are late.
 */
export function roundEveryMs({ p95Ms }: P95, accounts: number): number {
  const foundInTimeMs = Math.max(p95Ms - FOUND_AFTER_MS, MIN_SHARE * p95Ms);
  return accounts <= BATCH_SIZE ? foundInTimeMs / (1 - LATE_SHARE) : foundInTimeMs;
}

/**
 * Returns the posting rate, in posts per day, at which an account counts as busy and is requested
 * in every round. It is chosen so that the quieter accounts together have as many late posts as are
 * allowed. `rates` are the average rates of the accounts. The result is compared with the current
 * rate of an account, which is half of its average in quiet hours and much more than the average
 * after a post.
 */
export function busyRate(rates: readonly number[], freshness: P95): number {
  if (rates.length <= BATCH_SIZE) return 0;
  const mayBeLate = LATE_SHARE * sum(rates, (rate) => rate);
  const lateOfQuiet = 1 - freshness.p95Ms / longestWaitMs(freshness);
  let late = 0;
  for (const rate of [...rates].sort((a, b) => a - b)) {
    late += rate * lateOfQuiet;
    if (late > mayBeLate) return rate * UNPROMPTED;
  }
  return 0;
}

export interface RoundQuery {
  /** The posting rate, in posts per day, at which an account is requested in every round. */
  readonly busyRate: number;
  readonly everyMs: number;
  /** The longest time that any account waits for its next request. */
  readonly maxMs: number;
}

/**
 * Returns the accounts that a round requests: the busy ones and those whose wait would become too
 * long. Free places in the last probe request are filled with the accounts that are expected to
 * have posted most.
 */
export function chooseRound<C extends Candidate>(
  candidates: readonly C[],
  { busyRate, everyMs, maxMs }: RoundQuery,
): readonly C[] {
  const isDue = ({ rate, ageMs }: C): boolean =>
    ageMs > maxMs - everyMs / 2 || (rate >= busyRate && ageMs > everyMs / 2);
  const [due, others]: [C[], C[]] = [[], []];
  for (const one of candidates) (isDue(one) ? due : others).push(one);
  const places = Math.ceil(due.length / BATCH_SIZE) * BATCH_SIZE - due.length;
  const posted = ({ rate, ageMs }: C): number => rate * ageMs;
  return [...due, ...others.sort((a, b) => posted(b) - posted(a)).slice(0, places)];
}

/**
 * About how many ms a probe takes. The age of an account is counted from the answer, but the
 * interval between rounds from the start of a round.
 */
const ANSWERED_MS = 250;

/**
 * Returns how many ms it takes until at least one account is due. It may be long, if other groups
 * have requested all accounts since the last round.
 */
function waitForDue(
  candidates: readonly Candidate[],
  { busyRate, everyMs, maxMs }: RoundQuery,
): number {
  const [busyMs, quietMs] = [everyMs - ANSWERED_MS, maxMs - everyMs / 2 + 1];
  return candidates.reduce(
    (least, { rate, ageMs }) => Math.min(least, (rate >= busyRate ? busyMs : quietMs) - ageMs),
    quietMs,
  );
}

/**
 * Returns the correction after posts were found with these delays (ms). The caller leaves out
 * delays that do not depend on the rounds.
 */
export function learnLate(correction: number, delaysMs: readonly number[], { p95Ms }: P95): number {
  const late = delaysMs.filter((delayMs) => delayMs > p95Ms).length;
  const moved = correction * Math.exp(STEP * (LATE_SHARE * delaysMs.length - late));
  return Math.min(Math.max(moved, 1 / MAX_CORRECTION), MAX_CORRECTION);
}
