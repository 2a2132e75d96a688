/**
 * Repeats the turns of one worker: one at a time, when woken and by timer. Knows nothing of what a
 * turn does.
 */
import type { Cancel, Clock } from "../../model/clock.ts";

/**
 * At least so often a turn starts by itself: another process may have left something, or the wall
 * clock jumped.
 */
const WAKE_EVERY_MS = 30_000;

export interface Loop {
  /** How many turns have ended. It grows at least every 30 seconds while the loop is well. */
  readonly turns: number;
  wake(): void;
  end(): void;
}

/** Answers in how many milliseconds there is something to do; undefined: when woken. */
export type LoopTurn = () => Promise<number | undefined>;

export interface LoopDeps {
  readonly clock: Clock;
  readonly turn: LoopTurn;
  /** Answers when to try again. */
  onFailed(error: unknown): number;
  track(task: Promise<unknown>): void;
  isStopping(): boolean;
}

/**
 * Runs `turn` one at a time: when woken, and by itself when the last turn asked for it or nothing
 * happened for long.
 */
export function createLoop(deps: LoopDeps): Loop {
  const { clock, turn, onFailed, track, isStopping } = deps;
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
    if (!isStopping()) timer = clock.after(Math.min(waitMs ?? WAKE_EVERY_MS, WAKE_EVERY_MS), wake);
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
