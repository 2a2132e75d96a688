/** A group that was kept from its turns: what it finds late then says nothing of its pace. */
import { afterEach, describe, expect, it } from "vitest";
import type { GroupMemory } from "../../../../src/groups/accounts/group-memory.ts";
import { firstPace, probesForMean } from "../../../../src/groups/accounts/pacing/group-mean.ts";
import { createOnTime } from "../../../../src/groups/accounts/pacing/on-time.ts";
import { UpstreamError } from "../../../../src/model/upstream.ts";
import { createAccountsWorld, serveWorld } from "../../../support/accounts-world.ts";
import { type EngineHarness, startEngineHarness } from "../../../support/engine-harness.ts";
import { makeWatch } from "../../../support/make-watch.ts";
import { createSeededRandom } from "../../../support/seeded-random.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2);
const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const harnesses: EngineHarness[] = [];

afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
});

/** With 150 of them, and against closer bounds: test/long/group-on-time.test.ts. */
const ACCOUNTS = 40;
const PER_DAY = 12;

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

  it("again from a run that finds the clock set back", async () => {
    const clock = createVirtualClock(START);
    const onTime = createOnTime(clock);
    onTime.begin("g", MIN);
    onTime.end("g", START + 10 * MIN);
    clock.jump(-DAY);
    expect(onTime.begin("g", MIN)).toBe(START - DAY);
  });

  it("again from a run that finds the clock set back by less than it has been on time", async () => {
    const clock = createVirtualClock(START);
    const onTime = createOnTime(clock);
    onTime.begin("g", MIN);
    onTime.end("g", START + HOUR);
    await clock.advance(HOUR);
    onTime.begin("g", MIN);
    onTime.end("g", START + HOUR + 10 * MIN);
    clock.jump(-HOUR / 2);
    await clock.advance(10 * MIN);
    expect(onTime.begin("g", MIN)).toBe(START + 40 * MIN);
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
    waiting: [],
    memory: { pace } as GroupMemory,
    awaited: [{ posts: 50, waitedMs: 50 * HOUR }],
    hasProbed: true,
    delaysMs: [HOUR, HOUR],
    startedAtMs: START + HOUR,
    nowMs: START + HOUR,
  };
  const { after } = probesForMean(freshness);
  expect(after({ ...query, factor: 1.5 }).pace).toBe(pace);
  expect(after({ ...query, factor: 1 }).pace?.worth).toBeLessThan(0.9 * pace.worth);
});

/** A group under freshness, whose service answers by `serviceMs`, or fails. */
async function setup(serviceMs: (nowMs: number) => number, isDown: (nowMs: number) => boolean = () => false) {
  const clock = createVirtualClock(START);
  const random = createSeededRandom(4);
  const world = createAccountsWorld();
  for (let i = 0; i < ACCOUNTS; i += 1) {
    const account = world.add(`a${i}`);
    for (let atMs = START - DAY; atMs < START + DAY; atMs += (-Math.log(1 - random.float()) * DAY) / PER_DAY)
      world.post(account, Math.floor(atMs));
  }
  const { upstream, calls } = serveWorld({ answer: (request, nowMs) => world.answer(request, serviceMs(nowMs)) }, clock);
  const flaky: typeof upstream = {
    async call(request) {
      if (isDown(clock.now())) throw new UpstreamError("transient", "down", 503);
      return upstream.call(request);
    },
  };
  const accounts = world.accounts.map(({ id }) => `id:${id}`);
  const watch = makeWatch("w", "timeline", { accounts }, { freshness: { kind: "mean", meanMs: MIN, maxMs: HOUR } });
  harnesses.push(await startEngineHarness({ clock, upstream: flaky, watches: [watch] }));
  const probesAnHour = (fromHour: number, toHour: number): number => {
    const isIn = (atMs: number) => atMs >= START + fromHour * HOUR && atMs < START + toHour * HOUR;
    return calls.filter(({ endpoint, atMs }) => endpoint === "info-batch" && isIn(atMs)).length / (toHour - fromHour);
  };
  return { clock, probesAnHour };
}

it("asks no oftener after an outage of three hours than before it", async () => {
  const isDown = (nowMs: number) => nowMs >= START + 5 * HOUR && nowMs < START + 8 * HOUR;
  const { clock, probesAnHour } = await setup((nowMs) => nowMs, isDown);
  await clock.advanceTo(START + 11 * HOUR);
  const share = probesAnHour(9, 11) / probesAnHour(3, 5);
  expect(share).toBeLessThan(1.2);
  expect(share).toBeGreaterThan(0.8);
});

it("asks no oftener after a clock that ran a day ahead was set right", async () => {
  let aheadMs = 0;
  const { clock, probesAnHour } = await setup((nowMs) => nowMs - aheadMs);
  const jump = (ms: number) => {
    aheadMs += ms;
    clock.jump(ms);
  };
  await clock.advanceTo(START + 5 * HOUR);
  jump(DAY);
  await clock.advance(HOUR);
  jump(-DAY);
  await clock.advanceTo(START + 9 * HOUR);
  const share = probesAnHour(7, 9) / probesAnHour(3, 5);
  expect(share).toBeLessThan(1.3);
  expect(share).toBeGreaterThan(0.7);
});
