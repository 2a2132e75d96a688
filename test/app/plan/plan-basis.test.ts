import { expect, it } from "vitest";
import { createPlanView } from "../../../src/app/plan/plan-view.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { WatchState } from "../../../src/model/watch-store.ts";
import { type Learned, NOTHING_LEARNED } from "../../../src/plan/rates/learned.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { goodConfig } from "../../config/load-text.ts";

const NOW = Date.UTC(2026, 2, 10);
const DAY = 86_400_000;

const accounts = `accounts: ["id:1", "id:2", "id:3"]`;
const lines = `
  group: { type: timeline, ${accounts}, schedule: "@every 10m", strategy: probe }
  lists: { type: new_followers, ${accounts}, source: all, schedule: "@every 1h", strategy: probe }
  scores: { type: score_delta, ${accounts}, when: { week_delta: ">= 25" }, schedule: "15 6 * * *" }
  words: { type: search, query: "acme", schedule: "@every 5m", recheck: { every: 10m, until: 2h } }
  fresh: { type: search, query: "rival", freshness: { mean: 60s, max: 1h } }`;

async function basesBy(states: readonly WatchState[], learned: Partial<Learned> = {}) {
  const config = await goodConfig(`watches:${lines}\nsinks: { terminal: { type: console } }\nops: { sink: terminal }\n`);
  const quota = { limit: null, source: "unknown", reason: "" } as const;
  const { watches } = createPlanView(config, { hash: sha256, nowMs: NOW, quota, states, learned: { ...NOTHING_LEARNED, ...learned } });
  return Object.fromEntries(watches.map(({ id, basis, assumes }) => [id, { basis, assumes }]));
}

const stateOf = (id: string, type: string, keys: readonly string[], memory: JsonObject = {}): WatchState => ({
  key: id,
  id,
  type,
  registeredAtMs: NOW - 3 * DAY,
  paused: false,
  targets: keys.map((key) => ({
    watchKey: id,
    key,
    name: key,
    userId: key.startsWith("id:") ? key.slice(3) : null,
    username: null,
    registeredAtMs: NOW - 3 * DAY,
    baselineAtMs: NOW - 3 * DAY,
    memory,
    revision: 1,
    status: "ok",
    statusReason: "",
  })),
  knownItems: 200,
  followedTweets: 0,
  accounts: {},
});

const IDS = ["id:1", "id:2", "id:3"];
const STATES = [
  stateOf("lists", "new_followers", IDS, { pages: 3 }),
  stateOf("words", "search", ["q"], { page: { posts: 18, days: 9, tweets: 20, wanted: 20 } }),
  stateOf("fresh", "search", ["q"]),
];

it("says of what a plan is a guess before anything was learned, and that schedules alone are none", async () => {
  const bases = await basesBy([]);
  expect(bases["scores"]).toEqual({ basis: "schedule", assumes: [] });
  expect(bases["group"]).toEqual({
    basis: "assumed",
    assumes: [
      expect.stringContaining("its accounts post as is usual"),
      expect.stringContaining("2 in 100 of its accounts change each day"),
    ],
  });
  expect(bases["lists"]).toEqual({
    basis: "assumed",
    assumes: [expect.stringContaining("gain and lose members"), expect.stringContaining("fits on one page")],
  });
  expect(bases["words"]).toEqual({
    basis: "assumed",
    assumes: [expect.stringContaining("more than a page"), expect.stringContaining("fresh tweets takes one request")],
  });
  expect(bases["fresh"]).toEqual({
    basis: "assumed",
    assumes: [expect.stringContaining("even intervals"), expect.stringContaining("more than a page")],
  });
});

it("distinguishes what was learned from what was counted, and goes by the least sure", async () => {
  const learned = await basesBy(STATES, { rateOf: () => 1, changesOf: () => 0.01 });
  expect(Object.values(learned).map(({ basis }) => basis)).toEqual(["learned", "learned", "schedule", "learned", "learned"]);
  expect(Object.values(learned).flatMap(({ assumes }) => assumes)).toEqual([]);
  const counted = await basesBy(STATES, {
    rateOf: () => 1,
    countOf: () => ({ strategy: "probe", probes: { perDay: 100, days: 1 }, reads: { perDay: 100, days: 1 } }),
  });
  expect(counted["group"]).toEqual({ basis: "counted", assumes: [] });
  const unwatched = await basesBy(STATES, { rateOf: () => 1 });
  expect(unwatched["group"]).toEqual({ basis: "assumed", assumes: [expect.stringContaining("change each day without a post")] });
  const partly = await basesBy(STATES, { rateOf: (key) => (key === "1" || key === "2" ? 1 : undefined) });
  expect(partly["group"]?.basis).toBe("assumed");
  expect(partly["fresh"]).toEqual({ basis: "assumed", assumes: [expect.stringContaining("even intervals")] });
});
