/**
 * When the data service may be asked again after it refused or failed. Owns four memories: the
 * pause all polls of a key share after a 429, the stop after a dead key or an unpaid bill, the
 * circuit breaker while the whole service is down, and the backoff of each source. Pure: the caller
 * brings the time (monotonic ms, the same clock throughout) and does the waiting, the requests and
 * the ops alerts.
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

/** Whether a request of a source may go out now. */
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
 * What to do with the request that failed: again at a time, not at all, or nothing until someone
 * acts.
 */
export type FailureAdvice =
  | { readonly kind: "retry"; readonly atMs: number }
  | { readonly kind: "give_up" }
  | { readonly kind: "stop"; readonly because: StopReason };

export type PacerStatus =
  | { readonly kind: "ok" }
  | { readonly kind: "throttled"; readonly untilMs: number }
  /** Nothing but failures since then. */
  | { readonly kind: "failing"; readonly sinceMs: number }
  | {
      readonly kind: "stopped";
      readonly because: StopReason;
      readonly sinceMs: number;
      readonly probeAtMs: number;
    };

export interface RequestFailure {
  readonly source: string;
  /** Name of the key it was sent with. */
  readonly key: string;
  readonly kind: UpstreamFailure;
  /** Of the error: `afterMs` is the service's own Retry-After, as it said it. */
  readonly retry: Retry;
  readonly sentAtMs: number;
  readonly nowMs: number;
}

export interface UpstreamPacer {
  /**
   * While the service is down one request passes per pause, as its trial: ask only for a request
   * that is ready to go.
   */
  admit(source: string, nowMs: number): Admission;
  /**
   * When a key may be used again after a 429, in the past where it may be now: the others go on, as
   * each has a rate of its own.
   */
  paysAgainAt(key: string): number;
  /**
   * A request goes out with this key. After a pause it is the key's trial: the others wait for what
   * comes of it.
   */
  sending(key: string, nowMs: number): void;
  succeeded(source: string, key: string, sentAtMs: number): void;
  failed(failure: RequestFailure): FailureAdvice;
  /**
   * True once an hour while stopped: ask the service whether it would answer again, by a request
   * that costs nothing.
   */
  claimProbe(nowMs: number): boolean;
  /** The probe was answered well, or a new key came: polls go on. */
  resume(): void;
  /**
   * Somebody acts who has perhaps mended what the service refused or failed for: the next request
   * is tried at once.
   */
  tryAtOnce(nowMs: number): void;
  status(nowMs: number): PacerStatus;
  /** Nothing but failures of many sources: one trial at a time passes. */
  readonly isDown: boolean;
  /** Others wait for the trial of a key. */
  readonly isTrying: boolean;
}

const PAUSE_JITTER_MS = 250;
/** A trial without an answer holds nobody up for longer. */
const TRIAL_MS = 5_000;
const BACKOFF_CAP_MS = 300_000;
const BACKOFF_STEPS_MS = doubling(1_000, BACKOFF_CAP_MS);
const PROBE_EVERY_MS = 3_600_000;
/**
 * So many different sources failing in a row, with no answer between them, mean the service and not
 * a source.
 */
const SOURCES_OF_AN_OUTAGE = 3;

interface Pause extends RefusalRow {
  /** Undefined while no trial is under way. */
  readonly trialUntilMs?: number | undefined;
}

interface PacerState {
  /** By key, since its last 429; gone once it was answered again. */
  readonly pauses: Map<string, Pause>;
  stop: { because: StopReason; sinceMs: number; probeAtMs: number } | undefined;
  failing: { sinceMs: number; readonly sources: Set<string> } | undefined;
  outage: { untilMs: number; trials: number } | undefined;
  readonly backoffs: Map<string, { failures: number; untilMs: number }>;
}

/** One key, which has no name. */
const NAMELESS = [""] as const;

/**
 * All memory is lost at a restart, which is right: the first request after it is the probe. `keys`:
 * names of those that may pay; only when all of them wait does everyone.
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

/** When the first of these keys may be used again. */
const pausedUntil = ({ pauses }: PacerState, keys: readonly string[]): number =>
  Math.min(...keys.map((key) => untilOf(pauses.get(key))));

const untilOf = (pause: Pause | undefined): number =>
  pause === undefined
    ? Number.NEGATIVE_INFINITY
    : Math.max(pause.untilMs, pause.trialUntilMs ?? Number.NEGATIVE_INFINITY);

/** The service answered with something else than a 429, and not what was sent before. */
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
 * A 429 of a request that was under way when the pause began is the same refusal, not a second one.
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
 * Rows of refusals stay: where the next request is refused too, their waits go on to grow. An
 * outage gets one trial.
 */
function endWaits(state: PacerState, nowMs: number): void {
  for (const [key, pause] of state.pauses)
    state.pauses.set(key, { ...withoutWait(pause, nowMs), trialUntilMs: undefined });
  state.backoffs.clear();
  if (state.outage !== undefined) state.outage.untilMs = Math.min(state.outage.untilMs, nowMs);
}

/** It proved nothing: the next one may. */
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

/** 1 to 2 s at first, doubling, never over five minutes. */
const backoffMs = (failures: number, random: Random): number =>
  backoffAfter(
    { stepsMs: BACKOFF_STEPS_MS, jitter: { from: 1, to: 2, random }, capMs: BACKOFF_CAP_MS },
    failures,
  );

/**
 * The service answered: it is not down. After an outage every source may try at once, to catch up.
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
