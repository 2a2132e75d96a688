/**
 * `npm run sim`: plays many seeds in parallel, and prints what failed and how to reproduce it. Owns
 * the arguments and the output.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkChanged } from "./backtest/check-changed.ts";
import { isSettled } from "./check/settled.ts";
import { drawScenario } from "./draw/draw-scenario.ts";
import type { Scenario } from "./draw/scenario.ts";
import { playBacktest, playJob, playScenario, type Verdict } from "./run/play-seed.ts";
import { shrink } from "./run/shrink.ts";
import { simulate } from "./run/simulate.ts";
import { warmUp } from "./run/warm-up.ts";
import { failedSeed, type Job, spread } from "./run/workers.ts";

const HELP = `npm run sim -- [options]

  --seed N          play one seed and say what is wrong with it
  --seeds N         play N seeds
  --seconds N       play seeds until so much time is over
  --from N          the first seed; random for --seconds, else 1
  --replicas N      so many daemons on one state; unless given one, and of one seed in six two or three
  --scenario FILE   play a scenario that was kept
  --twice           with one seed: play it twice and show where the two differ
  --trace           with one seed or scenario: print what the daemon logged, and what the sinks got
  --workers N       processes; one per core unless given
  --bail            play no further seed after the first failure
  --kept            play all scenarios that were kept, before any seeds
  --backtest        compare a backtest with the state that is left, instead of all checks
  --changed         the same for a changed configuration, with which each seed is played again
  --keep            make what fails smaller and keep it in test/sim/regressions`;

const { values } = parseArgs({
  options: {
    ...{
      seed: { type: "string" },
      seeds: { type: "string" },
      seconds: { type: "string" },
      from: { type: "string" },
    },
    ...{
      replicas: { type: "string" },
      scenario: { type: "string" },
      workers: { type: "string" },
      trace: { type: "boolean" },
      keep: { type: "boolean" },
      twice: { type: "boolean" },
      kept: { type: "boolean" },
      backtest: { type: "boolean" },
      changed: { type: "boolean" },
      bail: { type: "boolean" },
    },
    ...{ worker: { type: "boolean" }, help: { type: "boolean" } },
  },
});

const replicas = values.replicas === undefined ? {} : { replicas: Number(values.replicas) };
const isBacktest = values.backtest === true;
const isChanged = values.changed === true;
const forced =
  (values.replicas === undefined ? "" : ` --replicas ${values.replicas}`) +
  (isBacktest ? " --backtest" : "") +
  (isChanged ? " --changed" : "");
const draw = (seed: number): Scenario => drawScenario(seed, replicas.replicas);

const KEPT = "test/sim/regressions";
/** Every so many seeds one is played a second time, to check that it gives the same result. */
const TWICE_EVERY = 25;
const PROGRESS_EVERY = 500;
const SHRINK_MS = 90_000;
/** The first failures of a long list are enough to find the cause. */
const MAX_KEPT = 5;

if (values.worker) await beWorker();
else if (values.help) console.log(HELP);
else if (values.scenario !== undefined)
  await playOne(
    JSON.parse(readFileSync(values.scenario, "utf8")) as Scenario,
    `--scenario ${values.scenario}`,
  );
else if (values.seed !== undefined)
  await playOne(draw(Number(values.seed)), `--seed ${values.seed}${forced}`);
else if ((values.seeds ?? values.seconds ?? values.kept) === undefined) console.log(HELP);
else await playMany();

async function beWorker(): Promise<void> {
  await warmUp();
  process.on("message", (job: Job) => void playJob(job).then((verdict) => process.send?.(verdict)));
}

async function playOne(scenario: Scenario, again: string): Promise<void> {
  await warmUp();
  if (values.trace) await printTrace(scenario);
  if (values.twice) await compareTwo(scenario);
  const verdict = isChanged
    ? await playBacktest(scenario, checkChanged)
    : await (isBacktest ? playBacktest : playScenario)(scenario);
  report(verdict, again);
  if (verdict.objections.length === 0)
    console.log(
      `nothing is wrong: ${verdict.hash}, ${verdict.cpuMs} ms, ${JSON.stringify(verdict.counts)}`,
    );
  else if (values.keep) await keep(scenario, verdict);
  process.exitCode = verdict.objections.length === 0 ? 0 : 1;
}

async function playMany(): Promise<void> {
  const begunMs = Date.now();
  const seconds = values.seconds === undefined ? Number.POSITIVE_INFINITY : Number(values.seconds);
  const first =
    values.from === undefined
      ? values.seconds === undefined
        ? 1
        : Math.floor(Math.random() * 1e9)
      : Number(values.from);
  const kept = values.kept ? readdirSync(KEPT).filter((name) => name.endsWith(".json")) : [];
  const drawn = Number(
    values.seeds ?? (values.seconds === undefined ? 0 : Number.POSITIVE_INFINITY),
  );
  if (kept.length > 0) console.log(`${kept.length} kept scenarios`);
  if (drawn > 0) console.log(`seeds from ${first}`);
  let [played, isOver] = [0, false];
  const next = (): Job | undefined => {
    if (isOver || played >= kept.length + drawn || Date.now() - begunMs > seconds * 1_000)
      return undefined;
    const [n, name] = [played, kept[played]];
    played += 1;
    const isTwice = n % TWICE_EVERY === 0;
    return name === undefined
      ? { seed: first + n - kept.length, ...replicas, isTwice, isBacktest, isChanged }
      : { seed: n, isTwice, isBacktest, isChanged, file: join(KEPT, name) };
  };
  const verdicts: Verdict[] = [];
  const onVerdict = (verdict: Verdict) => {
    verdicts.push(verdict);
    isOver ||= values.bail === true && verdict.objections.length > 0;
    if (verdicts.length % PROGRESS_EVERY === 0) console.log(`${verdicts.length} played`);
    const file = `${verdict.seed}.json`;
    report(
      verdict,
      kept.includes(file) ? `--scenario ${join(KEPT, file)}` : `--seed ${verdict.seed}${forced}`,
    );
  };
  await spread({
    script: join(import.meta.dirname, "main.js"),
    workers: Number(values.workers ?? availableParallelism()),
    ...{ next, onVerdict, failed: failedSeed },
  });
  const failed = verdicts
    .filter(({ objections }) => objections.length > 0)
    .sort((a, b) => a.seed - b.seed);
  sumUp(verdicts, failed.length, Date.now() - begunMs);
  if (values.keep && failed.length > 0) await warmUp();
  for (const verdict of values.keep ? failed.slice(0, MAX_KEPT) : [])
    await keep(draw(verdict.seed), verdict);
  process.exitCode = failed.length === 0 && verdicts.length > 0 ? 0 : 1;
}

function sumUp(verdicts: readonly Verdict[], failed: number, tookMs: number): void {
  const cpuMs = verdicts.reduce((sum, verdict) => sum + verdict.cpuMs, 0) / verdicts.length;
  const messages = verdicts.reduce((sum, { counts }) => sum + counts.messages, 0) / verdicts.length;
  const cuts = new Set(verdicts.flatMap((verdict) => verdict.cuts));
  const each = `${Math.round(cpuMs)} ms and ${Math.round(messages)} messages each`;
  const [stalls, replaced] = (["stalls", "replaced"] as const).map((key) =>
    verdicts.reduce((sum, { counts }) => sum + counts[key], 0),
  );
  if (stalls !== 0)
    console.log(`replicas stood still ${stalls} times, and ${replaced} were replaced`);
  console.log(
    `${verdicts.length} played in ${Math.round(tookMs / 1_000)} s, ${each}; cut at ${cuts.size} points; ${failed} failed`,
  );
}

function report({ objections }: Verdict, again: string): void {
  if (objections.length === 0) return;
  console.log(
    `\n${objections.slice(0, 8).join("\n")}${objections.length > 8 ? `\nand ${objections.length - 8} more` : ""}`,
  );
  console.log(`again: npm run sim -- ${again}`);
}

async function keep(scenario: Scenario, { objections }: Verdict): Promise<void> {
  const untilMs = Date.now() + SHRINK_MS;
  const small = await shrink(scenario, objections, () => Date.now() > untilMs);
  const path = join(KEPT, `${scenario.seed}.json`);
  mkdirSync(KEPT, { recursive: true });
  writeFileSync(path, `${JSON.stringify(small, null, 1)}\n`);
  console.log(
    `kept with ${small.steps.length} of ${scenario.steps.length} steps: npm run sim -- --scenario ${path}`,
  );
}

async function compareTwo(scenario: Scenario): Promise<void> {
  const [one, two] = [
    (await simulate(scenario, isSettled)).trace,
    (await simulate(scenario, isSettled)).trace,
  ];
  const at = one.findIndex((line, n) => line !== two[n]);
  const shown = (lines: readonly string[]) => lines.slice(Math.max(0, at - 3), at + 4).join("\n");
  console.log(
    at < 0 && one.length === two.length
      ? "both are the same"
      : `once:\n${shown(one)}\n\nand once:\n${shown(two)}\n`,
  );
}

async function printTrace(scenario: Scenario): Promise<void> {
  const { attempts, asked, logged, lives, left, world } = await simulate(scenario, isSettled);
  const at = (ms: number) => ((ms - scenario.startMs) / 60_000).toFixed(2).padStart(8);
  const lines = [
    ...logged.map(({ atMs, level, message, fields }) => ({
      atMs,
      text: `${level} ${message} ${JSON.stringify(fields).slice(0, 300)}`,
    })),
    ...asked.map(({ atMs, endpoint, status, input }) => ({
      atMs,
      text: `?? ${status} ${endpoint} ${input.slice(0, 200)}`,
    })),
    ...attempts.map((one) => ({
      atMs: one.atMs,
      text: `-> ${one.sink} ${one.wire} ${one.status} ${one.accepted} ${one.text.slice(0, 400)}`,
    })),
    ...lives.map(({ fromMs, number }) => ({ atMs: fromMs, text: `== life ${number}` })),
    ...lives.map(({ toMs, number, cutAt }) => ({
      atMs: toMs,
      text: `== life ${number} ends ${cutAt ?? ""}`,
    })),
    ...scenario.steps
      .filter((step) => step.do !== "post")
      .map((step) => ({
        atMs: scenario.startMs + step.atMs,
        text: `** ${JSON.stringify(step).slice(0, 400)}`,
      })),
  ];
  console.log(JSON.stringify(scenario.config, null, 1));
  for (const { atMs, text } of lines.sort((a, b) => a.atMs - b.atMs)) console.log(at(atMs), text);
  const names = new Map(world.tweets().map(({ id, name }) => [id, name]));
  for (const { watch, itemId, verdict, detail } of left.verdicts)
    console.log(watch, names.get(itemId) ?? itemId, itemId, verdict, detail);
}
