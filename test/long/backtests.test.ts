/**
 * Tests backtests of 1,000 simulated worlds against the states that these left, and of 1,000 worlds
 * with a changed configuration against the states of daemons that had it from the start.
 */
import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";
import type { Verdict } from "../sim/run/play-seed.ts";
import { failedSeed, type Job, spread } from "../sim/run/workers.ts";
import { SEED, seeds } from "./drawn-seed.ts";

const root = resolve(import.meta.dirname, "../..");
const SEEDS = 1_000;
const LONG_MS = 10_800_000;

beforeAll(async () => {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  await promisify(execFile)(process.execPath, [tsc, "-p", "tsconfig.sim.json", "--noCheck"], {
    cwd: root,
  });
});

it.each([
  ["leads to what the state recorded, or the state has the cause", "--backtest"],
  ["of a changed configuration leads to what a daemon with it recorded", "--changed"],
] as const)(
  `a backtest %s: seeds from ${SEED}`,
  async (_, option) => {
    const kind = option === "--changed" ? { isChanged: true } : { isBacktest: true };
    const jobs = seeds(SEEDS).map((seed): Job => ({ seed, isTwice: false, ...kind }));
    const wrong: string[] = [];
    await spread<Job, Verdict>({
      script: join(root, ".sim/test/sim/main.js"),
      workers: availableParallelism(),
      next: () => jobs.shift(),
      failed: failedSeed,
      onVerdict: ({ seed, objections }) => {
        const [first] = objections;
        if (first !== undefined) wrong.push(`${option} --seed ${seed}: ${first}`);
      },
    });
    expect(wrong).toEqual([]);
  },
  LONG_MS,
);
