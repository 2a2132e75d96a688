/** Tests what a daemon that was stopped in order still knows at its next start. */
import { afterEach, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { createAccountsWorld, serveWorld } from "../support/accounts-world.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MIN = 60_000;
const harnesses: EngineHarness[] = [];

afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
});

/** Sets up accounts of which every fifth posts every quarter of an hour. */
async function setup(count: number, changes: WatchChanges) {
  const clock = createVirtualClock(START);
  const world = createAccountsWorld({});
  for (let i = 0; i < count; i += 1) {
    const account = world.add(`account_${i}`);
    for (let minute = -600; minute < 120; minute += 15)
      if (i % 5 === 0) world.post(account, START + minute * MIN + i * 7_000);
  }
  const { upstream, calls } = serveWorld(world, clock);
  const accounts = world.accounts.map(({ names }) => names[0]?.handle ?? "");
  const harness = await startEngineHarness({
    clock,
    upstream,
    watches: [makeWatch("w", "timeline", { accounts }, changes)],
  });
  harnesses.push(harness);
  const memory = async (): Promise<JsonObject> =>
    [
      ...(
        await harness.store.loadLearned(
          "groups",
          harness.engine.polls.map(({ key }) => key),
        )
      ).values(),
    ][0] as JsonObject;
  return { clock, harness, calls, memory };
}

const freshness = { kind: "mean", meanMs: 2 * MIN, maxMs: 20 * MIN } as const;

it("knows the pace of its probes, as the last one left it, and when each account was last requested", async () => {
  const { clock, harness, calls, memory } = await setup(110, { freshness });
  await clock.advance(47 * MIN);
  const lastMs = calls.at(-1)?.atMs ?? 0;
  await harness.restart();
  const { atMs } = (await memory())["pace"] as { readonly atMs: number };
  expect(lastMs).toBeGreaterThan(START + 44 * MIN);
  expect(atMs).toBeGreaterThanOrEqual(lastMs);
  const accounts = [
    ...(await harness.store.loadLearned("accounts")).values(),
  ] as unknown as readonly { readonly checkedAtMs: number }[];
  expect(accounts).toHaveLength(110);
  expect(Math.max(...accounts.map(({ checkedAtMs }) => atMs - checkedAtMs))).toBeLessThan(20 * MIN);
});

it("knows when it last checked a watch whose volume it evaluates", async () => {
  const { clock, harness, calls } = await setup(3, {
    schedule: { kind: "every", intervalMs: MIN },
    noEventsForMs: 1_440 * MIN,
  });
  await clock.advance(56 * MIN);
  const lastMs = calls.at(-1)?.atMs ?? 0;
  const [watch] = await harness.store.listWatches();
  await harness.restart();
  const { okMs } = (await harness.store.readNote(`volume:${watch?.key}`)) as {
    readonly okMs: number;
  };
  expect(okMs).toBeGreaterThanOrEqual(lastMs);
});
