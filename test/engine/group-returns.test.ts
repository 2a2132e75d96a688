/**
 * Tests accounts that leave a group and come back to it. The group's probe state about them is
 * forgotten meanwhile.
 */
import { afterEach, expect, it } from "vitest";
import type { Watch } from "../../src/model/watch.ts";
import { createAccountsWorld, serveWorld, type WorldAccount } from "../support/accounts-world.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
let harness: EngineHarness;

afterEach(() => harness.close());

/** Sets up two groups of ten accounts. No search shows the last account of the first group. */
async function setup() {
  const clock = createVirtualClock(START);
  const world = createAccountsWorld();
  for (let i = 0; i < 20; i += 1) {
    const account = world.add(`account_${i}`, { isHidden: i === 9 });
    for (let day = 1; day <= 3; day += 1) world.post(account, START - day * DAY + i);
  }
  const handles = world.accounts.map(({ names }) => names[0]?.handle ?? "");
  const watchOf = (id: string, accounts: readonly string[], minutes: number): Watch =>
    makeWatch(
      id,
      "timeline",
      { accounts },
      { schedule: { kind: "every", intervalMs: minutes * MIN }, strategy: "probe" },
    );
  const first = watchOf("first", handles.slice(0, 10), 2);
  const shorter = watchOf("first", handles.slice(0, 9), 2);
  const second = watchOf("second", handles.slice(10), 3);
  const { upstream, calls } = serveWorld(world, clock);
  harness = await startEngineHarness({ clock, upstream, watches: [first, second] });
  await clock.advance(10 * MIN);
  const alerted = async () => (await harness.events()).map(({ subject }) => subject).sort();
  const readsSince = (sinceMs: number) =>
    calls.filter(({ endpoint, atMs }) => endpoint === "user-tweets" && atMs >= sinceMs).length;
  const hidden = world.accounts[9] as WorldAccount;
  return { clock, world, first, shorter, second, hidden, alerted, readsSince };
}

it("finds what an account that no search shows posted while it was taken out, with one read of its timeline", async () => {
  const { clock, world, first, shorter, second, hidden, alerted, readsSince } = await setup();
  await harness.setWatches([shorter, second]);
  await clock.advance(HOUR);
  const post = world.post(hidden, clock.now());
  await clock.advance(HOUR);
  expect(await alerted()).toEqual([]);
  const sinceMs = clock.now();
  await harness.setWatches([first, second]);
  await clock.advance(5 * MIN);
  expect(await alerted()).toEqual([post.id]);
  await clock.advance(HOUR);
  expect(readsSince(sinceMs)).toBe(1);
});

it("finds what was posted during a pause, in no search either, and reports what came before it no second time", async () => {
  const { clock, world, hidden, alerted } = await setup();
  const before = [
    world.post(hidden, clock.now() + 1_000),
    world.post(world.accounts[3] as WorldAccount, clock.now() + 1_000),
  ];
  await clock.advance(10 * MIN);
  await harness.pause("first", true);
  const during = [
    world.post(hidden, clock.now() + MIN),
    world.post(world.accounts[3] as WorldAccount, clock.now() + MIN),
  ];
  await clock.advance(HOUR);
  expect(await alerted()).toEqual(before.map(({ id }) => id).sort());
  await harness.pause("first", false);
  await clock.advance(5 * MIN);
  expect(await alerted()).toEqual([...before, ...during].map(({ id }) => id).sort());
});

it("finds what an account that no search shows posted around the time in which the service knew nobody of that name", async () => {
  const { clock, world, hidden, alerted } = await setup();
  const goneMs = clock.now() + MIN;
  const post = world.post(hidden, goneMs);
  hidden.gone.push({ fromMs: goneMs, untilMs: goneMs + 3 * MIN });
  await clock.advance(HOUR);
  expect(await alerted()).toEqual([post.id]);
});
