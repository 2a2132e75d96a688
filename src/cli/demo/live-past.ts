/**
 * Simulates the days before a demo that stays, with the same daemon and sandbox on a clock that
 * does not wait. This file moves the clock; demo-run.ts runs the daemon.
 */
import type { Http } from "../../model/http.ts";
import type { HurriedClock } from "../../runtime/hurried-clock.ts";
import { yieldToEventLoop } from "../../runtime/yield-to-event-loop.ts";

export const PAST_DAYS = 14;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * How far time is moved at once. Each move costs a poll of every watch; the last day, which people
 * see first, has more of them.
 */
const LEAP_MS = 6 * HOUR_MS;
const LAST_DAY_LEAP_MS = 2 * HOUR_MS;
/** The time after each move in which its findings are grouped and delivered. */
const SETTLING_MS: readonly number[] = [1_000, 31_000, 31_000];
/** The step with which time moves during a start or a stop, which wait for timers of their own. */
const STEP_MS = 20;
/**
 * The real time that the days before may take. A slow machine moves further at once, up to a limit,
 * because a move over days would look like an outage to the daemon.
 */
const MAX_REAL_MS = 5_000;
const MAX_LEAP_MS = 12 * HOUR_MS;

export interface Past {
  /** The HTTP client of the daemon of the past: time stands still while it waits for an answer. */
  readonly http: Http;
  /** Moves time until this work is done. */
  during<T>(work: Promise<T>): Promise<T>;
  /**
   * Simulates until `endMs`. `spentMs` returns how long that has taken so far; `beforeLeap` is
   * called with the time before each move.
   */
  live(endMs: number, spentMs: () => number, beforeLeap: (nowMs: number) => void): Promise<void>;
}

export function createPast(clock: HurriedClock, http: Http): Past {
  let underWay = 0;
  const settle = async (): Promise<void> => {
    for (let quiet = 0; quiet < 3; quiet = underWay === 0 ? quiet + 1 : 0) await yieldToEventLoop();
  };
  const leap = async (ms: number): Promise<void> => {
    clock.leap(ms);
    await settle();
  };
  return {
    http: {
      async request(request) {
        underWay += 1;
        try {
          return await http.request(request);
        } finally {
          underWay -= 1;
        }
      },
    },
    async during(work) {
      let isOver = false;
      void work.finally(() => (isOver = true)).catch(() => undefined);
      while (!isOver) await leap(STEP_MS);
      return work;
    },
    async live(endMs, spentMs, beforeLeap) {
      const leftMs = () => endMs - clock.now();
      for (let leaps = 1; leftMs() > 0; leaps += 1) {
        beforeLeap(clock.now());
        for (const ms of [leapMs({ leftMs: leftMs(), leaps, spentMs: spentMs() }), ...SETTLING_MS])
          await leap(Math.min(ms, Math.max(0, leftMs())));
      }
    },
  };
}

interface Progress {
  readonly leftMs: number;
  /** The number of this move, from 1. */
  readonly leaps: number;
  /** The real time that the moves before it took. */
  readonly spentMs: number;
}

/**
 * Returns how far to move: far enough to finish in time if each move takes as long as those before
 * it.
 */
export function leapMs({ leftMs, leaps, spentMs }: Progress): number {
  const wantedMs = leftMs > DAY_MS ? LEAP_MS : LAST_DAY_LEAP_MS;
  const affordable = Math.floor((MAX_REAL_MS - spentMs) / (spentMs / Math.max(1, leaps - 1)));
  return Math.max(wantedMs, Math.min(MAX_LEAP_MS, leftMs / Math.max(1, affordable)));
}
