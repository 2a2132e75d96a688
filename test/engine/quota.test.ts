/**
 * Tests the governor in the daemon's own loop: the end of a month in virtual time, with a real
 * ledger.
 */
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { Priority } from "../../src/model/schedule.ts";
import {
  type EngineHarness,
  type EngineHarnessOptions,
  startEngineHarness,
} from "../support/engine-harness.ts";
import { createFeedWorld } from "../support/feed-world.ts";
import { makeWatch } from "../support/make-watch.ts";
import {
  createScriptedUpstream,
  failure,
  type ScriptedUpstream,
} from "../support/scripted-upstream.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const PERIOD_END = Date.UTC(2026, 3, 1);

let harness: EngineHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

const search = (id: string, everyMs: number, priority: Priority = "normal") =>
  makeWatch(
    id,
    "search",
    { query: id },
    { schedule: { kind: "every", intervalMs: everyMs }, priority, strategy: "single" },
  );

async function setup(
  startMs: number,
  options: Partial<EngineHarnessOptions> & Pick<EngineHarnessOptions, "watches">,
) {
  const clock = createVirtualClock(startMs);
  const world = createFeedWorld({ random: createSeededRandom(1) });
  world.post(startMs - HOUR);
  const upstream = createScriptedUpstream(clock);
  upstream.on("search-tweets", (request, nowMs) => world.answer(request, nowMs));
  harness = await startEngineHarness({
    clock,
    upstream,
    isGoverned: true,
    onExhausted: "degrade",
    ...options,
  });
  return { clock, world, upstream, harness };
}

const callsOf = (upstream: ScriptedUpstream, watch: string): number =>
  upstream.calls.filter(({ params }) => JSON.stringify(params).includes(watch)).length;

describe("a quota that is too small for the plan", () => {
  it("is paced to the end of the period, low priority first, reported once, with the reserve untouched", async () => {
    const startMs = PERIOD_END - DAY;
    const watches = [
      search("fast", 10 * MINUTE, "high"),
      search("usual", 10 * MINUTE),
      search("slow", 10 * MINUTE, "low"),
    ];
    // The schedules would take 432 requests. 315 are left before the reserve.
    const { clock, upstream, harness } = await setup(startMs, {
      watches,
      monthly: 350,
      reserve: 0.1,
    });
    await clock.advanceTo(PERIOD_END - DAY / 2);
    const half = upstream.calls.length;
    await clock.advanceTo(PERIOD_END - 1);
    expect(upstream.calls.length).toBeLessThanOrEqual(315 + 3);
    expect(upstream.calls.length).toBeGreaterThan(280);
    expect(half / upstream.calls.length).toBeGreaterThan(0.45);
    expect(half / upstream.calls.length).toBeLessThan(0.6);
    expect(callsOf(upstream, "fast")).toBeGreaterThanOrEqual(142);
    expect(callsOf(upstream, "usual")).toBeGreaterThanOrEqual(125);
    expect(callsOf(upstream, "slow")).toBeLessThan(50);
    expect(upstream.calls.at(-1)?.atMs).toBeGreaterThan(PERIOD_END - HOUR);
    expect(harness.opsAlerts.map(({ type, severity }) => `${type} ${severity}`)).toEqual([
      "quota.low warning",
    ]);
    expect(harness.opsAlerts[0]?.message).toMatch(/low ×/);
  });

  it("goes slower as soon as the first requests of a small quota are spent, not a minute later", async () => {
    const watches = [search("a", 1_000), search("b", 1_000), search("c", 5_000)];
    const { clock, upstream, harness } = await setup(PERIOD_END - 30 * DAY, {
      watches,
      monthly: 60,
      reserve: 0.1,
    });
    await clock.advance(MINUTE - 1);
    // The limit is a first read of each watch, and 5% of 60.
    expect(upstream.calls.length).toBeLessThanOrEqual(6);
    const nextMs = ["a", "b", "c"].map(
      (watch) => (harness.engine.nextPollAt(watch) ?? 0) - clock.now(),
    );
    expect(Math.min(...nextMs)).toBeGreaterThan(10 * MINUTE);
  });

  it("keeps its pace over restarts, however many", async () => {
    const watches = Array.from({ length: 6 }, (_, i) => search(`w${i}`, MINUTE));
    const { clock, upstream, harness } = await setup(PERIOD_END - 2 * DAY, {
      watches,
      monthly: 600,
      reserve: 0,
    });
    await clock.advance(3 * HOUR);
    expect(harness.quotaMonitor.status.factors.normal).toBeGreaterThan(10);
    const before = upstream.calls.length;
    for (let restart = 0; restart < 10; restart += 1) {
      await clock.advance(5 * MINUTE);
      await harness.restart();
    }
    // An even pace takes about a dozen requests in 50 minutes. A poll of each watch after each
    // restart would take 60.
    expect(upstream.calls.length - before).toBeLessThan(20);
  });

  it("lets polls go at their own pace again as soon as the next period begins", async () => {
    const { clock, upstream, harness } = await setup(PERIOD_END - 6 * HOUR, {
      watches: [search("a", MINUTE)],
      monthly: 60,
      reserve: 0,
    });
    await clock.advanceTo(PERIOD_END - MINUTE);
    expect(harness.quotaMonitor.status.factors.normal).toBeGreaterThan(3);
    const before = upstream.calls.length;
    await clock.advanceTo(PERIOD_END + 3 * MINUTE);
    expect(upstream.calls.length - before).toBeGreaterThanOrEqual(2);
  });

  it("is reported once a period, though the clock is set to the next one and back", async () => {
    const { clock, harness } = await setup(PERIOD_END - 8 * HOUR, {
      watches: [search("a", MINUTE)],
      monthly: 100,
      reserve: 0,
    });
    const alerted = () => harness.opsAlerts.filter(({ type }) => type === "quota.low").length;
    await clock.advance(10 * MINUTE);
    expect(alerted()).toBe(1);
    clock.jump(DAY);
    await clock.advance(10 * MINUTE);
    const perPeriod = alerted();
    expect(perPeriod).toBe(2);
    clock.jump(-DAY);
    await clock.advance(10 * MINUTE);
    await harness.restart();
    await clock.advanceTo(PERIOD_END + HOUR);
    expect(alerted()).toBe(perPeriod);
  });

  it("stops at the soft limit where the operator said pause, slows nothing down, and goes on in the next period", async () => {
    const { clock, upstream, harness } = await setup(PERIOD_END - 6 * HOUR, {
      watches: [search("a", 5 * MINUTE), search("b", 5 * MINUTE, "low")],
      monthly: 100,
      reserve: 0.2,
      onExhausted: "pause",
    });
    await clock.advanceTo(PERIOD_END - 6 * HOUR + 190 * MINUTE);
    expect(callsOf(upstream, "b")).toBeGreaterThanOrEqual(38);
    await clock.advanceTo(PERIOD_END - 1);
    expect(upstream.calls).toHaveLength(80);
    expect(harness.opsAlerts.map(({ type, severity }) => `${type} ${severity}`)).toEqual([
      "quota.low warning",
      "quota.low critical",
    ]);
    await clock.advanceTo(PERIOD_END + 12 * MINUTE);
    expect(upstream.calls.length).toBeGreaterThan(83);
  });
});

describe("with quota N", () => {
  it("never more than N are sent, whatever happens", { timeout: 280_000 }, async () => {
    const scenario = fc.record({
      seed: fc.nat(10_000),
      monthly: fc.integer({ min: 5, max: 150 }),
      reserve: fc.constantFrom(0, 0.1, 0.5),
      mode: fc.constantFrom("degrade" as const, "pause" as const),
      everyMs: fc.array(fc.integer({ min: 20_000, max: 30 * MINUTE }), {
        minLength: 1,
        maxLength: 4,
      }),
      trouble: fc.constantFrom("none", "transient", "rate_limited", "not_found"),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ seed, monthly, reserve, mode, everyMs, trouble }) => {
        const startMs = PERIOD_END - 8 * HOUR;
        const priorities = ["high", "normal", "low"] as const;
        const watches = everyMs.map((ms, i) => search(`w${i}`, ms, priorities[i % 3]));
        const {
          clock,
          world,
          upstream,
          harness: own,
        } = await setup(startMs, { watches, monthly, reserve, onExhausted: mode, seed });
        const random = createSeededRandom(seed);
        upstream.trouble = () => {
          if (trouble !== "none" && random.float() < 0.2) throw failure(trouble as "transient");
          return undefined;
        };
        for (let hour = 0; hour < 8; hour += 1) {
          for (let i = 0; i < random.float() * 120; i += 1)
            world.post(clock.now() + Math.floor(random.float() * HOUR));
          await clock.advance(HOUR * random.float());
          if (random.float() < 0.3) await own.crash();
          await clock.advanceTo(startMs + (hour + 1) * HOUR - 1);
        }
        const sent = upstream.calls.filter(({ atMs }) => atMs < PERIOD_END).length;
        expect(sent).toBeLessThanOrEqual(monthly);
        expect((await own.store.spentSince(0)).total).toBeGreaterThanOrEqual(sent);
        await own.close();
        harness = undefined;
      }),
      { numRuns: 4, seed: 7, endOnFailure: true },
    );
  });
});

describe("after a day of downtime", () => {
  /** Each search finds 200 posts a day, which are 10 pages. */
  const POSTS = 200;
  async function sleepForADay(
    clock: VirtualClock,
    own: EngineHarness,
    post: (timeMs: number) => void,
  ): Promise<void> {
    own.killSwitch.kill();
    const fromMs = clock.now();
    for (let i = 0; i < POSTS; i += 1) post(fromMs + Math.floor(((i + 0.5) * DAY) / POSTS));
    await clock.advance(DAY);
    await own.crash();
  }

  it("catching up is spread, the newest comes first, and nothing is lost", {
    timeout: 280_000,
  }, async () => {
    const startMs = PERIOD_END - 5 * DAY;
    const watches = Array.from({ length: 8 }, (_, i) => search(`w${i}`, 10 * MINUTE));
    const { clock, world, upstream, harness } = await setup(startMs, {
      watches,
      monthly: 7_000,
      reserve: 0.1,
    });
    await clock.advance(HOUR);
    const posted: string[] = [];
    await sleepForADay(clock, harness, (timeMs) => posted.push(world.post(timeMs).id));
    const before = upstream.calls.length;
    const awakeMs = clock.now();
    await clock.advance(10 * MINUTE);
    const spike = upstream.calls.length - before;
    // The spike is a first page of each search and an hour at an even pace, not the 80 pages that
    // were missed.
    expect(spike).toBeGreaterThanOrEqual(8);
    expect(spike).toBeLessThan(16 + 45);
    await clock.advanceTo(awakeMs + 6 * HOUR);
    const events = await harness.events();
    const perWatch = new Set(
      events.filter(({ watch }) => watch === "w3").map(({ subject }) => subject),
    );
    expect(posted.filter((id) => !perWatch.has(id))).toEqual([]);
    expect(events).toHaveLength(posted.length * 8);
    expect((await harness.store.spentSince(0)).total).toBe(upstream.calls.length);
  });
});
