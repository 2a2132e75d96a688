/**
 * Repeats the turns of one worker, one at a time. A turn begins when the loop is woken or when its
 * timer ends. The loop does not depend on what a turn does.
 */
import type { Cancel, Clock } from "../../model/clock.ts";

/**
 * The longest time between two turns, unless the caller sets another one. Another process may have
 * left messages to send, or the wall clock may have been set, without waking the loop.
 */
const MAX_PAUSE_MS = 30_000;

export interface Loop {
  /**
   * The number of turns that have ended. It grows at least every 30 seconds while the loop is
   * healthy.
   */
  readonly turns: number;
  wake(): void;
  end(): void;
}

/**
 * Makes one turn. Returns in how many milliseconds the next turn has something to do; undefined if
 * the loop must only be woken.
 */
export type LoopTurn = () => Promise<number | undefined>;

export interface LoopDeps {
  readonly clock: Clock;
  readonly turn: LoopTurn;
  /** Called when a turn has failed. Returns in how many milliseconds to try again. */
  onFailed(error: unknown): number;
  track(task: Promise<unknown>): void;
  isStopping(): boolean;
  /** The longest time between two turns. Infinite if `wake` is called whenever there is work. */
  readonly maxPauseMs?: number | undefined;
}

/**
 * Creates the loop. It makes a turn when it is woken, when the time that the last turn returned has
 * passed, and after `maxPauseMs` at the latest.
 */
export function createLoop(deps: LoopDeps): Loop {
  const { clock, turn, onFailed, track, isStopping, maxPauseMs = MAX_PAUSE_MS } = deps;
  let running = false;
  let again = false;
  let turns = 0;
  let timer: Cancel | undefined;
  const run = async () => {
    running = true;
    let waitMs: number | undefined;
    do {
      again = false;
      waitMs = await turn().catch(onFailed);
      turns += 1;
    } while (again && !isStopping());
    running = false;
    if (!isStopping()) timer = clock.after(Math.min(waitMs ?? maxPauseMs, maxPauseMs), wake);
  };
  const wake = () => {
    timer?.();
    timer = undefined;
    if (isStopping()) return;
    if (running) again = true;
    else track(run());
  };
  return {
    get turns() {
      return turns;
    },
    wake,
    end: () => timer?.(),
  };
}
