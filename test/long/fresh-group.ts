/**
 * Measures how often a group of accounts under freshness is probed. Its service can fail or have
 * another clock.
 */
import { onTestFinished } from "vitest";
import { UpstreamError } from "../../src/model/upstream.ts";
import { createAccountsWorld, serveWorld } from "../support/accounts-world.ts";
import { startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2);
const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const PER_DAY = 12;

/** Starts the group. The service answers with the time `serviceMs`, or fails. */
export async function startGroup(
  count: number,
  serviceMs: (nowMs: number) => number,
  isDown: (nowMs: number) => boolean = () => false,
) {
  const clock = createVirtualClock(START);
  const random = createSeededRandom(4);
  const world = createAccountsWorld();
  for (let i = 0; i < count; i += 1) {
    const account = world.add(`a${i}`);
    for (
      let atMs = START - DAY;
      atMs < START + DAY;
      atMs += (-Math.log(1 - random.float()) * DAY) / PER_DAY
    )
      world.post(account, Math.floor(atMs));
  }
  const { upstream, calls } = serveWorld(
    { answer: (request, nowMs) => world.answer(request, serviceMs(nowMs)) },
    clock,
  );
  const flaky: typeof upstream = {
    async call(request) {
      if (isDown(clock.now())) throw new UpstreamError("transient", "down", 503);
      return upstream.call(request);
    },
  };
  const accounts = world.accounts.map(({ id }) => `id:${id}`);
  const watch = makeWatch(
    "w",
    "timeline",
    { accounts },
    { freshness: { kind: "mean", meanMs: MIN, maxMs: HOUR } },
  );
  const harness = await startEngineHarness({ clock, upstream: flaky, watches: [watch] });
  onTestFinished(() => harness.close());
  const probesAnHour = (fromHour: number, toHour: number): number => {
    const isIn = (atMs: number) => atMs >= START + fromHour * HOUR && atMs < START + toHour * HOUR;
    return (
      calls.filter(({ endpoint, atMs }) => endpoint === "info-batch" && isIn(atMs)).length /
      (toHour - fromHour)
    );
  };
  return { clock, probesAnHour };
}
