/** The server's clock as a replica knows it, over answers that are quick or late. */
import { expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import { ServerClock } from "../../src/state/membership/server-clock.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";

const AHEAD_MS = 5_000;

/** The answer takes `toMs` to the server, and `backMs` from there. */
async function read(
  known: ServerClock,
  clock: VirtualClock,
  { toMs = 0, backMs = 0, aheadMs = AHEAD_MS } = {},
): Promise<void> {
  const reading = known.read(async () => {
    await sleep(clock, toMs);
    const shown = clock.now() + aheadMs;
    await sleep(clock, backMs);
    return shown;
  });
  await clock.advance(toMs + backMs);
  await reading;
}

it("keeps a quick answer where later ones are late, on the way there or back", async () => {
  const clock = createVirtualClock(0);
  const known = new ServerClock(clock);
  await read(known, clock, { backMs: 900 });
  expect([known.aheadMs, known.isExact()]).toEqual([AHEAD_MS - 450, false]);
  await read(known, clock, { toMs: 2, backMs: 2 });
  expect([known.aheadMs, known.isExact()]).toEqual([AHEAD_MS, true]);
  for (const late of [{ backMs: 900 }, { toMs: 900 }, { toMs: 300, backMs: 1_500 }]) {
    await clock.advance(10_000);
    await read(known, clock, late);
    expect(known.aheadMs).toBe(AHEAD_MS);
  }
});

it("follows a clock that was set, by a late answer as well, and takes a late one where the quick one is hours old", async () => {
  const clock = createVirtualClock(0);
  const known = new ServerClock(clock);
  await read(known, clock);
  await read(known, clock, { toMs: 200, backMs: 200, aheadMs: AHEAD_MS - 3_600_000 });
  expect(known.aheadMs).toBe(AHEAD_MS - 3_600_000);
  await read(known, clock);
  clock.jump(7_000);
  await read(known, clock, { aheadMs: AHEAD_MS - 7_000 });
  expect(known.aheadMs).toBe(AHEAD_MS - 7_000);
  await clock.advance(3_600_000);
  await read(known, clock, { toMs: 100, backMs: 100, aheadMs: AHEAD_MS - 7_500 });
  expect(known.aheadMs).toBe(AHEAD_MS - 7_500);
});
