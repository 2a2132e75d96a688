/**
 * Simulates the days before a demo with `--stay`. The same daemon and sandbox run on a simulated
 * clock that this file moves; demo-run.ts starts the daemon.
 */
import type { Http } from "../../model/http.ts";
import type { HurriedClock } from "../../runtime/hurried-clock.ts";
import { yieldToEventLoop } from "../../model/steps.ts";

export const PAST_DAYS = 14;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * How far the clock is moved in one step. Each step makes every watch poll once. The last day,
 * which people see first, is simulated in smaller steps.
 */
const LEAP_MS = 6 * HOUR_MS;
const LAST_DAY_LEAP_MS = 2 * HOUR_MS;
/**
 * Shorter steps after each large one, in which the daemon groups and delivers the items that it
 * found.
 */
const SETTLING_MS: readonly number[] = [1_000, 31_000, 31_000];
/**
 * The step of the clock while the daemon starts or stops, because it then waits for short timers.
 */
const STEP_MS = 20;
/**
 * The real time that simulating those days may take. A slow machine takes larger steps, up to a
 * limit, because the daemon would take a step of several days for an outage.
 */
const MAX_REAL_MS = 5_000;
const MAX_LEAP_MS = 12 * HOUR_MS;

export interface Past {
  /**
   * The HTTP client of the simulated daemon. The clock does not move while it waits for an answer.
   */
  readonly http: Http;
  /** Moves the clock in small steps until this work is done. */
  during<T>(work: Promise<T>): Promise<T>;
  /**
   * Simulates until `endMs`. `spentMs` returns how much real time that has taken so far.
   * `beforeLeap` is called before each large step with the simulated time.
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
  /** The number of this large step, counted from 1. */
  readonly leaps: number;
  /** The real time that the earlier steps took. */
  readonly spentMs: number;
}

/**
 * Returns how far to move the clock: far enough to finish within the real time allowed, if each
 * further step takes as long as the earlier ones.
 */
export function leapMs({ leftMs, leaps, spentMs }: Progress): number {
  const wantedMs = leftMs > DAY_MS ? LEAP_MS : LAST_DAY_LEAP_MS;
  const affordable = Math.floor((MAX_REAL_MS - spentMs) / (spentMs / Math.max(1, leaps - 1)));
  return Math.max(wantedMs, Math.min(MAX_LEAP_MS, leftMs / Math.max(1, affordable)));
}
