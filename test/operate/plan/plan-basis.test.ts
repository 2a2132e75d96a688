import { expect, it } from "vitest";
import { createPlanView } from "../../../src/operate/plan/plan-view.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { WatchState } from "../../../src/model/watch-store.ts";
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

async function basesBy(
  states: readonly WatchState[],
  ratioOf?: (watchId: string) => number | undefined,
) {
  const config = await goodConfig(
    `watches:${lines}\nsinks: { terminal: { type: console } }\nops: { sink: terminal }\n`,
  );
  const quota = { limit: null, source: "unknown", reason: "" } as const;
  const { watches } = createPlanView(config, { hash: sha256, nowMs: NOW, quota, states, ratioOf });
  return Object.fromEntries(watches.map(({ id, basis, assumes }) => [id, { basis, assumes }]));
}

const stateOf = (
  id: string,
  type: string,
  keys: readonly string[],
  memory: JsonObject = {},
): WatchState => ({
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
  accounts: {},
});

const IDS = ["id:1", "id:2", "id:3"];

it("says what a plan assumes before anything was counted, and that schedules alone assume nothing", async () => {
  const bases = await basesBy([]);
  expect(bases["scores"]).toEqual({ basis: "schedule", assumes: [] });
  expect(bases["group"]).toEqual({
    basis: "assumed",
    assumes: [expect.stringContaining("posts 0.5 to 12 times a day")],
  });
  expect(bases["lists"]).toEqual({
    basis: "assumed",
    assumes: [
      expect.stringContaining("gains or loses members"),
      expect.stringContaining("fits on one page"),
    ],
  });
  expect(bases["words"]).toEqual({
    basis: "assumed",
    assumes: [
      expect.stringContaining("more than a page"),
      expect.stringContaining("one request per hundred fresh tweets"),
    ],
  });
  expect(bases["fresh"]).toEqual({
    basis: "assumed",
    assumes: [
      expect.stringContaining("even intervals"),
      expect.stringContaining("more than a page"),
    ],
  });
});

it("knows lists by their last whole read, and a watch by its own days", async () => {
  const known = await basesBy([stateOf("lists", "new_followers", IDS, { pages: 3 })], (id) =>
    id === "group" ? 0.9 : undefined,
  );
  expect(known["lists"]?.assumes).toEqual([expect.stringContaining("gains or loses members")]);
  expect(known["group"]).toEqual({ basis: "counted", assumes: [] });
  expect(known["words"]?.basis).toBe("assumed");
});
