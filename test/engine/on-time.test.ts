/** A group that was kept from its turns: what it finds late then says nothing of its pace. */
import { afterEach, describe, expect, it } from "vitest";
import type { GroupMemory } from "../../src/engine/group-memory.ts";
import { paceAfter } from "../../src/engine/group-pace.ts";
import { createOnTime } from "../../src/engine/on-time.ts";
import { UpstreamError } from "../../src/model/upstream.ts";
import { firstPace } from "../../src/plan/probe-pace.ts";
import { createAccountsWorld, serveWorld } from "../support/accounts-world.ts";
import { type EngineRig, startEngineRig } from "../support/engine-rig.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2);
const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const rigs: EngineRig[] = [];

afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close();
});

describe("a group is on time", () => {
  it("from its first run on, as long as the next ones begin when they are due", async () => {
    const clock = createVirtualClock(START);
    const onTime = createOnTime(clock);
    expect(onTime.begin("g", MIN)).toBe(START);
    onTime.end("g", START + 10 * MIN);
    await clock.advance(11 * MIN);
    expect(onTime.begin("g", MIN)).toBe(START);
    expect(onTime.begin("other", MIN)).toBe(START + 11 * MIN);
  });

  it("again from a run that began late, or followed one that failed", async () => {
    const clock = createVirtualClock(START);
    const onTime = createOnTime(clock);
    onTime.begin("late", MIN);
    onTime.end("late", START + 10 * MIN);
    onTime.begin("failed", MIN);
    await clock.advance(12 * MIN);
    expect(onTime.begin("late", MIN)).toBe(START + 12 * MIN);
    expect(onTime.begin("failed", MIN)).toBe(START + 12 * MIN);
  });

  it("again from the end of a run that took too long", async () => {
    const clock = createVirtualClock(START);
    const onTime = createOnTime(clock);
    onTime.begin("g", MIN);
    await clock.advance(5 * MIN);
    onTime.end("g", START + 6 * MIN);
    await clock.advance(MIN);
    expect(onTime.begin("g", MIN)).toBe(START + 5 * MIN);
  });
});

it("learns nothing of its pace while it is slowed down on purpose", () => {
  const freshness = { kind: "mean", meanMs: MIN, maxMs: HOUR } as const;
  const pace = firstPace(
    Array.from({ length: 150 }, () => PER_DAY),
    freshness,
    START,
  );
  const query = {
    freshness,
    waiting: [],
    memory: { pace } as GroupMemory,
    awaited: [{ posts: 50, waitedMs: 50 * HOUR }],
    delaysMs: [HOUR, HOUR],
  };
  expect(paceAfter({ ...query, isPaced: false, nowMs: START + HOUR })).toBe(pace);
  expect(paceAfter({ ...query, isPaced: true, nowMs: START + HOUR }).worth).toBeLessThan(0.9 * pace.worth);
});

const ACCOUNTS = 150;
const PER_DAY = 12;
/** Three hours in which the service answers nothing. */
const OUTAGE = { fromMs: START + 8 * HOUR, untilMs: START + 11 * HOUR };

it("asks no oftener after an outage than before it", { timeout: 120_000 }, async () => {
  const clock = createVirtualClock(START);
  const random = createSeededRandom(4);
  const world = createAccountsWorld();
  for (let i = 0; i < ACCOUNTS; i += 1) {
    const account = world.add(`a${i}`);
    for (let atMs = START - DAY; atMs < START + DAY; atMs += (-Math.log(1 - random.float()) * DAY) / PER_DAY)
      world.post(account, Math.floor(atMs));
  }
  const { upstream, calls } = serveWorld(world, clock);
  const flaky: typeof upstream = {
    async call(request) {
      if (clock.now() < OUTAGE.fromMs || clock.now() >= OUTAGE.untilMs) return upstream.call(request);
      throw new UpstreamError("transient", "down", 503);
    },
  };
  const accounts = world.accounts.map(({ id }) => `id:${id}`);
  const watch = makeWatch("w", "timeline", { accounts }, { freshness: { kind: "mean", meanMs: MIN, maxMs: HOUR } });
  const rig = await startEngineRig({ clock, upstream: flaky, watches: [watch] });
  rigs.push(rig);
  const probesIn = (fromMs: number, toMs: number): number =>
    calls.filter(({ endpoint, atMs }) => endpoint === "info-batch" && atMs >= fromMs && atMs < toMs).length;
  await clock.advanceTo(START + 15 * HOUR);
  const before = probesIn(START + 4 * HOUR, OUTAGE.fromMs) / 4;
  const after = probesIn(OUTAGE.untilMs + HOUR, START + 15 * HOUR) / 3;
  expect(after / before).toBeLessThan(1.1);
  expect(after / before).toBeGreaterThan(0.9);
});
