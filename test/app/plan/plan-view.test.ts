import { expect, it } from "vitest";
import { readLearned } from "../../../src/app/plan/learned.ts";
import { createPlanView } from "../../../src/app/plan/plan-view.ts";
import { createChangeCounts } from "../../../src/groups/accounts/change-counts.ts";
import { createProbeStates } from "../../../src/groups/probing/probe-states.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { goodConfig } from "../../config/load-text.ts";
import { createLearnedInMemory } from "../../support/learned-store.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 2, 2);
const IDS = Array.from({ length: 50 }, (_, i) => String(1_000 + i));

/** A plan of 50 accounts whose rate was learned, and of which so many changed without a post in two days, where these were watched. */
async function planWith(postsPerDay: number, changed?: number) {
  const clock = createVirtualClock(NOW);
  const store = createLearnedInMemory();
  const probeStates = createProbeStates(store, clock);
  const probe = { fields: null, probedAtMs: NOW, fullAtMs: NOW };
  for (const id of IDS) {
    const rate = { posts: postsPerDay * 30, days: 30, excited: 0, atMs: NOW };
    probeStates.put(id, { probe, rate, handle: `h${id}`, checkedAtMs: NOW }, "later");
  }
  await probeStates.close();
  const changes = createChangeCounts(store, clock);
  const changedMs = Array.from({ length: changed ?? 0 }, () => NOW);
  const run = { accounts: IDS.length, changedMs: [], startedAtMs: NOW, intervalMs: DAY };
  if (changed !== undefined)
    for (const one of [run, { ...run, changedMs, startedAtMs: NOW + 2 * DAY }]) changes.take("before it had this schedule", one);
  await changes.close();
  const accounts = IDS.map((id) => `"id:${id}"`).join(", ");
  const config = await goodConfig(
    `watches: { w: { type: timeline, accounts: [${accounts}], schedule: "@every 5m", strategy: probe } }\nsinks: { terminal: { type: console } }\nops: { sink: terminal }\n`,
  );
  const quota = { limit: null, source: "unknown", reason: "" } as const;
  return createPlanView(config, { hash: sha256, nowMs: NOW, quota, states: [], learned: await readLearned(store, clock) });
}

it("goes by the rates that daemons on this state have learned", async () => {
  const [silent, busy] = [await planWith(0.01), await planWith(40)];
  expect(silent.watches[0]?.strategies).toEqual(["probe"]);
  expect(silent.total.requests_per_month_range).toBeNull();
  // A probe every five minutes costs 8,640 a month by itself.
  expect(silent.total.requests_per_month).toBeGreaterThan((30 * DAY) / 300_000);
  expect(silent.total.requests_per_month).toBeLessThan(1.5 * ((30 * DAY) / 300_000));
  expect(busy.total.requests_per_month).toBeGreaterThan(2 * silent.total.requests_per_month);
});

it("goes by as many changes that no post accounts for as daemons on this state have seen", async () => {
  const monthWith = async (changed?: number) => (await planWith(0.5, changed)).total.requests_per_month;
  const [unknown, none, many] = [await monthWith(), await monthWith(0), await monthWith(11)];
  // Half a hundred accounts, of which one changes a day, and is searched for seven times.
  expect(unknown - none).toBeGreaterThan(0.5 * 30 * 7);
  expect(unknown - none).toBeLessThan(30 * 7);
  expect(many - unknown).toBeGreaterThan(2 * 30 * 7);
});

it("counts accounts that their list does not hold among those read by themselves, and says how many they are", async () => {
  const config = await goodConfig(
    'watches: { w: { type: timeline, accounts: ["id:1", "id:2"], via_list: "77", schedule: "@every 10m" } }\nsinks: { terminal: { type: console } }\nops: { sink: terminal }\n',
  );
  const target = (id: string, list: string) => ({
    watchKey: "w",
    key: `id:${id}`,
    name: `id:${id}`,
    userId: id,
    username: `user${id}`,
    registeredAtMs: 0,
    baselineAtMs: 0,
    memory: { list },
    revision: 1,
    status: "ok" as const,
    statusReason: "",
  });
  const planFor = (...lists: readonly string[]) => {
    const targets = lists.map((list, i) => target(String(i + 1), list));
    const state = {
      key: "w",
      id: "w",
      type: "timeline",
      registeredAtMs: 0,
      paused: false,
      targets,
      knownItems: 0,
      followedTweets: 0,
      accounts: {},
    };
    return createPlanView(config, { hash: sha256, nowMs: NOW, quota: { limit: null, source: "unknown", reason: "" }, states: [state] });
  };
  const [whole, short] = [planFor("in", "in"), planFor("in", "out")];
  expect(whole.watches[0]?.via_list).toEqual({ list: "77", missing: 0, most_requests_per_month_each: 4_320 });
  expect(short.watches[0]?.via_list?.missing).toBe(1);
  // Both were read before.
  expect(short.total.first_requests).toBe(0);
  expect(short.total.requests_per_month - whole.total.requests_per_month).toBe(4_320);
});

it("counts what crons read at the first start beside their own times, and of an interval nothing more than its polls", async () => {
  const firstOf = async (watches: string) => {
    const config = await goodConfig(`watches: ${watches}\nsinks: { terminal: { type: console } }\nops: { sink: terminal }\n`);
    const quota = { limit: null, source: "unknown", reason: "" } as const;
    return createPlanView(config, { hash: sha256, nowMs: NOW, quota, states: [] }).total.first_requests;
  };
  expect(await firstOf('{ w: { type: search, query: acme, schedule: "0 6 * * *" } }')).toBe(1);
  expect(await firstOf('{ w: { type: search, query: acme, schedule: "@every 1h" } }')).toBe(0);
  expect(await firstOf("{ w: { type: search, query: acme, freshness: { mean: 1h, max: 4h } } }")).toBe(0);
  const ids = Array.from({ length: 130 }, (_, i) => `"id:${1_000 + i}"`).join(", ");
  // Of a hundred profiles in one request.
  expect(await firstOf(`{ w: { type: profile, accounts: [${ids}], schedule: "0 6 * * *" } }`)).toBe(2);
});
