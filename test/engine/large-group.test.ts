/** Tests a group of several probes under freshness, and a search that lacks posts. */
import { afterEach, expect, it } from "vitest";
import { type AccountsWorld, createAccountsWorld, serveWorld } from "../support/accounts-world.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MIN = 60_000;
const DAY = 1_440 * MIN;
const harnesses: EngineHarness[] = [];

afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
});

/**
 * Sets up accounts that post `perDay` each, at any time of the day. Posts before START raise no
 * alert.
 */
async function setup(count: number, perDay: number, untilMs: number) {
  const clock = createVirtualClock(START);
  const random = createSeededRandom(3);
  const world = createAccountsWorld({});
  for (let i = 0; i < count; i += 1) {
    const account = world.add(`account_${i}`);
    for (let atMs = START - DAY; atMs < untilMs; atMs += (random.float() * 2 * DAY) / perDay) {
      world.post(account, Math.floor(atMs));
    }
  }
  const { upstream } = serveWorld(world, clock);
  const accounts = world.accounts.map(({ names }) => names[0]?.handle ?? "");
  const freshness = { kind: "mean", meanMs: 5 * MIN, maxMs: 60 * MIN } as const;
  const harness = await startEngineHarness({
    clock,
    upstream,
    watches: [makeWatch("w", "timeline", { accounts }, { freshness })],
  });
  harnesses.push(harness);
  return { clock, harness, world };
}

/** Creates posts of twenty accounts, one a minute from then on. */
const lagging = (world: AccountsWorld, fromMs: number, searchLagMs: number) =>
  world.accounts
    .slice(0, 20)
    .map((account, index) => world.post(account, fromMs + index * MIN, { searchLagMs }).id);

it("reads posts from their timelines when the search lacks them", async () => {
  const { clock, harness, world } = await setup(300, 8, START + 60 * MIN);
  await clock.advance(10 * MIN);
  const hidden = lagging(world, START + 12 * MIN, Number.POSITIVE_INFINITY);
  await clock.advance(60 * MIN);
  const events = (await harness.events()).filter(({ subject }) => hidden.includes(subject));
  expect(events.map(({ subject }) => subject).toSorted()).toEqual(hidden.toSorted());
  // By then a probe had shown each of them, and its timeline is read at once.
  for (const { detectedAtMs, occurredAtMs } of events)
    expect(detectedAtMs - occurredAtMs).toBeLessThan(40 * MIN);
});
