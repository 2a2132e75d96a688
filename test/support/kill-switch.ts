/**
 * Kills a process of a test between any two steps: nothing that belongs to it answers, fires or
 * writes any more. For simulated crashes.
 */
import type { Clock } from "../../src/model/clock.ts";

export interface KillSwitch {
  readonly isKilled: boolean;
  kill(): void;
  /**
   * Kills after this many more steps of what `killable` wraps. A call and its answer are one step
   * each.
   */
  killAfter(steps: number): void;
  /** Wraps methods so that they never answer after the kill. */
  killable<T extends object>(target: T): T;
  killableClock(clock: Clock): Clock;
}

const never = (): Promise<never> => new Promise(() => undefined);

export function createKillSwitch(): KillSwitch {
  let isKilled = false;
  let stepsLeft = Number.POSITIVE_INFINITY;
  const step = () => {
    stepsLeft -= 1;
    if (stepsLeft <= 0) isKilled = true;
  };
  return {
    get isKilled() {
      return isKilled;
    },
    kill() {
      isKilled = true;
    },
    killAfter(steps) {
      stepsLeft = steps;
    },
    killable: (target) =>
      new Proxy(target, {
        get(_, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== "function") return value;
          return (...args: unknown[]) => {
            step();
            if (isKilled) return never();
            const answer: unknown = value.apply(target, args);
            if (!(answer instanceof Promise)) return answer;
            const pass = () => {
              step();
              return isKilled;
            };
            return answer.then(
              (result: unknown) => (pass() ? never() : result),
              (error: unknown) => (pass() ? never() : Promise.reject(error)),
            );
          };
        },
      }),
    killableClock: (clock) => ({
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms, fn) => clock.after(ms, () => (isKilled ? undefined : fn())),
    }),
  };
}
