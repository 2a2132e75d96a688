/**
 * Simulates one life of a process: its ports work until it ends, at a named point or from outside;
 * afterwards nothing that belonged to it answers, fires or writes again. Owns the names of the
 * points at which a life can be cut.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../../../src/model/clock.ts";
import type { Disk } from "./disk.ts";

export interface Life {
  readonly isOver: boolean;
  /** Calls `act` when this point is passed for the `nth` time from now on. */
  at(point: string, nth: number, act: () => void): void;
  /** Calls `onPass` with every point that is passed from now on. */
  record(onPass: (point: string) => void): void;
  end(point?: string): void;
  /** Retires the life, because it has come to its end by itself. It may do nothing any more. */
  retire(): void;
  /**
   * Stalls the life for this time: it calls nobody, receives no answer, and its timers fire late.
   */
  stall(forMs: number): void;
  /** Calls `go` once the life is not stalled. Never resolves once the life is over. */
  awake<T>(go: () => T | Promise<T>): T | Promise<T>;
  /**
   * Wraps methods so that they never answer once the life is over, with a point before each call
   * and one before each answer.
   */
  cut<T extends object>(target: T, prefix: string): T;
  readonly clock: Clock;
}

export interface LifeOptions {
  readonly disk: Pick<Disk, "onCommit" | "kill">;
  readonly clock: Clock;
  /**
   * How late timers of a tenth of a second fire. Replicas have several that mostly do nothing, and
   * running them costs real time.
   */
  readonly lateMs?: number;
  /** Called at the moment it ends. */
  onEnd(point: string): void;
}

const never = (): Promise<never> => new Promise(() => undefined);

/**
 * The call that a commit belongs to. Calls wait for each other inside the store, so the order alone
 * does not show it.
 */
const callUnderWay = new AsyncLocalStorage<string>();

const WATCH_MS = 100;

/** Methods that return no promise, so they cannot wait. */
const SYNCHRONOUS = ["store.sizeBytes"];

export function createLife({ disk, clock, lateMs = 0, onEnd }: LifeOptions): Life {
  let isOver = false;
  let armed: { readonly point: string; left: number; readonly act: () => void } | undefined;
  let recorder: ((point: string) => void) | undefined;
  // Tracking a call through its promises slows everything down, so it is done only for commits.
  let isArmedAtCommit = false;
  let stalled: { readonly untilMs: number; readonly over: Promise<void> } | undefined;
  const end = (point: string) => {
    if (isOver) return;
    isOver = true;
    disk.onCommit = undefined;
    disk.kill();
    callUnderWay.disable();
    onEnd(point);
  };
  /** Passes a named point. Returns whether the life is over, now or before. */
  const pass = (point: string): boolean => {
    if (isOver) return true;
    recorder?.(point);
    if (armed?.point !== point) return false;
    armed.left -= 1;
    if (armed.left > 0) return false;
    const { act } = armed;
    armed = undefined;
    act();
    return isOver;
  };
  const at = (point: string, nth: number, act: () => void) => {
    armed = { point, left: nth, act };
    isArmedAtCommit = /:commit(?:ted)?$/.test(point);
  };
  const awake = <T>(go: () => T | Promise<T>): T | Promise<T> => {
    if (isOver) return never();
    return stalled === undefined ? go() : stalled.over.then(() => awake(go));
  };
  disk.onCommit = (moment) => {
    if (!isArmedAtCommit) return;
    const call = callUnderWay.getStore();
    if (call !== undefined && pass(`${call}:${moment}`)) throw new Error("the process is over");
  };
  const call = (name: string, run: () => unknown): unknown => {
    if (pass(`${name}:call`)) return never();
    if (stalled !== undefined && !SYNCHRONOUS.includes(name)) return awake(() => make(name, run));
    return make(name, run);
  };
  const make = (name: string, run: () => unknown): unknown => {
    const answer = isArmedAtCommit ? callUnderWay.run(name, run) : run();
    if (!(answer instanceof Promise)) return answer;
    return answer.then(
      (result: unknown) => (pass(`${name}:answer`) ? never() : awake(() => result)),
      (error: unknown) => (pass(`${name}:answer`) ? never() : awake(() => Promise.reject(error))),
    );
  };
  const after: Clock["after"] = (ms, fn) => {
    const fire = () => {
      if (isOver) return;
      if (stalled === undefined) fn();
      else cancel = clock.after(stalled.untilMs - clock.monotonic(), fire);
    };
    let cancel = clock.after(ms === WATCH_MS ? ms + lateMs : ms, fire);
    return () => cancel();
  };
  return {
    get isOver() {
      return isOver;
    },
    at,
    record: (onPass) => {
      recorder = onPass;
      isArmedAtCommit = true;
    },
    end: (point = "killed") => end(point),
    retire: () => {
      isOver = true;
      disk.onCommit = undefined;
    },
    stall: (forMs) => {
      const untilMs = clock.monotonic() + forMs;
      if (isOver || untilMs <= (stalled?.untilMs ?? 0)) return;
      const over = new Promise<void>((resolve) => {
        clock.after(forMs, () => {
          if (stalled?.untilMs === untilMs) stalled = undefined;
          resolve();
        });
      });
      stalled = { untilMs, over };
    },
    awake,
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
    clock: { now: () => clock.now(), monotonic: () => clock.monotonic(), after },
  };
}
