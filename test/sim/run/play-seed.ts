/** Plays and checks one scenario, with a result that can be sent to another process. */
import { readFileSync } from "node:fs";
import { checkBacktest } from "../backtest/check-backtest.ts";
import { checkChanged } from "../backtest/check-changed.ts";
import { check } from "../check/check.ts";
import { isSettled } from "../check/settled.ts";
import { drawScenario } from "../draw/draw-scenario.ts";
import type { Scenario } from "../draw/scenario.ts";
import { type Played, simulate } from "./simulate.ts";
import type { Job } from "./workers.ts";

export interface Verdict {
  readonly seed: number;
  /** The hash of everything that happened. It is the same in each run of the seed. */
  readonly hash: string;
  /** Everything that is wrong; empty if all is well. */
  readonly objections: readonly string[];
  readonly cpuMs: number;
  readonly counts: {
    readonly requests: number;
    readonly messages: number;
    readonly lives: number;
    readonly stalls: number;
    readonly replaced: number;
  };
  /** The points at which lives were cut. */
  readonly cuts: readonly string[];
}

const NOTHING: Verdict["counts"] = { requests: 0, messages: 0, lives: 0, stalls: 0, replaced: 0 };

export async function playJob({
  seed,
  replicas,
  file,
  isTwice,
  isBacktest,
  isChanged,
}: Job): Promise<Verdict> {
  const scenario =
    file === undefined
      ? drawScenario(seed, replicas)
      : (JSON.parse(readFileSync(file, "utf8")) as Scenario);
  if (isChanged === true) return playBacktest(scenario, checkChanged);
  if (isBacktest === true) return playBacktest(scenario);
  const verdict = await playScenario(scenario);
  if (!isTwice || (await playScenario(scenario)).hash === verdict.hash) return verdict;
  return { ...verdict, objections: [...verdict.objections, "it went another way the second time"] };
}

export async function playScenario(scenario: Scenario): Promise<Verdict> {
  const { seed } = scenario;
  const uncaught: string[] = [];
  const onUncaught = (error: unknown) =>
    void uncaught.push(`nobody caught: ${error instanceof Error ? error.stack : String(error)}`);
  process.on("unhandledRejection", onUncaught);
  const begun = process.cpuUsage();
  const counts = (played: Played) => ({
    requests: played.asked.length,
    messages: played.attempts.filter(({ accepted }) => accepted).length,
    lives: played.lives.length,
    stalls: played.lives.reduce((sum, { stalls }) => sum + stalls.length, 0),
    replaced: played.lives.filter(({ replacedAtMs }) => replacedAtMs !== undefined).length,
  });
  try {
    const played = await simulate(scenario, isSettled);
    const cuts = played.lives.flatMap(({ cutAt }) =>
      cutAt === undefined || cutAt === "killed" ? [] : [cutAt],
    );
    const objections = [...check(played), ...uncaught];
    return {
      seed,
      hash: played.hash,
      objections,
      cpuMs: cpuSince(begun),
      counts: counts(played),
      cuts,
    };
  } catch (error) {
    const text = `the simulation failed: ${error instanceof Error ? error.stack : String(error)}`;
    return {
      seed,
      hash: "",
      objections: [text],
      cpuMs: cpuSince(begun),
      counts: NOTHING,
      cuts: [],
    };
  } finally {
    process.off("unhandledRejection", onUncaught);
  }
}

/**
 * Compares a backtest of the scenario with the state that this scenario or a changed one leaves.
 */
export async function playBacktest(
  scenario: Scenario,
  check: typeof checkBacktest = checkBacktest,
): Promise<Verdict> {
  const begun = process.cpuUsage();
  const verdict = { seed: scenario.seed, hash: "", cuts: [] };
  try {
    const { objections, counts } = await check(scenario);
    return {
      ...{ ...verdict, objections, cpuMs: cpuSince(begun) },
      counts: { ...NOTHING, messages: counts.alerts },
    };
  } catch (error) {
    const text = `the backtest failed: ${error instanceof Error ? error.stack : String(error)}`;
    return { ...verdict, objections: [text], cpuMs: cpuSince(begun), counts: NOTHING };
  }
}

function cpuSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun);
  return Math.round((user + system) / 1_000);
}
