/**
 * One life of a simulated process: its ports work until it ends, at a named point or from outside; afterwards nothing that belonged to it
 * answers, fires or writes again. Owns the names of the points at which a life can be cut.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../../../src/model/clock.ts";
import type { Disk } from "./disk.ts";

export interface Life {
  readonly isOver: boolean;
  /** Ends at the `nth` time that this point is passed from now on. */
  endAt(point: string, nth: number): void;
  end(): void;
  /** It came to its end by itself: nothing of it may do anything any more. */
  retire(): void;
  /** Names a moment. @returns whether the life is over, now or before. */
  pass(point: string): boolean;
  /** Methods that never answer once the life is over, with a point before each call and one before each answer. */
  cut<T extends object>(target: T, prefix: string): T;
  clock(clock: Clock): Clock;
}

export interface LifeOptions {
  readonly disk: Disk;
  /** The moment it ended. */
  onEnd(point: string): void;
}

const never = (): Promise<never> => new Promise(() => undefined);

/** Which call a commit belongs to: calls wait for each other inside the store. */
const callUnderWay = new AsyncLocalStorage<string>();

export function createLife({ disk, onEnd }: LifeOptions): Life {
  let isOver = false;
  let armed: { readonly point: string; left: number } | undefined;
  // Following a call through its promises makes everything slower, so it is done only for commits.
  let isArmedAtCommit = false;
  const end = (point: string) => {
    if (isOver) return;
    isOver = true;
    disk.onCommit = undefined;
    disk.kill();
    callUnderWay.disable();
    onEnd(point);
  };
  const pass = (point: string): boolean => {
    if (isOver) return true;
    if (armed?.point !== point) return false;
    armed.left -= 1;
    if (armed.left > 0) return false;
    end(point);
    return true;
  };
  disk.onCommit = (moment) => {
    if (!isArmedAtCommit) return;
    const call = callUnderWay.getStore();
    if (call !== undefined && pass(`${call}:${moment}`)) throw new Error("the process is over");
  };
  const call = (name: string, run: () => unknown): unknown => {
    if (pass(`${name}:call`)) return never();
    const answer = isArmedAtCommit ? callUnderWay.run(name, run) : run();
    if (!(answer instanceof Promise)) return answer;
    return answer.then(
      (result: unknown) => (pass(`${name}:answer`) ? never() : result),
      (error: unknown) => (pass(`${name}:answer`) ? never() : Promise.reject(error)),
    );
  };
  return {
    get isOver() {
      return isOver;
    },
    endAt: (point, nth) => {
      armed = { point, left: nth };
      isArmedAtCommit = /:commit(?:ted)?$/.test(point);
    },
    end: () => end("killed"),
    retire: () => {
      isOver = true;
      disk.onCommit = undefined;
    },
    pass,
    cut: (target, prefix) => {
      const methods = new Map<string | symbol, unknown>();
      const methodOf = (name: string | symbol): unknown => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        const point = `${prefix}.${String(name)}`;
        return (...args: unknown[]) => call(point, () => value.apply(target, args));
      };
      return new Proxy(target, {
        get(_, name) {
          if (!methods.has(name)) methods.set(name, methodOf(name));
          return methods.get(name);
        },
      });
    },
    clock: (clock) => ({
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms, fn) => clock.after(ms, () => (isOver ? undefined : fn())),
    }),
  };
}
