/**
 * The operator of a simulation's daemons: one or several replicas, each with its keeper. Changes
 * their configuration, pauses their watches, silences their alerts. The world does not wait for any
 * of it, and an act that takes too long is a failure.
 */
import type { Clock } from "../../../src/model/clock.ts";
import type { VirtualClock } from "../../support/virtual-clock.ts";
import type { ConfigText, Step } from "../draw/scenario.ts";
import type { SimDaemon, SimDaemonOptions } from "./daemon.ts";
import { createKeeper, type Keeper, type KeeperStep, type LifeSpan, watchOver } from "./keeper.ts";
import { type ActSpan, type ActStep, createActing } from "./acting.ts";
import { createSilencing, type SilenceSpan } from "./silencing.ts";
import type { Epoch } from "./simulate.ts";

export type AskStep = Step & { readonly do: "ask" | "backfill" };

type ToggleStep = Step & { readonly do: "pause" | "resume" };

export type OperatorStep =
  | KeeperStep
  | AskStep
  | ActStep
  | ToggleStep
  | (Step & { readonly do: "reload" | "silence" | "end silence" });

export interface Operator {
  readonly epochs: readonly Epoch[];
  readonly lives: readonly LifeSpan[];
  readonly failures: readonly string[];
  readonly silences: readonly SilenceSpan[];
  readonly acts: readonly ActSpan[];
  /** Begins. @param startsMs the delay of the start of each replica */
  begin(config: ConfigText, startsMs?: readonly number[]): void;
  act(step: OperatorStep): void;
  /** Sends a request to one of the running daemons. */
  readonly ask: SimDaemon["ask"];
  /** Sends a request to every running daemon. */
  readonly askEach: (
    ...asked: Parameters<SimDaemon["ask"]>
  ) => readonly ReturnType<SimDaemon["ask"]>[];
  /** Kills all daemons. */
  kill(): void;
}

export interface OperatorDeps {
  readonly clock: VirtualClock;
  readonly worldClock: Clock;
  readonly replicas: number;
  readonly createDaemon: (
    replica: number,
    hooks: Pick<SimDaemonOptions, "onEnd" | "onReplaced">,
  ) => SimDaemon;
  /**
   * Makes the stored configuration the current one if others have superseded it. Called for each
   * configuration that is stored. Undefined where nothing does that.
   */
  readonly activate: (() => Promise<void>) | undefined;
  readonly isServerAway: () => boolean;
  readonly putConfig: (config: ConfigText) => void;
  readonly note: (text: string) => void;
  /** Does the command's own part of a backfill, and returns its request to the daemon. */
  readonly readBack: (step: Step & { readonly do: "backfill" }) => Promise<string>;
  /** How long a cut process stays down, unless a step says otherwise. */
  readonly downMs?: number | undefined;
}

/** After this time others have taken over the work of a stopped replica. */
const TAKEN_OVER_MS = 20_000;

export function createOperator(deps: OperatorDeps): Operator {
  const { clock, worldClock, replicas, createDaemon, activate, isServerAway, putConfig, note } =
    deps;
  const epochs: Epoch[] = [];
  const lives: LifeSpan[] = [];
  const failures: string[] = [];
  let config: ConfigText = {};
  const missed: OperatorStep[] = [];
  /** Requests without an answer so far. */
  const asked = new Set<AskStep>();
  /** The last pause or resumption of each watch that got no answer so far. */
  const toggled = new Map<string, ToggleStep>();
  const onBegin = () => epochs.push({ fromMs: worldClock.now(), config });
  const onUp = () => {
    for (const step of [...asked, ...toggled.values(), ...missed.splice(0)]) act(step);
  };
  const keepers = Array.from({ length: replicas }, (_, replica): Keeper => {
    const keeper: Keeper = createKeeper({
      ...{
        clock,
        worldClock,
        replica,
        lives,
        failures,
        note,
        onBegin,
        onUp,
        isServerAway,
        downMs: deps.downMs,
      },
      isOneOfSeveral: replicas > 1,
      daemon: createDaemon(replica, {
        onEnd: (point) => keeper.ended(point),
        onReplaced: () => keeper.replaced(),
      }),
    });
    return keeper;
  });
  const someone = () => keepers.find(({ isUp }) => isUp);
  const ask: Operator["ask"] = async (...asked) => someone()?.daemon.ask(...asked);
  const askEach: Operator["askEach"] = (...asked) =>
    keepers.filter(({ isUp }) => isUp).map(({ daemon }) => daemon.ask(...asked));
  const silencing = createSilencing({ ask }, worldClock);
  const acting = createActing(worldClock, silencing.spans);
  /** People send requests to any of the daemons. */
  const anyone = (nth: number) => {
    const up = keepers.filter(({ isUp }) => isUp);
    return up[nth % Math.max(1, up.length)];
  };

  const follow = ({ daemon }: Keeper, work: Promise<unknown>, what: string) =>
    watchOver(work, { clock, daemon, lives, failures }, { what, onDone: () => undefined });
  const askFor = async (step: AskStep, { daemon }: Keeper): Promise<void> => {
    const path = step.do === "ask" ? step.path : await deps.readBack(step);
    const answer = await daemon.ask("POST", path);
    const isDone = answer !== undefined && answer.status < 500;
    if (isDone) asked.delete(step);
    if (isDone && answer.status !== 200) failures.push(`${path}: ${answer.text}`);
  };
  const toggle = async (step: ToggleStep, { daemon }: Keeper): Promise<void> => {
    const answer = await daemon.ask("POST", `/api/v1/watches/${step.watch}/${step.do}`);
    const isDone = answer !== undefined && answer.status < 500;
    if (isDone && toggled.get(step.watch) === step) toggled.delete(step.watch);
  };
  const beginSooner = ({ replica = 0, until }: Step & { readonly do: "restart" }): void => {
    if (until === undefined) return;
    clock.after(TAKEN_OVER_MS, () =>
      keepers[until.replica]?.at(until.point, () => keepers[replica]?.begin()),
    );
  };
  const act = (step: OperatorStep): void => {
    switch (step.do) {
      case "restart":
        keepers[step.replica ?? 0]?.act(step);
        return beginSooner(step);
      case "crash":
      case "stall":
      case "cut off":
      case "part":
        return keepers[step.replica ?? 0]?.act(step);
      case "reload": {
        config = step.config;
        putConfig(config);
        const ready = activate?.();
        const up = keepers.filter(({ isUp }) => isUp);
        if (up.length > 0) epochs.push({ fromMs: worldClock.now(), config });
        for (const keeper of up)
          follow(
            keeper,
            ready === undefined ? keeper.daemon.reload() : ready.then(keeper.daemon.reload),
            "the reload",
          );
        return;
      }
      default: {
        const keeper = someone();
        // A request that finds no daemon running is made again later.
        if (keeper === undefined) return void missed.push(step);
        if (step.do === "ask" || step.do === "backfill") {
          asked.add(step);
          return follow(keeper, askFor(step, keeper), step.do);
        }
        if (step.do === "mark" || step.do === "hold" || step.do === "end hold") {
          const asked = anyone(step.nth) ?? keeper;
          return follow(asked, acting.act(step, asked.daemon), step.do);
        }
        if (step.do === "silence" || step.do === "end silence")
          return follow(keeper, silencing.act(step), step.do);
        toggled.set(step.watch, step);
        return follow(keeper, toggle(step, keeper), step.do);
      }
    }
  };
  return {
    ...{ epochs, lives, failures, act, ask, askEach, silences: silencing.spans },
    acts: acting.spans,
    begin(first, startsMs = []) {
      config = first;
      putConfig(config);
      void activate?.();
      for (const [replica, keeper] of keepers.entries()) {
        const afterMs = startsMs[replica] ?? 0;
        if (afterMs === 0) keeper.begin();
        else clock.after(afterMs, keeper.begin);
      }
    },
    kill() {
      for (const { daemon } of keepers) daemon.kill();
    },
  };
}
