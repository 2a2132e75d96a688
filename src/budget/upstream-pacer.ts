/**
 * Decides when requests may be sent to the data service after it refused or failed. Remembers four
 * things: the pause of a key after a 429, the stop after a refused key or an unpaid bill, the
 * circuit breaker while the whole service is down, and the backoff of each source. Pure: the caller
 * passes the time (monotonic ms), and does the waiting, the requests and the ops alerts.
 */
import {
  addRefusal,
  boundedWaitMs,
  MAX_SERVICE_WAIT_MS,
  type RefusalRow,
  withoutWait,
} from "../model/asked-wait.ts";
import { doubling, backoffAfter } from "../model/backoff.ts";
import type { Retry } from "../model/errors.ts";
import type { Random } from "../model/random.ts";
import type { UpstreamFailure } from "../model/upstream.ts";

/** Whether a request of a source may be sent now. */
export type Admission =
  | { readonly kind: "go" }
  | {
      readonly kind: "wait";
      readonly untilMs: number;
      readonly because: "throttled" | "down" | "backoff";
    }
  | { readonly kind: "stopped"; readonly because: StopReason };

export type StopReason = "billing" | "unauthorized";

/**
 * What to do with a request that failed: try again at a time, give up, or stop everything until
 * somebody acts.
 */
export type FailureAdvice =
  | { readonly kind: "retry"; readonly atMs: number }
  | { readonly kind: "give_up" }
  | { readonly kind: "stop"; readonly because: StopReason };

export type PacerStatus =
  | { readonly kind: "ok" }
  | { readonly kind: "throttled"; readonly untilMs: number }
  /** Every request since `sinceMs` (monotonic ms) has failed. */
  | { readonly kind: "failing"; readonly sinceMs: number }
  | {
      readonly kind: "stopped";
      readonly because: StopReason;
      readonly sinceMs: number;
      readonly probeAtMs: number;
    };

export interface RequestFailure {
  readonly source: string;
  /** The name of the key with which the request was sent. */
  readonly key: string;
  readonly kind: UpstreamFailure;
  /** The error's `retry`. Its `afterMs` is the service's own Retry-After, unchanged. */
  readonly retry: Retry;
  readonly sentAtMs: number;
  readonly nowMs: number;
}

export interface UpstreamPacer {
  /**
   * Returns whether a request of a source may be sent, and why not. While the service is down, one
   * request per wait is admitted as a trial of the service. So call this only for a request that is
   * ready to be sent.
   */
  admit(source: string, nowMs: number): Admission;
  /**
   * Returns when a key may be used again after a 429 (monotonic ms); a time in the past if it may
   * be used now. Other keys are not paused, because each has its own rate limit.
   */
  paysAgainAt(key: string): number;
  /**
   * Records that a request is sent with this key. The first request after a pause tests the key,
   * and other requests wait for its answer.
   */
  sending(key: string, nowMs: number): void;
  succeeded(source: string, key: string, sentAtMs: number): void;
  failed(failure: RequestFailure): FailureAdvice;
  /**
   * Returns true once an hour while stopped. The caller then sends a free request to find out
   * whether the service would answer billed ones.
   */
  claimProbe(nowMs: number): boolean;
  /** Lets polls continue, because the probe succeeded or there is a new key. */
  resume(): void;
  /**
   * Ends all waits, so that the next request is sent without waiting. Called when an operator may
   * have repaired the cause.
   */
  tryAtOnce(nowMs: number): void;
  status(nowMs: number): PacerStatus;
  /**
   * Whether the service counts as down, because several sources have failed in a row. While it is
   * down, one trial at a time is admitted.
   */
  readonly isDown: boolean;
  /** Whether requests wait for the answer to a request that tests a key. */
  readonly isTrying: boolean;
}

const PAUSE_JITTER_MS = 250;
/** The longest time that requests wait for the answer to a request that tests a key. */
const TRIAL_MS = 5_000;
const BACKOFF_CAP_MS = 300_000;
const BACKOFF_STEPS_MS = doubling(1_000, BACKOFF_CAP_MS);
const PROBE_EVERY_MS = 3_600_000;
/**
 * If this many different sources fail in a row, without an answer in between, the service counts as
 * down.
 */
const SOURCES_OF_AN_OUTAGE = 3;

interface Pause extends RefusalRow {
  /**
   * Until when other requests wait for the answer that tests the key; undefined if no test is under
   * way.
   */
  readonly trialUntilMs?: number | undefined;
}

interface PacerState {
  /**
   * The pause of each key since its last 429. A key's pause is removed once the service answers a
   * request with the key.
   */
  readonly pauses: Map<string, Pause>;
  stop: { because: StopReason; sinceMs: number; probeAtMs: number } | undefined;
  failing: { sinceMs: number; readonly sources: Set<string> } | undefined;
  outage: { untilMs: number; trials: number } | undefined;
  readonly backoffs: Map<string, { failures: number; untilMs: number }>;
}

/** The default keys: one key without a name. */
const NAMELESS = [""] as const;

/**
 * Creates the pacer. It stores nothing, because after a restart the first request shows whether the
 * service works. `keys` returns the names of the keys that may be used. Requests wait only while
 * all of these keys are paused.
 */
export function createUpstreamPacer(
  random: Random,
  keys: () => readonly string[] = () => NAMELESS,
): UpstreamPacer {
  const state: PacerState = {
    pauses: new Map(),
    stop: undefined,
    failing: undefined,
    outage: undefined,
    backoffs: new Map(),
  };
  return {
    admit: (source, nowMs) =>
      admit(state, random, { source, pausedUntilMs: pausedUntil(state, keys()) }, nowMs),
    paysAgainAt: (key) => pausedUntil(state, [key]),
    sending(key, nowMs) {
      const pause = state.pauses.get(key);
      if (pause !== undefined) state.pauses.set(key, { ...pause, trialUntilMs: nowMs + TRIAL_MS });
    },
    succeeded(source, key, sentAtMs) {
      endPause(state, key, sentAtMs);
      state.backoffs.delete(source);
      markAnswered(state);
    },
    failed: (failure) => advise(state, random, failure, keys()),
    claimProbe(nowMs) {
      if (state.stop === undefined || nowMs < state.stop.probeAtMs) return false;
      state.stop.probeAtMs = nowMs + PROBE_EVERY_MS;
      return true;
    },
    resume() {
      state.stop = undefined;
    },
    tryAtOnce: (nowMs) => endWaits(state, nowMs),
    status: (nowMs) => statusOf(state, pausedUntil(state, keys()), nowMs),
    get isDown() {
      return state.outage !== undefined;
    },
    get isTrying() {
      return [...state.pauses.values()].some(({ trialUntilMs }) => trialUntilMs !== undefined);
    },
  };
}

/** Returns when the first of these keys may be used again. */
const pausedUntil = ({ pauses }: PacerState, keys: readonly string[]): number =>
  Math.min(...keys.map((key) => untilOf(pauses.get(key))));

const untilOf = (pause: Pause | undefined): number =>
  pause === undefined
    ? Number.NEGATIVE_INFINITY
    : Math.max(pause.untilMs, pause.trialUntilMs ?? Number.NEGATIVE_INFINITY);

/**
 * Ends a pause, because the service answered with something other than a 429. Answers to requests
 * that were sent before the end of the pause are ignored.
 */
function endPause({ pauses }: PacerState, key: string, sentAtMs: number): void {
  if (sentAtMs >= (pauses.get(key)?.untilMs ?? Number.POSITIVE_INFINITY)) pauses.delete(key);
}

interface Asking {
  readonly source: string;
  readonly pausedUntilMs: number;
}

function admit(
  state: PacerState,
  random: Random,
  { source, pausedUntilMs }: Asking,
  nowMs: number,
): Admission {
  if (state.stop !== undefined) return { kind: "stopped", because: state.stop.because };
  if (nowMs < pausedUntilMs) return { kind: "wait", untilMs: pausedUntilMs, because: "throttled" };
  const backoff = state.backoffs.get(source);
  if (backoff !== undefined && nowMs < backoff.untilMs)
    return { kind: "wait", untilMs: backoff.untilMs, because: "backoff" };
  if (state.outage === undefined) return { kind: "go" };
  if (nowMs < state.outage.untilMs)
    return { kind: "wait", untilMs: state.outage.untilMs, because: "down" };
  state.outage.trials += 1;
  state.outage.untilMs = nowMs + backoffMs(state.outage.trials, random);
  return { kind: "go" };
}

function advise(
  state: PacerState,
  random: Random,
  failure: RequestFailure,
  keys: readonly string[],
): FailureAdvice {
  switch (failure.kind) {
    case "rate_limited":
      markAnswered(state);
      pauseKey(state, random, failure);
      return { kind: "retry", atMs: Math.max(pausedUntil(state, keys), failure.nowMs) };
    case "transient":
      endTrial(state, failure.key);
      return { kind: "retry", atMs: backOff(state, random, failure) };
    case "billing":
    case "unauthorized":
      markAnswered(state);
      state.stop ??= {
        because: failure.kind,
        sinceMs: failure.nowMs,
        probeAtMs: failure.nowMs + PROBE_EVERY_MS,
      };
      return { kind: "stop", because: state.stop.because };
    case "bad_request":
    case "forbidden":
    case "not_found":
      endPause(state, failure.key, failure.sentAtMs);
      state.backoffs.delete(failure.source);
      markAnswered(state);
      return { kind: "give_up" };
  }
}

/**
 * Pauses a key. A 429 for a request that was under way when the pause began is the same refusal,
 * not a second one.
 */
function pauseKey(
  { pauses }: PacerState,
  random: Random,
  { key, retry, sentAtMs, nowMs }: RequestFailure,
): void {
  const known = pauses.get(key);
  const askedMs = typeof retry === "object" ? retry.afterMs : undefined;
  const row = addRefusal(known, { askedMs, sentAtMs, nowMs }, MAX_SERVICE_WAIT_MS);
  if (row.count === known?.count)
    return void pauses.set(key, { ...row, trialUntilMs: known.trialUntilMs });
  const untilMs = Math.min(
    row.untilMs + random.float() * PAUSE_JITTER_MS,
    nowMs + MAX_SERVICE_WAIT_MS,
  );
  pauses.set(key, { ...row, untilMs });
}

/**
 * Ends the waits. The counts of refusals are kept, so that waits continue to grow if the next
 * request is refused too. An outage gets one trial.
 */
function endWaits(state: PacerState, nowMs: number): void {
  for (const [key, pause] of state.pauses)
    state.pauses.set(key, { ...withoutWait(pause, nowMs), trialUntilMs: undefined });
  state.backoffs.clear();
  if (state.outage !== undefined) state.outage.untilMs = Math.min(state.outage.untilMs, nowMs);
}

/**
 * Ends a test whose request failed without showing whether the key is still paused, so that the
 * next request tests the key.
 */
function endTrial({ pauses }: PacerState, key: string): void {
  const pause = pauses.get(key);
  if (pause !== undefined) pauses.set(key, { ...pause, trialUntilMs: undefined });
}

function backOff(
  state: PacerState,
  random: Random,
  { source, retry, nowMs }: RequestFailure,
): number {
  const failures = (state.backoffs.get(source)?.failures ?? 0) + 1;
  const askedMs = typeof retry === "object" ? boundedWaitMs(retry.afterMs, MAX_SERVICE_WAIT_MS) : 0;
  const untilMs = nowMs + Math.max(backoffMs(failures, random), askedMs);
  state.backoffs.set(source, { failures, untilMs });
  state.failing ??= { sinceMs: nowMs, sources: new Set() };
  state.failing.sources.add(source);
  if (state.failing.sources.size >= SOURCES_OF_AN_OUTAGE)
    state.outage ??= { untilMs: nowMs + backoffMs(1, random), trials: 1 };
  return Math.max(untilMs, state.outage?.untilMs ?? 0);
}

/**
 * Returns a random wait of 1 to 2 s after the first failure, twice as much after each further one,
 * and at most five minutes.
 */
const backoffMs = (failures: number, random: Random): number =>
  backoffAfter(
    { stepsMs: BACKOFF_STEPS_MS, jitter: { from: 1, to: 2, random }, capMs: BACKOFF_CAP_MS },
    failures,
  );

/**
 * Records that the service answered, so it is not down. After an outage, the backoff of every
 * source ends, so that all sources catch up.
 */
function markAnswered(state: PacerState): void {
  if (state.outage !== undefined) state.backoffs.clear();
  state.outage = undefined;
  state.failing = undefined;
}

function statusOf(state: PacerState, pausedUntilMs: number, nowMs: number): PacerStatus {
  if (state.stop !== undefined) return { kind: "stopped", ...state.stop };
  if (nowMs < pausedUntilMs) return { kind: "throttled", untilMs: pausedUntilMs };
  if (state.failing !== undefined) return { kind: "failing", sinceMs: state.failing.sinceMs };
  return { kind: "ok" };
}
