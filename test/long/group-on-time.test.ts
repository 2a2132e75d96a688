/** A group that was kept from its turns by an outage or a clock: what it finds late then says nothing of its pace. */
import { afterEach, expect, it } from "vitest";
import { UpstreamError } from "../../src/model/upstream.ts";
import { createAccountsWorld, serveWorld } from "../support/accounts-world.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2);
const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const harnesses: EngineHarness[] = [];

afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
});

const ACCOUNTS = 150;
const PER_DAY = 12;

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
  const isDown = (nowMs: number) => nowMs >= START + 8 * HOUR && nowMs < START + 11 * HOUR;
  const { clock, probesAnHour } = await setup((nowMs) => nowMs, isDown);
  await clock.advanceTo(START + 15 * HOUR);
  const share = probesAnHour(12, 15) / probesAnHour(4, 8);
  expect(share).toBeLessThan(1.1);
  expect(share).toBeGreaterThan(0.9);
});

it("asks no oftener after a clock that ran a day ahead was set right", async () => {
  let aheadMs = 0;
  const { clock, probesAnHour } = await setup((nowMs) => nowMs - aheadMs);
  const jump = (ms: number) => {
    aheadMs += ms;
    clock.jump(ms);
  };
  await clock.advanceTo(START + 8 * HOUR);
  jump(DAY);
  await clock.advance(HOUR);
  jump(-DAY);
  await clock.advanceTo(START + 13 * HOUR);
  const share = probesAnHour(10, 13) / probesAnHour(4, 8);
  expect(share).toBeLessThan(1.3);
  expect(share).toBeGreaterThan(0.7);
});
