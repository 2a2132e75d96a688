/** A life that can end between any two steps: what belonged to it then never answers, fires or writes again. For simulated crashes. */
import type { Clock } from "../../src/model/clock.ts";

export interface Life {
  readonly isOver: boolean;
  end(): void;
  /** Ends after so many more steps of what `mortal` wraps; a call and its answer are one step each. */
  endAfter(steps: number): void;
  /** Methods that never answer once the life is over. */
  mortal<T extends object>(target: T): T;
  mortalClock(clock: Clock): Clock;
}

const never = (): Promise<never> => new Promise(() => undefined);

export function createLife(): Life {
  let isOver = false;
  let stepsLeft = Number.POSITIVE_INFINITY;
  const step = () => {
    stepsLeft -= 1;
    if (stepsLeft <= 0) isOver = true;
  };
  return {
    get isOver() {
      return isOver;
    },
    end() {
      isOver = true;
    },
    endAfter(steps) {
      stepsLeft = steps;
    },
    mortal: (target) =>
      new Proxy(target, {
        get(_, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== "function") return value;
          return (...args: unknown[]) => {
            step();
            if (isOver) return never();
            const answer: unknown = value.apply(target, args);
            if (!(answer instanceof Promise)) return answer;
            const pass = () => {
              step();
              return isOver;
            };
            return answer.then(
              (result: unknown) => (pass() ? never() : result),
              (error: unknown) => (pass() ? never() : Promise.reject(error)),
            );
          };
        },
      }),
    mortalClock: (clock) => ({
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms, fn) => clock.after(ms, () => (isOver ? undefined : fn())),
    }),
  };
}
