/**
 * `plan`'s forecast against the bill: each plan runs on the daemon's own engine, ledger and quota
 * watch, against the bundled sandbox or the seeded workload. Forecasts are taken from the state
 * file alone, by the code of `chirpwatch plan`: a range before anything was counted, and a figure
 * after each number of counted days that is requested. Each is compared with the requests of the
 * days that follow it.
 */
import { createPlanView, type PlanFacts } from "../../src/operate/plan/plan-view.ts";
import { readRatios } from "../../src/engine/quota/day-counter.ts";
import type { Upstream } from "../../src/model/upstream.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { goodConfig } from "../../test/config/load-text.ts";
import { startEngineHarness } from "../../test/support/engine-harness.ts";
import { createSandboxService } from "../../test/support/sandbox-service.ts";
import { createVirtualClock, type VirtualClock } from "../../test/support/virtual-clock.ts";
import { openWorld } from "./cell-world.ts";
import { DAY_MS } from "./workload.ts";

/**
 * The start is not a round time, because intervals counted from the start would then coincide with
 * those counted from the epoch.
 */
const START_MS = Date.UTC(2026, 2, 2, 0, 7, 13);
const HOUR_MS = 3_600_000;
const MONTH_DAYS = 30;
/** A counted day ends with the hour that completes it, and first reads come before the first. */
const COUNTED_DAY_MS = 25 * HOUR_MS;
const BEFORE_FIRST_MS = 2 * HOUR_MS;
const MORE_THAN_ENOUGH = 10_000_000;

/** Handles of accounts that can be read, and a list with those of its members. */
interface Names {
  readonly handles: readonly string[];
  readonly indexed: readonly string[];
  readonly listId: string;
  readonly listed: readonly string[];
}

/** Returns the lines under `watches:`. */
type Plan = (names: Names) => string;

/** Plans that run against the sandbox. */
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

/**
 * Plans that run against the workload, which is cheap enough for this many accounts: each with two
 * means, for a mean delay or for a limit that 95 of 100 posts keep.
 */
const WORKLOAD_PLANS: Readonly<Record<string, (meanSeconds: number) => string>> = {
  schedule: (meanSeconds) => `schedule: "@every ${2 * meanSeconds}s"`,
  freshness: (meanSeconds) => `freshness: { mean: ${meanSeconds}s, max: 4h }`,
  p95: (seconds) => `freshness: ${seconds}s`,
};
const MEANS = [10, 60, 300] as const;
const WORKLOADS = [10, 100, 1_000, 10_000] as const;
/**
 * Whether a plan is fast enough to run by default. The others take long for 30 days and run only by
 * name.
 */
const isQuick = (accounts: number, meanSeconds: number): boolean =>
  accounts <= 1_000 && meanSeconds === 60;

interface ForecastWorld {
  readonly upstream: Upstream;
  readonly names: Names;
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
        plan: ({ handles }: Names) =>
          `\n  t: { type: timeline, accounts: [${handles.join(",\n    ")}], ${scheduleOf(meanSeconds)} }`,
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
    const { upstream, userIds, billed } = openWorld("workload", {
      seed,
      accounts,
      clock,
      days,
      longestWaitMs: 0,
    });
    const names = {
      handles: userIds.map((id) => `"id:${id}"`),
      indexed: [],
      listId: "",
      listed: [],
    };
    return { upstream, names, billed };
  };
}

export interface ForecastOptions {
  readonly seed: number;
  /** Counted days after which `plan` is asked, ascending. */
  readonly countedDays: readonly number[];
  /** The number of billed days after each forecast. */
  readonly days?: number;
}

interface Held {
  /** Whether the forecast before any counting contains the bill in its range. */
  readonly isInside: boolean;
  /** The error as a share of the bill, by counted days. */
  readonly errors: ReadonlyMap<number, number>;
}

/** The greatest error a forecast may have after so many counted days. */
const AIMS: ReadonlyMap<number, number> = new Map([
  [1, 0.15],
  [3, 0.08],
]);

/** Prints a row for each plan, and the number of forecasts that hold. */
export async function runForecasts(
  names: readonly string[],
  options: ForecastOptions,
): Promise<void> {
  const titles = [
    "Plan",
    "Seed",
    "Range",
    "Bill",
    "Inside",
    ...options.countedDays.map((days) => `After ${days} counted days`),
  ];
  console.log(`| ${titles.join(" | ")} |\n| ${titles.map(() => "---").join(" | ")} |`);
  const runs = RUNS.filter(({ name, isByNameOnly = false }) =>
    names.length === 0 ? !isByNameOnly : names.includes(name),
  );
  const rows: Held[] = [];
  for (const run of runs) rows.push(await runPlan(run, options));
  const share = (holds: (row: Held) => boolean): string =>
    `${rows.filter(holds).length} of ${rows.length}`;
  const parts = [...AIMS].flatMap(([days, aim]) =>
    options.countedDays.includes(days)
      ? [
          `within ${100 * aim}% after ${days}: ${share(({ errors }) => Math.abs(errors.get(days) ?? 1) <= aim)}`,
        ]
      : [],
  );
  console.log(`\nInside the range: ${share(({ isInside }) => isInside)}; ${parts.join("; ")}.`);
}

interface Asked {
  readonly atMs: number;
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

async function runPlan(
  { name, plan, open }: Run,
  { seed, countedDays, days = MONTH_DAYS }: ForecastOptions,
): Promise<Held> {
  const clock = createVirtualClock(START_MS);
  const momentOf = (counted: number): number =>
    START_MS + (counted === 0 ? 0 : BEFORE_FIRST_MS + counted * COUNTED_DAY_MS);
  const lastMs = momentOf(Math.max(0, ...countedDays)) + days * DAY_MS;
  const world = open(clock, seed, Math.ceil((lastMs - START_MS) / DAY_MS) + 1);
  const config = await goodConfig(
    `watches:${plan(world.names)}\nsinks: { terminal: { type: console } }\nops: { sink: terminal }\n`,
  );
  const ask = (known: Pick<PlanFacts, "states" | "ratioOf">): Asked => {
    const quota = { limit: null, source: "unknown", reason: "" } as const;
    const { total } = createPlanView(config, { hash: sha256, nowMs: clock.now(), quota, ...known });
    const {
      requests_per_month: middle,
      requests_per_month_range: range,
      first_requests: first,
    } = total;
    const once = clock.now() === START_MS ? first : 0;
    const of = (perMonth: number): number => (perMonth * days) / MONTH_DAYS + once;
    return {
      atMs: clock.now(),
      low: of(range?.low ?? middle),
      middle: of(middle),
      high: of(range?.high ?? middle),
    };
  };
  const asked = new Map([[0, ask({ states: [] })]]);
  const harness = await startEngineHarness({
    clock,
    upstream: world.upstream,
    watches: config.watches,
    seed,
    isGoverned: true,
  });
  const bills = new Map<number, number>([[START_MS, 0]]);
  try {
    const moments = new Set(
      [0, ...countedDays].flatMap((counted) => [
        momentOf(counted),
        momentOf(counted) + days * DAY_MS,
      ]),
    );
    for (const atMs of [...moments].sort((a, b) => a - b)) {
      await clock.advanceTo(atMs);
      if (atMs > START_MS) bills.set(atMs, (await harness.store.spentSince(0)).total);
      const counted = countedDays.find((one) => momentOf(one) === atMs);
      if (counted !== undefined)
        asked.set(
          counted,
          ask({
            states: await harness.store.listWatches(),
            ratioOf: await readRatios(harness.store),
          }),
        );
    }
  } finally {
    await harness.close();
  }
  const billOf = ({ atMs }: Asked): number =>
    (bills.get(atMs + days * DAY_MS) ?? 0) - (bills.get(atMs) ?? 0);
  return report([name, String(seed)], asked, billOf);
}

/**
 * A plan that depends on schedules alone has no range. One request a day more or less counts as
 * inside.
 */
const A_DAY = 1;

function report(
  cells: readonly string[],
  asked: ReadonlyMap<number, Asked>,
  billOf: (asked: Asked) => number,
): Held {
  const [[, before], ...later] = [...asked] as [[number, Asked], ...[number, Asked][]];
  const bill = billOf(before);
  const isInside = bill >= before.low - A_DAY && bill <= before.high + A_DAY;
  const errors = new Map(later.map(([counted, one]) => [counted, one.middle / billOf(one) - 1]));
  const range =
    before.low === before.high
      ? count(before.low)
      : `${count(before.low)} to ${count(before.high)}`;
  const forecasts = later.map(
    ([counted, one]) =>
      `${count(one.middle)} of ${count(billOf(one))} (${percent(errors.get(counted) ?? 0)})`,
  );
  console.log(
    `| ${[...cells, range, count(bill), isInside ? "yes" : "no", ...forecasts].join(" | ")} |`,
  );
  return { isInside, errors };
}

const count = (value: number): string => Math.round(value).toLocaleString("en-US");
const percent = (share: number): string => `${share < 0 ? "" : "+"}${(100 * share).toFixed(1)}%`;
