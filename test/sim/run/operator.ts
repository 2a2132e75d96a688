/**
 * Whoever runs the daemon of a simulation: starts it, stops it, kills it at a named point, changes its configuration, pauses its watches, silences its alerts.
 * All of it happens beside the world, which does not wait; what takes too long is a failure.
 */
import type { Cancel, Clock } from "../../../src/model/clock.ts";
import type { VirtualClock } from "../../support/virtual-clock.ts";
import type { ConfigText, Step } from "../draw/scenario.ts";
import type { SimDaemon } from "./daemon.ts";
import { createSilencing, type SilenceSpan } from "./silencing.ts";
import type { Epoch } from "./simulate.ts";

/** A process that ran; times are the world's. */
export interface LifeSpan {
  readonly number: number;
  readonly fromMs: number;
  toMs: number;
  /** Where it was cut, or "killed"; undefined: it was stopped in order, or runs still. */
  cutAt: string | undefined;
}

export type OperatorStep = Step & { readonly do: "crash" | "restart" | "reload" | "pause" | "resume" | "silence" | "end silence" };

export interface Operator {
  readonly epochs: readonly Epoch[];
  readonly lives: readonly LifeSpan[];
  readonly failures: readonly string[];
  readonly silences: readonly SilenceSpan[];
  begin(config: ConfigText): void;
  act(step: OperatorStep): void;
  /** The life is over: at a point, or "stopped". */
  ended(point: string, life: number): void;
}

export interface OperatorDeps {
  readonly clock: VirtualClock;
  readonly worldClock: Clock;
  readonly daemon: SimDaemon;
  readonly putConfig: (config: ConfigText) => void;
  readonly note: (text: string) => void;
}

/** Nothing a daemon is asked to do takes longer than this. */
const LONGEST_MS = 10 * 60_000;
/** A point that is not passed within this is not going to be: then the process is killed wherever it is. */
const CUT_WITHIN_MS = 20 * 60_000;

export function createOperator({ clock, worldClock, daemon, putConfig, note }: OperatorDeps): Operator {
  const epochs: Epoch[] = [];
  const lives: LifeSpan[] = [];
  const failures: string[] = [];
  const silencing = createSilencing(daemon, worldClock);
  let config: ConfigText = {};
  let state: "down" | "starting" | "up" | "stopping" = "down";
  /** How long it stays down when it is cut. */
  let downMs = 0;
  const missed: OperatorStep[] = [];
  let lastMoment: Cancel = () => undefined;

  /** Something that must come to an end while this life lasts. */
  const watchOver = (work: Promise<unknown>, what: string, onDone: () => void): void => {
    const life = daemon.life;
    const isOver = () => lives.find(({ number }) => number === life)?.cutAt !== undefined;
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
        if (!isOver()) failures.push(`${what} failed: ${String(error)}`);
      },
    );
  };
  const begin = () => {
    state = "starting";
    epochs.push({ fromMs: worldClock.now(), config });
    lives.push({ number: daemon.life + 1, fromMs: worldClock.now(), toMs: Number.POSITIVE_INFINITY, cutAt: undefined });
    note("boot");
    watchOver(daemon.start(), "the start", () => {
      state = "up";
      for (const step of missed.splice(0)) act(step);
    });
  };
  const end = (point: string | undefined) => {
    const span = lives.at(-1);
    if (span !== undefined) Object.assign(span, { toMs: worldClock.now(), cutAt: point });
    note(`over at ${point ?? "its end"}`);
    lastMoment();
    state = "down";
  };
  const act = (step: OperatorStep): void => {
    switch (step.do) {
      case "crash":
        if (state === "down") return;
        downMs = step.downMs;
        lastMoment();
        lastMoment = clock.after(CUT_WITHIN_MS, daemon.kill);
        return daemon.killAt(step.point, step.nth);
      case "restart":
        if (state !== "up") return;
        state = "stopping";
        return watchOver(daemon.stop(), "the stop", () => {
          end(undefined);
          clock.after(step.downMs, begin);
        });
      case "reload":
        config = step.config;
        putConfig(config);
        if (state !== "up") return;
        epochs.push({ fromMs: worldClock.now(), config });
        return watchOver(daemon.reload(), "the reload", () => undefined);
      case "pause":
      case "resume":
        // Who finds nobody there asks again.
        if (state !== "up") return void missed.push(step);
        return watchOver(daemon.ask("POST", `/api/v1/watches/${step.watch}/${step.do}`), step.do, () => undefined);
      case "silence":
      case "end silence":
        if (state !== "up") return void missed.push(step);
        return watchOver(silencing.act(step), step.do, () => undefined);
    }
  };
  return {
    ...{ epochs, lives, failures, act, silences: silencing.spans },
    begin(first) {
      config = first;
      putConfig(config);
      begin();
    },
    ended(point) {
      if (state === "down") return;
      end(point);
      clock.after(downMs, begin);
    },
  };
}
