/**
 * Keeps one process of a simulation running: starts it, stops it, cuts it at a named point, stalls
 * it, and starts it again.
 */
import type { Cancel, Clock } from "../../../src/model/clock.ts";
import type { Step } from "../draw/scenario.ts";
import type { SimDaemon } from "./daemon.ts";

/** The life of a process. Times are the world's. */
export interface LifeSpan {
  readonly number: number;
  /** The number of the replica, counted from 0. */
  readonly replica: number;
  readonly fromMs: number;
  toMs: number;
  /**
   * The point at which it was cut, or "killed", "replaced" or "start failed". Undefined if it was
   * stopped in order or still runs.
   */
  cutAt: string | undefined;
  /** When it learned that others had taken over. */
  replacedAtMs?: number;
  /** When it was stalled, or a partition separated it from the server. */
  readonly stalls: { readonly fromMs: number; readonly toMs: number; readonly point: string }[];
  /** When its connections were cut. */
  readonly cutOffsMs: number[];
}

export type KeeperStep = Step & { readonly do: "crash" | "restart" | "stall" | "cut off" | "part" };

export interface Keeper {
  readonly daemon: SimDaemon;
  readonly isUp: boolean;
  /** Does nothing unless it is down. */
  begin(): void;
  act(step: KeeperStep): void;
  /** Calls `happen` once the process passes the point. */
  at(point: string, happen: () => void): void;
  /** Records that the life is over, at a point. */
  ended(point: string): void;
  /** Stops and restarts the process, because others took over. */
  replaced(): void;
}

export interface KeeperDeps {
  readonly clock: Clock;
  readonly worldClock: Clock;
  readonly replica: number;
  readonly isOneOfSeveral: boolean;
  /** Whether the database server is shut down. No start succeeds meanwhile. */
  readonly isServerAway: () => boolean;
  readonly daemon: SimDaemon;
  readonly lives: LifeSpan[];
  readonly failures: string[];
  readonly note: (text: string) => void;
  readonly onBegin: () => void;
  readonly onUp: () => void;
  /** How long it stays down after a cut, unless a step says otherwise. */
  readonly downMs?: number | undefined;
}

/** No operation of a daemon takes longer than this. */
const LONGEST_MS = 10 * 60_000;
/**
 * A point that is not passed within this time will not be passed. The step then happens wherever
 * the process is. With several replicas more steps follow, so the time is shorter.
 */
const CUT_WITHIN_MS = { alone: 20 * 60_000, oneOfSeveral: 2 * 60_000 };
/** A supervisor restarts a process that ended by itself after this time. */
const RESTART_MS = 5_000;

/** How many starts of a replica in a row may fail because others do not let it in. */
const STARTS = 4;

const END = Number.POSITIVE_INFINITY;

/** Watches a request that must end while the life that it was sent to lasts. */
export function watchOver(
  work: Promise<unknown>,
  { clock, daemon, lives, failures }: Pick<KeeperDeps, "clock" | "daemon" | "lives" | "failures">,
  {
    what,
    onDone,
    onFailed,
  }: { readonly what: string; readonly onDone: () => void; readonly onFailed?: () => void },
): void {
  const life = daemon.life;
  const isOver = () =>
    lives.some(({ number, toMs, cutAt }) => number === life && (toMs < END || cutAt !== undefined));
  const cancel = clock.after(LONGEST_MS, () => {
    if (!isOver()) failures.push(`${what} has not ended after ten minutes`);
  });
  work.then(
    () => {
      cancel();
      if (!isOver()) onDone();
    },
    (error: unknown) => {
      cancel();
      if (isOver()) return;
      if (onFailed === undefined) failures.push(`${what} failed: ${String(error)}`);
      else onFailed();
    },
  );
}

export function createKeeper(deps: KeeperDeps): Keeper {
  const { clock, worldClock, replica, daemon, lives, isOneOfSeveral, note } = deps;
  let state: "down" | "starting" | "up" | "stopping" = "down";
  /** How long it stays down after a cut. */
  let { downMs = 0 } = deps;
  let lastMoment: Cancel = () => undefined;
  let [isReplaced, failedStarts] = [false, 0];
  const span = () => lives.findLast((life) => life.replica === replica);

  const begin = () => {
    if (state !== "down") return;
    state = "starting";
    isReplaced = false;
    deps.onBegin();
    const started = daemon.start();
    const fromMs = worldClock.now();
    lives.push({
      number: daemon.life,
      replica,
      fromMs,
      toMs: Number.POSITIVE_INFINITY,
      cutAt: undefined,
      stalls: [],
      cutOffsMs: [],
    });
    note("boot");
    const onDone = () => {
      failedStarts = 0;
      if (isReplaced) return stop(RESTART_MS, "replaced");
      state = "up";
      deps.onUp();
    };
    const onFailed = () => {
      if (!deps.isServerAway()) failedStarts += 1;
      end("start failed");
      daemon.retire();
      clock.after(RESTART_MS, begin);
    };
    watchOver(started, deps, {
      what: "the start",
      onDone,
      ...(isOneOfSeveral && failedStarts < STARTS ? { onFailed } : {}),
    });
  };
  const end = (point: string | undefined) => {
    const own = span();
    if (own !== undefined) Object.assign(own, { toMs: worldClock.now(), cutAt: point });
    note(`over at ${point ?? "its end"}`);
    lastMoment();
    state = "down";
  };
  const stop = (afterMs: number, point?: string) => {
    state = "stopping";
    const onDone = () => {
      end(point);
      clock.after(afterMs, begin);
    };
    watchOver(daemon.stop(), deps, { what: "the stop", onDone });
  };
  const standStill = (forMs: number, point: string) => {
    const fromMs = worldClock.now();
    note(`stands still for ${forMs} ms`);
    span()?.stalls.push({ fromMs, toMs: fromMs + forMs, point });
    daemon.stall(forMs);
  };
  const part = (forMs: number, point: string) => {
    const fromMs = worldClock.now();
    note(`parted for ${forMs} ms`);
    span()?.stalls.push({ fromMs, toMs: fromMs + forMs, point });
    daemon.part(forMs);
  };
  const cutOff = () => {
    span()?.cutOffsMs.push(worldClock.now());
    daemon.cutOff();
  };
  const act = (step: KeeperStep): void => {
    if (state === "down") return;
    if (step.do === "restart") return state === "up" ? stop(step.downMs) : undefined;
    if (step.do === "crash") downMs = step.downMs;
    lastMoment();
    const happen = () => {
      lastMoment();
      if (step.do === "crash") daemon.end(step.point);
      else if (step.do === "stall") standStill(step.forMs, step.point);
      else if (step.do === "part") part(step.forMs, step.point);
      else cutOff();
    };
    const usualMs = isOneOfSeveral ? CUT_WITHIN_MS.oneOfSeveral : CUT_WITHIN_MS.alone;
    const withinMs = step.do === "stall" ? (step.withinMs ?? usualMs) : usualMs;
    lastMoment = clock.after(withinMs, step.do === "crash" ? daemon.kill : happen);
    daemon.at(step.point, step.nth, happen);
  };
  return {
    daemon,
    get isUp() {
      return state === "up";
    },
    begin,
    act,
    at(point, happen) {
      lastMoment();
      daemon.at(point, 1, happen);
    },
    ended(point) {
      if (state === "down") return;
      end(point);
      clock.after(downMs, begin);
    },
    replaced() {
      isReplaced = true;
      Object.assign(span() ?? {}, { replacedAtMs: worldClock.now() });
      if (state === "up") stop(RESTART_MS, "replaced");
    },
  };
}
