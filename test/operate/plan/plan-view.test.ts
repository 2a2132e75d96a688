import { expect, it } from "vitest";
import { readRatios } from "../../../src/engine/quota/day-counter.ts";
import { createPlanView } from "../../../src/operate/plan/plan-view.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { goodConfig } from "../../config/load-text.ts";
import { createLearnedInMemory } from "../../support/learned-store.ts";

const NOW = Date.UTC(2026, 2, 2);
const IDS = Array.from({ length: 50 }, (_, i) => String(1_000 + i));

it("prints a range until a day was counted, and then what was counted", async () => {
  const accounts = IDS.map((id) => `"id:${id}"`).join(", ");
  const config = await goodConfig(
    `watches: { w: { type: timeline, accounts: [${accounts}], schedule: "@every 5m", strategy: probe } }\nsinks: { terminal: { type: console } }\nops: { sink: terminal }\n`,
  );
  const store = createLearnedInMemory();
  const view = async () => {
    const quota = { limit: null, source: "unknown", reason: "" } as const;
    return createPlanView(config, {
      hash: sha256,
      nowMs: NOW,
      quota,
      states: [],
      ratioOf: await readRatios(store),
    });
  };
  const before = await view();
  const range = before.total.requests_per_month_range ?? { low: 0, high: 0, unknown_accounts: 0 };
  expect(range.unknown_accounts).toBe(50);
  // A probe every five minutes alone costs 8,640 a month.
  expect(range.low).toBeGreaterThan(8_640);
  expect(range.high).toBeGreaterThan(1.2 * range.low);
  expect(before.total.requests_per_month).toBeCloseTo((range.low + range.high) / 2, 1);
  expect(before.watches[0]?.requests_per_month_range).toEqual({ low: range.low, high: range.high });
  await store.saveLearned(
    "counted_days",
    new Map([
      [
        "w",
        { sinceMs: 0, requests: 0, expected: 0, estimate: 300, lastMs: 0, ratio: 1.1, days: 1 },
      ],
    ]),
  );
  const after = await view();
  expect(after.total.requests_per_month_range).toBeNull();
  expect(after.watches[0]).toMatchObject({ basis: "counted", requests_per_month_range: null });
  expect(after.total.requests_per_month).toBeCloseTo(1.1 * before.total.requests_per_month, 0);
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
      accounts: {},
    };
    return createPlanView(config, {
      hash: sha256,
      nowMs: NOW,
      quota: { limit: null, source: "unknown", reason: "" },
      states: [state],
    });
  };
  const [whole, short] = [planFor("in", "in"), planFor("in", "out")];
  expect(whole.watches[0]?.via_list).toEqual({
    list: "77",
    missing: 0,
    most_requests_per_month_each: 4_320,
  });
  expect(short.watches[0]?.via_list?.missing).toBe(1);
  // Both watches have had their first read.
  expect(short.total.first_requests).toBe(0);
  expect(short.total.requests_per_month - whole.total.requests_per_month).toBe(4_320);
});

it("counts what crons read at the first start beside their own times, and of an interval nothing more than its polls", async () => {
  const firstOf = async (watches: string) => {
    const config = await goodConfig(
      `watches: ${watches}\nsinks: { terminal: { type: console } }\nops: { sink: terminal }\n`,
    );
    const quota = { limit: null, source: "unknown", reason: "" } as const;
    return createPlanView(config, { hash: sha256, nowMs: NOW, quota, states: [] }).total
      .first_requests;
  };
  expect(await firstOf('{ w: { type: search, query: acme, schedule: "0 6 * * *" } }')).toBe(1);
  expect(await firstOf('{ w: { type: search, query: acme, schedule: "@every 1h" } }')).toBe(0);
  expect(
    await firstOf("{ w: { type: search, query: acme, freshness: { mean: 1h, max: 4h } } }"),
  ).toBe(0);
  const ids = Array.from({ length: 130 }, (_, i) => `"id:${1_000 + i}"`).join(", ");
  // One request asks for at most a hundred profiles.
  expect(await firstOf(`{ w: { type: profile, accounts: [${ids}], schedule: "0 6 * * *" } }`)).toBe(
    2,
  );
});
