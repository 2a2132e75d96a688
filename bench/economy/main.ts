/**
 * Measures how many requests the same news costs: with one request per account and tick (a), with
 * the engine under a schedule (b), with the engine under freshness (c), and at the minimum that
 * hindsight allows (d). The command line names sizes: `npm run bench:economy -- 1000x60 100x300`.
 * `--p95 1000x60` sets a limit that 95 of 100 posts keep.
 */
import { BATCH_SIZE } from "../../src/model/batch.ts";
import { boundOf, leastOfTicks } from "./bound.ts";
import { runBursts } from "./burst.ts";
import { runFeeds } from "./feeds.ts";
import { runForecasts } from "./forecast.ts";
import { runMemberLists } from "./member-lists.ts";
import { runMixed } from "./mixed.ts";
import { modelFreshness } from "./model.ts";
import { WORLD_KINDS } from "./cell-world.ts";
import { type Measured, runCell } from "./run-engine.ts";
import { DAY_MS } from "./workload.ts";

const SIZES = [10, 100, 1_000, 10_000].flatMap((accounts) =>
  [10, 60, 300].map((meanSeconds) => ({ accounts, meanSeconds })),
);
/** The size of a cell, in requests. Cells with more requests per day run for fewer days. */
const MOST_REQUESTS = Number(process.env["ECONOMY_REQUESTS"] ?? 25_000);
const SEED = Number(process.env["ECONOMY_SEED"] ?? 1);
const WORLD = WORLD_KINDS.find((kind) => kind === process.env["ECONOMY_WORLD"]) ?? "workload";
/**
 * The days for which the one-by-one requests also run through the engine, if asked for. They take
 * long because they are so many.
 */
const SINGLE_DAYS = Number(process.env["ECONOMY_SINGLE"] ?? 0);
/** The time until the pace is learned. */
const WARM_UP_DAYS = Number(process.env["ECONOMY_WARM_UP"] ?? 0.25);
/**
 * Requests per second that the service allows. Ten thousand accounts asked one by one need more
 * than the usual 20.
 */
const PER_SECOND =
  process.env["ECONOMY_PER_SECOND"] === undefined
    ? {}
    : { perSecond: Number(process.env["ECONOMY_PER_SECOND"]) };
/** A run without full polls shows, by the difference, what they cost. */
const FULL_POLLS =
  process.env["ECONOMY_FULL_POLLS"] === "none" ? { fullPollEveryMs: 10_000 * DAY_MS } : {};

interface Size {
  readonly accounts: number;
  readonly meanSeconds: number;
}

function readSizes(words: readonly string[]): readonly Size[] {
  if (words.length === 0) return SIZES;
  return words.map((word) => {
    const [, accounts, meanSeconds] = /^(\d+)x(\d+)$/.exec(word) ?? [];
    if (accounts === undefined || meanSeconds === undefined)
      throw new Error(`${word} is no size: write accounts x mean seconds, e.g. 1000x60`);
    return { accounts: Number(accounts), meanSeconds: Number(meanSeconds) };
  });
}

const round = (value: number): string => Math.round(value).toLocaleString("en-US");
const seconds = (ms: number): string => (ms / 1_000).toFixed(ms < 100_000 ? 1 : 0);

/**
 * Returns how many times fewer requests it took than asking each account one by one for the same
 * mean delay.
 */
const fewerAtSameMean = ({ accounts }: Size, { requestsPerDay, delayMs }: Measured): string =>
  ((accounts * DAY_MS) / (2 * delayMs.mean) / requestsPerDay).toFixed(1);

function row(
  size: Size,
  name: string,
  requestsPerDay: number,
  single: number,
  measured?: Measured,
): string {
  const cells =
    measured === undefined
      ? ["", "", "", "", "", "", "", ""]
      : [
          fewerAtSameMean(size, measured),
          measured.requestsPerItem.toFixed(2),
          round(measured.rescansPerDay),
          seconds(measured.delayMs.mean),
          seconds(measured.delayMs.p50),
          seconds(measured.delayMs.p95),
          String(measured.missed),
          String(measured.double),
        ];
  return `| ${[round(size.accounts), `${size.meanSeconds} s`, name, round(requestsPerDay), `${(single / requestsPerDay).toFixed(1)}`, ...cells].join(" | ")} |`;
}

const longestOf = (meanMs: number): number => Math.max(4 * 3_600_000, 20 * meanMs);

async function runSize(size: Size): Promise<void> {
  const { accounts } = size;
  const meanMs = size.meanSeconds * 1_000;
  // Posts appear at any moment between two ticks: a mean of half the interval.
  const intervalMs = 2 * meanMs;
  const single = (accounts * DAY_MS) / intervalMs;
  const expected = Math.max(1, Math.ceil(accounts / BATCH_SIZE)) * (DAY_MS / intervalMs);
  const days = Math.min(4, Math.max(0.05, MOST_REQUESTS / (expected * 1.3)));
  const base = {
    ...FULL_POLLS,
    ...PER_SECOND,
    world: WORLD,
    seed: SEED,
    accounts,
    intervalMs,
    days,
    warmUpDays: Math.min(1, Math.max(days, WARM_UP_DAYS)),
  } as const;
  const scheduled = await runCell({ ...base, strategy: "auto" });
  const maxMs = longestOf(meanMs);
  const fresh = await runCell({
    ...base,
    strategy: "auto",
    freshness: { kind: "mean", meanMs, maxMs },
  });
  const bound = boundOf(scheduled.rates, meanMs, maxMs);
  console.log(row(size, "(a) one by one", single, single));
  if (SINGLE_DAYS > 0) {
    const measured = await runCell({
      ...base,
      strategy: "single",
      days: SINGLE_DAYS,
      warmUpDays: intervalMs / DAY_MS,
    });
    console.log(row(size, "(a) by the engine", measured.requestsPerDay, single, measured));
  }
  console.log(row(size, "(b) schedule", scheduled.requestsPerDay, single, scheduled));
  console.log(
    row(
      size,
      "(b) at least",
      leastOfTicks(accounts, intervalMs, scheduled.ticksWithNewsPerDay),
      single,
    ),
  );
  console.log(row(size, "(c) freshness", fresh.requestsPerDay, single, fresh));
  console.log(row(size, "(d) lower bound", bound, single));
  console.error(
    JSON.stringify({
      size,
      days,
      scheduled: { ...scheduled, rates: undefined },
      fresh: { ...fresh, rates: undefined },
      overBound: fresh.requestsPerDay / bound,
    }),
  );
}

function modelSize({ accounts, meanSeconds }: Size): void {
  const meanMs = meanSeconds * 1_000;
  const maxMs = longestOf(meanMs);
  const single = (accounts * DAY_MS) / (2 * meanMs);
  const { requestsPerDay, delayMs, rates } = modelFreshness({
    seed: SEED,
    accounts,
    meanMs,
    maxMs,
    days: accounts > 1_000 ? 0.5 : 2,
  });
  const bound = boundOf(rates, meanMs, maxMs);
  const cells = [requestsPerDay, single / requestsPerDay, requestsPerDay / bound].map((value) =>
    value.toFixed(value > 1_000 ? 0 : 2),
  );
  const delays = [delayMs.mean, delayMs.p50, delayMs.p95].map(seconds);
  console.log(`| ${[round(accounts), `${meanSeconds} s`, ...cells, ...delays].join(" | ")} |`);
}

/**
 * Measures a limit of some seconds for 95 of 100 posts. "times fewer" compares with one request per
 * account in that time.
 */
async function runWithin(size: Size): Promise<void> {
  const p95Ms = size.meanSeconds * 1_000;
  const days = Math.min(
    4,
    Math.max(
      0.05,
      (MOST_REQUESTS * p95Ms * BATCH_SIZE) / (DAY_MS * Math.max(size.accounts, BATCH_SIZE)),
    ),
  );
  const measured = await runCell({
    ...FULL_POLLS,
    ...PER_SECOND,
    world: WORLD,
    seed: SEED,
    accounts: size.accounts,
    intervalMs: p95Ms,
    days,
    warmUpDays: Math.min(1, Math.max(days, WARM_UP_DAYS)),
    strategy: "auto",
    freshness: { kind: "p95", p95Ms },
  });
  console.log(
    row(size, "freshness", measured.requestsPerDay, (size.accounts * DAY_MS) / p95Ms, measured),
  );
}

const HEAD =
  "| Accounts | Mean | Timing | Requests a day | Times fewer | At the mean delivered | Per item | Rescans a day | Mean s | p50 s | p95 s | Missed | Double |";
const RULE = "|---|---|---|---|---|---|---|---|---|---|---|---|---|";

const words = process.argv.slice(2);
if (words[0] === "--model") {
  console.log(
    "| Accounts | Mean | Requests a day | Times fewer | Over the bound | Mean s | p50 s | p95 s |",
  );
  console.log("|---|---|---|---|---|---|---|---|");
  for (const size of readSizes(words.slice(1))) modelSize(size);
  process.exit();
}

if (words[0] === "--forecast") {
  const days = Number(process.env["ECONOMY_DAYS"] ?? 30);
  const countedDays = (process.env["ECONOMY_LEARNED"] ?? "1,3").split(",").map(Number);
  await runForecasts(words.slice(1), { seed: SEED, countedDays, days });
  process.exit();
}

if (words[0] === "--feeds") {
  await runFeeds({ seed: SEED, days: Number(process.env["ECONOMY_DAYS"] ?? 3) });
  process.exit();
}

if (words[0] === "--member-lists") {
  await runMemberLists();
  process.exit();
}

if (words[0] === "--burst") {
  await runBursts();
  process.exit();
}

if (words[0] === "--mixed") {
  await runMixed({ seed: SEED, days: Number(process.env["ECONOMY_DAYS"] ?? 1) });
  process.exit();
}

if (words[0] === "--p95") {
  console.log(HEAD.replace("Mean", "95 of 100 within"));
  console.log(RULE);
  for (const size of readSizes(words.slice(1))) await runWithin(size);
  process.exit();
}

console.log(HEAD);
console.log(RULE);
for (const size of readSizes(words)) await runSize(size);
