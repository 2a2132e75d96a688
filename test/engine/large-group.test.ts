/** A group of several probes under freshness: which requests are worth waiting for one another. */
import { afterEach, expect, it } from "vitest";
import { type AccountsWorld, createAccountsWorld, type RecordedCall, serveWorld } from "../support/accounts-world.ts";
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

/** Accounts that post `perDay` each, at any time of the day; posts before START raise no alert. */
async function setup(count: number, perDay: number, untilMs: number) {
  const clock = createVirtualClock(START);
  const random = createSeededRandom(3);
  const world = createAccountsWorld({});
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const account = world.add(`account_${i}`);
    for (let atMs = START - DAY; atMs < untilMs; atMs += (random.float() * 2 * DAY) / perDay) {
      const { id } = world.post(account, Math.floor(atMs));
      if (atMs > START) ids.push(id);
    }
  }
  const { upstream, calls } = serveWorld(world, clock);
  const accounts = world.accounts.map(({ names }) => names[0]?.handle ?? "");
  const freshness = { kind: "mean", meanMs: 5 * MIN, maxMs: 60 * MIN } as const;
  const harness = await startEngineHarness({ clock, upstream, watches: [makeWatch("w", "timeline", { accounts }, { freshness })] });
  harnesses.push(harness);
  return { clock, harness, calls, ids, world };
}

/** What was asked for in each moment, in order. */
function runsOf(calls: readonly RecordedCall[]): readonly string[] {
  const runs: RecordedCall[][] = [];
  for (const call of calls) {
    const last = runs.at(-1)?.at(-1);
    if (last === undefined || call.atMs - last.atMs > 1_000) runs.push([call]);
    else runs.at(-1)?.push(call);
  }
  return runs.map((run) => run.map(({ endpoint }) => endpoint).join(" "));
}

it("sends probes in one moment where their accounts are worth it, and one search reads what they find", async () => {
  const { clock, harness, calls, ids } = await setup(300, 8, START + 30 * MIN);
  await clock.advance(2 * MIN);
  const baselines = calls.length;
  await clock.advance(38 * MIN);
  const runs = runsOf(calls.slice(baselines));
  expect(runs.filter((run) => run === "info-batch info-batch search-tweets").length).toBeGreaterThanOrEqual(1);
  expect((await harness.events()).map(({ subject }) => subject).toSorted()).toEqual(ids.toSorted());
});

/** Posts of twenty accounts, one a minute from then on. */
const lagging = (world: AccountsWorld, fromMs: number, searchLagMs: number) =>
  world.accounts.slice(0, 20).map((account, index) => world.post(account, fromMs + index * MIN, { searchLagMs }).id);

it("leaves posts that the search shows a little later to searches that are sent anyway", async () => {
  const { clock, harness, calls, world } = await setup(300, 8, START + 60 * MIN);
  await clock.advance(10 * MIN);
  const late = lagging(world, START + 12 * MIN, 4 * MIN);
  const before = calls.filter(({ endpoint }) => endpoint === "user-tweets").length;
  await clock.advance(60 * MIN);
  expect((await harness.events()).map(({ subject }) => subject)).toEqual(expect.arrayContaining(late));
  expect(calls.filter(({ endpoint }) => endpoint === "user-tweets").length - before).toBeLessThanOrEqual(1);
});

it("reads them from their timelines when the search goes on lacking them", async () => {
  const { clock, harness, world } = await setup(300, 8, START + 60 * MIN);
  await clock.advance(10 * MIN);
  const hidden = lagging(world, START + 12 * MIN, Number.POSITIVE_INFINITY);
  await clock.advance(60 * MIN);
  const events = (await harness.events()).filter(({ subject }) => hidden.includes(subject));
  expect(events.map(({ subject }) => subject).toSorted()).toEqual(hidden.toSorted());
  // A probe that shows them, at most 5 minutes of waiting, and the probe after that.
  for (const { detectedAtMs, occurredAtMs } of events) expect(detectedAtMs - occurredAtMs).toBeLessThan(40 * MIN);
});
