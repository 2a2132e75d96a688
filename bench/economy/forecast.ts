/**
 * `plan`'s forecast against the bill: each plan runs on the daemon's own engine and ledger against the bundled sandbox, a day to learn and
 * 30 days to count. The forecast is taken in between, from the state file alone, by the code of `chirpwatch plan`.
 */
import { readLearnedRates } from "../../src/app/learned-rates.ts";
import { createPlanView } from "../../src/app/plan-view.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { goodConfig } from "../../test/config/load-text.ts";
import { type EngineRig, startEngineRig } from "../../test/support/engine-rig.ts";
import { createSandboxService, type SandboxService } from "../../test/support/sandbox-service.ts";
import { createVirtualClock } from "../../test/support/virtual-clock.ts";
import { DAY_MS } from "./workload.ts";

const START_MS = Date.UTC(2026, 2, 2);
const WARM_UP_DAYS = Number(process.env["ECONOMY_WARM_UP"] ?? 1);
const MONTH_DAYS = 30;

/** Handles of accounts that can be read, and a list with those of its members. */
interface Names {
  readonly handles: readonly string[];
  readonly indexed: readonly string[];
  readonly listId: string;
  readonly listed: readonly string[];
}

/** Lines under `watches:`. */
type Plan = (names: Names) => string;

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

interface Bill {
  readonly ledger: number;
  readonly service: number;
  readonly lines: Readonly<Record<string, number>>;
}

async function billOf(rig: EngineRig, service: SandboxService): Promise<Bill> {
  const { total, lines } = await rig.store.spentSince(0);
  const byLine: Record<string, number> = {};
  for (const { watch, endpoint, requests } of lines) byLine[`${watch} ${endpoint}`] = requests;
  return { ledger: total, service: service.billed().total, lines: byLine };
}

/** Prints a row a plan: what was foretold for 30 days, what was billed. */
export async function runForecasts(
  names: readonly string[],
  seed: number,
  days = Number(process.env["ECONOMY_DAYS"] ?? MONTH_DAYS),
): Promise<void> {
  console.log("| Plan | Forecast | Billed | Of the bill | Service's own count |");
  console.log("| --- | --- | --- | --- | --- |");
  for (const [name, plan] of Object.entries(PLANS)) if (names.length === 0 || names.includes(name)) await runPlan(name, plan, seed, days);
}

function namesOf({ world: { people, groups } }: SandboxService, nowMs: number): Names {
  const readable = [...people.keys()].filter(people.isReadable).slice(0, 150);
  const list = groups.lists().flatMap(({ id }) => groups.list(id) ?? [])[0];
  const isListed = (key: number) => list !== undefined && groups.isMember(list, key, nowMs);
  return {
    handles: readable.map(people.usernameOf),
    indexed: readable.filter(people.isIndexed).map(people.usernameOf),
    listId: list?.id ?? "",
    listed: readable.filter(isListed).map(people.usernameOf),
  };
}

async function runPlan(name: string, plan: Plan, seed: number, days: number): Promise<void> {
  const clock = createVirtualClock(START_MS);
  const service = createSandboxService(clock, { seed, accounts: 300, quota: 10_000_000 });
  const config = await goodConfig(
    `watches:${plan(namesOf(service, START_MS))}\nsinks: { terminal: { type: console } }\nops: { sink: terminal }\n`,
  );
  const rig = await startEngineRig({ clock, upstream: service.upstream, watches: config.watches, seed });
  try {
    await clock.advanceTo(START_MS + WARM_UP_DAYS * DAY_MS);
    const before = await billOf(rig, service);
    const view = createPlanView(config, {
      hash: sha256,
      nowMs: clock.now(),
      quota: { limit: null, source: "unknown", reason: "" },
      states: await rig.store.listWatches(),
      rateOf: await readLearnedRates(rig.store, clock),
    });
    await clock.advance(days * DAY_MS);
    const after = await billOf(rig, service);
    const [billed, service30] = [after.ledger - before.ledger, after.service - before.service];
    const forecast = view.total.requests_per_day * days;
    const cells = [forecast, billed].map((value) => Math.round(value).toLocaleString("en-US"));
    console.log(`| ${[name, ...cells, `${((100 * forecast) / billed).toFixed(1)}%`, service30.toLocaleString("en-US")].join(" | ")} |`);
    const lines = Object.entries(after.lines).map(([line, requests]) => [line, requests - (before.lines[line] ?? 0)]);
    const watches = view.watches.map(({ id, requests_per_day, sweep_requests_per_day, strategies }) => ({
      id,
      days: requests_per_day * days,
      sweeps: sweep_requests_per_day * days,
      strategies,
    }));
    console.error(JSON.stringify({ name, lines: Object.fromEntries(lines), watches }));
  } finally {
    await rig.close();
  }
}
