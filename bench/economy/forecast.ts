/**
 * `plan`'s forecast against the bill: each plan runs on the daemon's own engine and ledger, against the bundled sandbox or the seeded
 * workload, some days to learn and 30 days to count. Forecasts are taken in between, from the state file alone, by the code of
 * `chirpwatch plan`: one before anything was learned, one after each of the days asked for.
 */
import { readLearned } from "../../src/app/plan/learned.ts";
import { createPlanView, type PlanFacts } from "../../src/app/plan/plan-view.ts";
import type { Upstream } from "../../src/model/upstream.ts";
import { NOTHING_LEARNED } from "../../src/plan/rates/learned.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { goodConfig } from "../../test/config/load-text.ts";
import { type EngineHarness, startEngineHarness } from "../../test/support/engine-harness.ts";
import { createSandboxService } from "../../test/support/sandbox-service.ts";
import { createVirtualClock, type VirtualClock } from "../../test/support/virtual-clock.ts";
import { openWorld } from "./cell-world.ts";
import { DAY_MS } from "./workload.ts";

/** No round time: what counts from the start would meet by chance what counts from the epoch. */
const START_MS = Date.UTC(2026, 2, 2, 0, 7, 13);
const MONTH_DAYS = 30;
const MORE_THAN_ENOUGH = 10_000_000;

/** Handles of accounts that can be read, and a list with those of its members. */
interface Names {
  readonly handles: readonly string[];
  readonly indexed: readonly string[];
  readonly listId: string;
  readonly listed: readonly string[];
}

/** Lines under `watches:`. */
type Plan = (names: Names) => string;

/** Against the sandbox. */
const PLANS: Readonly<Record<string, Plan>> = {
  "searches and timelines": ({ handles: [a = "", b = ""] }) => `
  s1: { type: search, query: "acme", schedule: "@every 5m" }
  s2: { type: search, query: "rival", schedule: "@every 5m" }
  s3: { type: search, query: "alice", schedule: "@every 10m" }
  t1: { type: timeline, accounts: [${a}], schedule: "@every 5m" }
  t2: { type: timeline, accounts: [${b}], schedule: "@every 7m" }`,
  "100 timelines, schedule": ({ handles }) => `
  t: { type: timeline, accounts: [${handles.slice(0, 100).join(", ")}], schedule: "@every 10m" }`,
  "followers, profiles, scores": ({ handles, indexed }) => `
  f: { type: new_followers, accounts: [${indexed.slice(0, 3).join(", ")}], source: indexed, schedule: "@every 30m" }
  g: { type: new_followers, accounts: [${handles.slice(8, 10).join(", ")}], source: all, schedule: "@every 1h" }
  p: { type: profile, accounts: [${handles.slice(0, 40).join(", ")}], schedule: "@every 5m" }
  d: { type: score_delta, accounts: [${indexed.slice(0, 10).join(", ")}], when: { week_delta: ">= 25" }, schedule: "17 6 * * *" }`,
  "100 timelines, freshness": ({ handles }) => `
  t: { type: timeline, accounts: [${handles.slice(0, 100).join(", ")}], freshness: { mean: 300s, max: 100m } }`,
  "20 timelines via a list": ({ listed, listId }) => `
  t: { type: timeline, accounts: [${listed.slice(0, 20).join(", ")}], via_list: "${listId}", schedule: "@every 10m" }`,
  "20 timelines via a list that lacks five": ({ handles, listed, listId }) => `
  t: { type: timeline, accounts: [${[...listed.slice(0, 15), ...handles.filter((one) => !listed.includes(one)).slice(0, 5)].join(", ")}], via_list: "${listId}", schedule: "@every 10m" }`,
  "fresh tweets again": ({ handles }) => `
  t: { type: timeline, accounts: [${handles.slice(0, 100).join(", ")}], schedule: "@every 1h", recheck: { every: 30m, until: 48h } }
  s: { type: search, query: "acme", schedule: "@every 1h", recheck: { every: 10m, until: 2h } }`,
};

/** Against the workload, which is cheap enough for so many accounts: every two means, for a mean delay, or for one that 95 of 100 posts stay under. */
const WORKLOAD_PLANS: Readonly<Record<string, (meanSeconds: number) => string>> = {
  schedule: (meanSeconds) => `schedule: "@every ${2 * meanSeconds}s"`,
  freshness: (meanSeconds) => `freshness: { mean: ${meanSeconds}s, max: 4h }`,
  p95: (seconds) => `freshness: ${seconds}s`,
};
const MEANS = [10, 60, 300] as const;
const WORKLOADS = [10, 100, 1_000, 10_000] as const;
/** The others take long for 30 days: by name only. */
const isQuick = (accounts: number, meanSeconds: number): boolean => accounts <= 1_000 && meanSeconds === 60;

interface ForecastWorld {
  readonly upstream: Upstream;
  readonly names: Names;
  /** Posts a day by user id, as the dice had it, of accounts that change by nothing else; undefined of a world that says otherwise how it goes. */
  readonly rates?: ReadonlyMap<string, number>;
  /** Billed requests, as the service counts them. */
  billed(): number;
}

interface Run {
  readonly name: string;
  readonly plan: Plan;
  readonly open: (clock: VirtualClock, seed: number, days: number) => ForecastWorld;
  readonly isByNameOnly?: boolean;
}

const RUNS: readonly Run[] = [
  ...Object.entries(PLANS).map(([name, plan]) => ({ name, plan, open: openSandbox })),
  ...WORKLOADS.flatMap((accounts) =>
    MEANS.flatMap((meanSeconds) =>
      Object.entries(WORKLOAD_PLANS).map(([timing, scheduleOf]) => ({
        name: `${accounts}x${meanSeconds}, ${timing}`,
        plan: ({ handles }: Names) => `\n  t: { type: timeline, accounts: [${handles.join(",\n    ")}], ${scheduleOf(meanSeconds)} }`,
        open: openWorkload(accounts),
        isByNameOnly: !isQuick(accounts, meanSeconds),
      })),
    ),
  ),
];

function openSandbox(clock: VirtualClock, seed: number): ForecastWorld {
  const service = createSandboxService(clock, { seed, accounts: 300, quota: MORE_THAN_ENOUGH });
  const { people, groups } = service.world;
  const readable = [...people.keys()].filter((key) => people.isReadable(key)).slice(0, 150);
  const list = groups.lists().flatMap(({ id }) => groups.list(id) ?? [])[0];
  const isListed = (key: number) => list !== undefined && groups.isMember(list, key, START_MS);
  return {
    upstream: service.upstream,
    names: {
      handles: readable.map((key) => people.usernameOf(key)),
      indexed: readable.filter((key) => people.isIndexed(key)).map((key) => people.usernameOf(key)),
      listId: list?.id ?? "",
      listed: readable.filter(isListed).map((key) => people.usernameOf(key)),
    },
    billed: () => service.billed().total,
  };
}

function openWorkload(accounts: number): Run["open"] {
  return (clock, seed, days) => {
    const { upstream, userIds, rates, billed } = openWorld("workload", { seed, accounts, clock, days, longestWaitMs: 0 });
    const names = { handles: userIds.map((id) => `"id:${id}"`), indexed: [], listId: "", listed: [] };
    return { upstream, names, rates: new Map(userIds.map((id, index) => [id, rates[index] ?? 0])), billed };
  };
}

export interface ForecastOptions {
  readonly seed: number;
  /** Days of learning after which `plan` is asked, ascending. */
  readonly learnedDays: readonly number[];
  /** That are billed after each. */
  readonly days?: number;
}

/**
 * Prints a row a plan: what was billed after the first of the days of learning, and each forecast with its part of the bill that followed it;
 * first, where the world knows them, that by rates which nobody had to learn.
 */
export async function runForecasts(names: readonly string[], options: ForecastOptions): Promise<void> {
  const titles = ["Plan", "Seed", "Billed", "By true rates", "Nothing learned", ...options.learnedDays.map((days) => `After ${days} days`)];
  console.log(`| ${titles.join(" | ")} |\n| ${titles.map(() => "---").join(" | ")} |`);
  const runs = RUNS.filter(({ name, isByNameOnly = false }) => (names.length === 0 ? !isByNameOnly : names.includes(name)));
  for (const run of runs) await runPlan(run, options);
}

interface Asked {
  readonly learnedDays: number;
  readonly forecast: number;
  readonly watches: readonly object[];
}

async function runPlan({ name, plan, open }: Run, { seed, learnedDays, days = MONTH_DAYS }: ForecastOptions): Promise<void> {
  const clock = createVirtualClock(START_MS);
  const lastDay = Math.max(0, ...learnedDays) + days;
  const world = open(clock, seed, lastDay + 1);
  const config = await goodConfig(`watches:${plan(world.names)}\nsinks: { terminal: { type: console } }\nops: { sink: terminal }\n`);
  const ask = (known: Pick<PlanFacts, "states" | "learned">, learned: number): Asked => {
    const quota = { limit: null, source: "unknown", reason: "" } as const;
    const view = createPlanView(config, { hash: sha256, nowMs: clock.now(), quota, ...known });
    const watches = view.watches.map(({ id, requests_per_day, sweep_requests_per_day, strategies }) => ({
      id,
      days: requests_per_day * days,
      rescans: sweep_requests_per_day * days,
      strategies,
    }));
    const once = learned === 0 ? view.total.first_requests : 0;
    return { learnedDays: learned, forecast: view.total.requests_per_day * days + once, watches };
  };
  const asked = [ask({ states: [] }, 0)];
  const { rates } = world;
  const byTrueRates =
    rates &&
    ask({ states: [], learned: { ...NOTHING_LEARNED, rateOf: (id) => rates.get(id), changesOf: () => 0 } }, learnedDays[0] ?? 1).forecast;
  const harness = await startEngineHarness({ clock, upstream: world.upstream, watches: config.watches, seed });
  const bills: (Bill & { readonly day: number })[] = [];
  try {
    const moments = new Set([0, ...learnedDays].flatMap((day) => [day, day + days]));
    for (const day of [...moments].sort((a, b) => a - b)) {
      await clock.advanceTo(START_MS + day * DAY_MS);
      // What is under way at the start is in the ledger already, and not yet at the service.
      bills.push({ day, ...(day === 0 ? NO_BILL : await billOf(harness, world)) });
      if (learnedDays.includes(day))
        asked.push(ask({ states: await harness.store.listWatches(), learned: await readLearned(harness.store, clock) }, day));
    }
    report(name, seed, days, { asked, byTrueRates }, bills);
  } finally {
    await harness.close();
  }
}

interface Bill {
  readonly ledger: number;
  readonly service: number;
  readonly lines: Readonly<Record<string, number>>;
}

const NO_BILL: Bill = { ledger: 0, service: 0, lines: {} };

async function billOf(harness: EngineHarness, world: ForecastWorld): Promise<Bill> {
  const { total, lines } = await harness.store.spentSince(0);
  const byLine: Record<string, number> = {};
  for (const { watch, endpoint, requests } of lines) byLine[`${watch} ${endpoint}`] = requests;
  return { ledger: total, service: world.billed(), lines: byLine };
}

const count = (value: number): string => Math.round(value).toLocaleString("en-US");

function report(
  name: string,
  seed: number,
  days: number,
  { asked, byTrueRates }: { readonly asked: readonly Asked[]; readonly byTrueRates: number | undefined },
  bills: readonly (Bill & { readonly day: number })[],
): void {
  const rows = asked.map(({ learnedDays, forecast, watches }) => {
    const [before, after] = [bills.find(({ day }) => day === learnedDays), bills.find(({ day }) => day === learnedDays + days)];
    if (before === undefined || after === undefined) throw new Error(`no bill after ${learnedDays} days`);
    const lines = Object.entries(after.lines).map(([line, requests]) => [line, requests - (before.lines[line] ?? 0)]);
    const billed = after.ledger - before.ledger;
    return { learnedDays, forecast, billed, service: after.service - before.service, lines: Object.fromEntries(lines), watches };
  });
  const share = (forecast: number, billed: number): string => `${((100 * forecast) / billed).toFixed(1)}%`;
  const cells = rows.map(({ forecast, billed }) => `${count(forecast)} (${share(forecast, billed)})`);
  const billed = rows[1]?.billed ?? rows[0]?.billed ?? 0;
  console.log(`| ${[name, seed, count(billed), byTrueRates === undefined ? "" : share(byTrueRates, billed), ...cells].join(" | ")} |`);
  console.error(JSON.stringify({ name, seed, byTrueRates, rows }));
}
