/**
 * A Clock that stands still until it is moved.
 *
 * `advance` fires due timers one at a time, in order of their due time (of their creation at equal
 * times), with the clock standing at exactly that time. Before them and after each it waits for one
 * turn of the event loop (`setImmediate`), by which time every promise chain that needs no real I/O
 * has run to its next timer. Timers set meanwhile fire in the same `advance` when due.
 * Where real I/O takes part (a loopback server), pass a `settle` of your own that awaits it, and a
 * `settleTimer` if there is a cheaper way after a timer that asked for nothing.
 */
import type { Clock } from "../../src/model/clock.ts";

interface Timer {
  readonly dueAt: number;
  readonly fn: () => void;
}

export interface VirtualClock extends Clock {
  /** Moves on by `ms` and runs what becomes due. */
  advance(ms: number): Promise<void>;
  /** Moves on until the wall clock shows `epochMs`. */
  advanceTo(epochMs: number): Promise<void>;
  /**
   * The operator corrects the wall clock by `ms` (may be negative): no timer fires earlier or
   * later.
   */
  jump(ms: number): void;
  /** Returns the number of timers that wait. */
  pending(): number;
  /** Returns the milliseconds until the next timer, or undefined if none waits. */
  nextIn(): number | undefined;
}

const oneTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Creates a clock whose wall shows `startMs`. Its monotonic origin is unrelated, so that mixing the
 * two shows.
 */
export function createVirtualClock(
  startMs: number,
  settle: () => Promise<void> = oneTurn,
  settleTimer = settle,
): VirtualClock {
  const timers: Timer[] = [];
  let monotonic = 1_000;
  let wallOffset = startMs - monotonic;

  const after: Clock["after"] = (ms, fn) => {
    const timer: Timer = { dueAt: monotonic + Math.max(0, ms), fn };
    timers.splice(insertionIndex(timers, timer.dueAt), 0, timer);
    return () => {
      const index = timers.indexOf(timer);
      if (index >= 0) timers.splice(index, 1);
    };
  };
  const advance = async (ms: number) => {
    const until = monotonic + Math.max(0, ms);
    await settle();
    for (let next = timers[0]; next !== undefined && next.dueAt <= until; next = timers[0]) {
      timers.shift();
      monotonic = Math.max(monotonic, next.dueAt);
      next.fn();
      await settleTimer();
    }
    monotonic = Math.max(monotonic, until);
  };
  const now = () => monotonic + wallOffset;
  return {
    now,
    monotonic: () => monotonic,
    after,
    advance,
    advanceTo: (epochMs) => advance(epochMs - now()),
    jump: (ms) => {
      wallOffset += ms;
    },
    pending: () => timers.length,
    nextIn: () => (timers[0] === undefined ? undefined : timers[0].dueAt - monotonic),
  };
}

/**
 * Returns the index behind every timer that is due at the same time or earlier. Timers of equal
 * times fire in order of creation.
 */
function insertionIndex(timers: readonly Timer[], dueAt: number): number {
  let low = 0;
  let high = timers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((timers[middle]?.dueAt ?? 0) <= dueAt) low = middle + 1;
    else high = middle;
  }
  return low;
}
