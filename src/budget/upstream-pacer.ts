/**
 * When the data service may be asked again after it refused or failed. Owns four memories: the pause all polls share after a 429, the
 * stop after a dead key or an unpaid bill, the brake while the whole service is dark, and the backoff of each source. Pure: the caller
 * brings the time (monotonic ms, the same clock throughout) and does the waiting, the requests and the notices.
 */
import type { Retry } from "../model/errors.ts";
import type { Random } from "../model/random.ts";
import type { UpstreamFailure } from "../model/upstream.ts";

/** Whether a request of a source may go out now. */
export type Admission =
  | { readonly kind: "go" }
  | { readonly kind: "wait"; readonly untilMs: number; readonly because: "throttled" | "dark" | "backoff" }
  | { readonly kind: "stopped"; readonly because: StopReason };

export type StopReason = "billing" | "unauthorized";

/** What to do with the request that failed: again at a time, not at all, or nothing until someone acts. */
export type FailureAdvice =
  | { readonly kind: "retry"; readonly atMs: number }
  | { readonly kind: "give_up" }
  | { readonly kind: "stop"; readonly because: StopReason };

export type PacerStatus =
  | { readonly kind: "ok" }
  | { readonly kind: "throttled"; readonly untilMs: number }
  /** Nothing but failures since then. */
  | { readonly kind: "failing"; readonly sinceMs: number }
  | { readonly kind: "stopped"; readonly because: StopReason; readonly sinceMs: number; readonly probeAtMs: number };

export interface RequestFailure {
  readonly source: string;
  readonly kind: UpstreamFailure;
  /** Of the error: `afterMs` is the service's own Retry-After. */
  readonly retry: Retry;
  readonly sentAtMs: number;
  readonly nowMs: number;
}

export interface UpstreamPacer {
  /** While the service is dark one request passes per pause, as its trial: ask only for a request that is ready to go. */
  admit(source: string, nowMs: number): Admission;
  succeeded(source: string, sentAtMs: number): void;
  failed(failure: RequestFailure): FailureAdvice;
  /** True once an hour while stopped: ask the service whether it would answer again, by a request that costs nothing. */
  takeProbe(nowMs: number): boolean;
  /** The probe was answered well, or a new key came: polls go on. */
  resume(): void;
  status(nowMs: number): PacerStatus;
}

const PAUSE_FIRST_MS = 1_000;
const PAUSE_CAP_MS = 60_000;
const PAUSE_JITTER_MS = 250;
const BACKOFF_FIRST_MS = 1_000;
const BACKOFF_CAP_MS = 300_000;
const PROBE_EVERY_MS = 3_600_000;
/** So many different sources failing in a row, with no answer between them, mean the service and not a source. */
const DARK_SOURCES = 3;

interface PacerState {
  pause: { untilMs: number; streak: number };
  stop: { because: StopReason; sinceMs: number; probeAtMs: number } | undefined;
  failing: { sinceMs: number; readonly sources: Set<string> } | undefined;
  dark: { untilMs: number; trials: number } | undefined;
  readonly backoffs: Map<string, { failures: number; untilMs: number }>;
}

/** All memory is lost at a restart, which is right: the first request after it is the probe. */
export function createUpstreamPacer(random: Random): UpstreamPacer {
  const state: PacerState = {
    pause: { untilMs: Number.NEGATIVE_INFINITY, streak: 0 },
    stop: undefined,
    failing: undefined,
    dark: undefined,
    backoffs: new Map(),
  };
  return {
    admit: (source, nowMs) => admit(state, random, source, nowMs),
    succeeded(source, sentAtMs) {
      if (sentAtMs >= state.pause.untilMs) state.pause.streak = 0;
      state.backoffs.delete(source);
      markAnswered(state);
    },
    failed: (failure) => advise(state, random, failure),
    takeProbe(nowMs) {
      if (state.stop === undefined || nowMs < state.stop.probeAtMs) return false;
      state.stop.probeAtMs = nowMs + PROBE_EVERY_MS;
      return true;
    },
    resume() {
      state.stop = undefined;
    },
    status: (nowMs) => statusOf(state, nowMs),
  };
}

function admit(state: PacerState, random: Random, source: string, nowMs: number): Admission {
  if (state.stop !== undefined) return { kind: "stopped", because: state.stop.because };
  if (nowMs < state.pause.untilMs) return { kind: "wait", untilMs: state.pause.untilMs, because: "throttled" };
  const backoff = state.backoffs.get(source);
  if (backoff !== undefined && nowMs < backoff.untilMs) return { kind: "wait", untilMs: backoff.untilMs, because: "backoff" };
  if (state.dark === undefined) return { kind: "go" };
  if (nowMs < state.dark.untilMs) return { kind: "wait", untilMs: state.dark.untilMs, because: "dark" };
  state.dark.trials += 1;
  state.dark.untilMs = nowMs + backoffMs(state.dark.trials, random);
  return { kind: "go" };
}

function advise(state: PacerState, random: Random, failure: RequestFailure): FailureAdvice {
  switch (failure.kind) {
    case "rate_limited":
      markAnswered(state);
      return { kind: "retry", atMs: pauseAll(state, random, failure) };
    case "transient":
      return { kind: "retry", atMs: backOff(state, random, failure) };
    case "billing":
    case "unauthorized":
      markAnswered(state);
      state.stop ??= { because: failure.kind, sinceMs: failure.nowMs, probeAtMs: failure.nowMs + PROBE_EVERY_MS };
      return { kind: "stop", because: state.stop.because };
    case "bad_request":
    case "forbidden":
    case "not_found":
      state.backoffs.delete(failure.source);
      markAnswered(state);
      return { kind: "give_up" };
  }
}

/** A 429 of a request that was under way when the pause began is the same refusal, not a second one. */
function pauseAll(state: PacerState, random: Random, { retry, sentAtMs, nowMs }: RequestFailure): number {
  const { pause } = state;
  if (sentAtMs >= pause.untilMs) {
    const ownMs = Math.min(PAUSE_FIRST_MS * 2 ** pause.streak, PAUSE_CAP_MS);
    pause.untilMs = nowMs + ownMs + random.float() * PAUSE_JITTER_MS;
    pause.streak += 1;
  }
  if (typeof retry === "object") pause.untilMs = Math.max(pause.untilMs, nowMs + retry.afterMs);
  return Math.max(pause.untilMs, nowMs);
}

function backOff(state: PacerState, random: Random, { source, retry, nowMs }: RequestFailure): number {
  const failures = (state.backoffs.get(source)?.failures ?? 0) + 1;
  const askedMs = typeof retry === "object" ? retry.afterMs : 0;
  const untilMs = nowMs + Math.max(backoffMs(failures, random), askedMs);
  state.backoffs.set(source, { failures, untilMs });
  state.failing ??= { sinceMs: nowMs, sources: new Set() };
  state.failing.sources.add(source);
  if (state.failing.sources.size >= DARK_SOURCES) state.dark ??= { untilMs: nowMs + backoffMs(1, random), trials: 1 };
  return Math.max(untilMs, state.dark?.untilMs ?? 0);
}

/** 1 to 2 s at first, doubling, never over five minutes. */
const backoffMs = (failures: number, random: Random): number =>
  Math.min(BACKOFF_FIRST_MS * 2 ** Math.min(failures - 1, 20) * (1 + random.float()), BACKOFF_CAP_MS);

/** The service spoke: it is not dark. After darkness every source may try at once, to catch up. */
function markAnswered(state: PacerState): void {
  if (state.dark !== undefined) state.backoffs.clear();
  state.dark = undefined;
  state.failing = undefined;
}

function statusOf(state: PacerState, nowMs: number): PacerStatus {
  if (state.stop !== undefined) return { kind: "stopped", ...state.stop };
  if (nowMs < state.pause.untilMs) return { kind: "throttled", untilMs: state.pause.untilMs };
  if (state.failing !== undefined) return { kind: "failing", sinceMs: state.failing.sinceMs };
  return { kind: "ok" };
}
