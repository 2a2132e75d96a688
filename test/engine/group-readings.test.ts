import { afterEach, expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import type { UpstreamRequest } from "../../src/model/upstream.ts";
import { createAccountsWorld, type WorldAccount } from "../support/accounts-world.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch } from "../support/make-watch.ts";
import { failure } from "../support/scripted-upstream.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MIN = 60_000;
const schedule = { kind: "every", intervalMs: 2 * MIN } as const;
const harnesses: EngineHarness[] = [];

afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
});

interface SetupOptions {
  /** The watch of profiles has the accounts from this index on. */
  readonly from?: number;
  readonly to?: number;
  readonly everyMin?: number;
  readonly fail?: (request: UpstreamRequest) => void;
}

/** Sets up forty accounts, a watch of their timelines, and a watch of some of their profiles. */
async function setup({ from = 0, to = 40, everyMin = 2, fail }: SetupOptions = {}) {
  const clock = createVirtualClock(START);
  const world = createAccountsWorld();
  for (let i = 0; i < 60; i += 1) world.post(world.add(`account_${i}`), START - 86_400_000 + i);
  const calls: { readonly endpoint: string; readonly ids: number; readonly atMs: number }[] = [];
  const upstream = {
    async call(request: UpstreamRequest) {
      const ids = request.params["user_ids"];
      calls.push({
        endpoint: request.endpoint,
        ids: Array.isArray(ids) ? ids.length : 0,
        atMs: clock.now(),
      });
      await sleep(clock, 40);
      fail?.(request);
      return world.answer(request, clock.now());
    },
  };
  const idsOf = (accounts: readonly WorldAccount[]) => accounts.map(({ id }) => `id:${id}`);
  const profileSchedule = { kind: "every", intervalMs: everyMin * MIN } as const;
  const harness = await startEngineHarness({
    clock,
    upstream,
    watches: [
      makeWatch(
        "posts",
        "timeline",
        { accounts: idsOf(world.accounts.slice(0, 40)) },
        { schedule },
      ),
      makeWatch(
        "names",
        "profile",
        { accounts: idsOf(world.accounts.slice(from, to)) },
        { schedule: profileSchedule },
      ),
    ],
  });
  harnesses.push(harness);
  await clock.advance(3 * MIN);
  const probesSince = (sinceMs: number) =>
    calls.filter(({ endpoint, atMs }) => endpoint === "info-batch" && atMs >= sinceMs);
  const alerted = async () =>
    (await harness.events()).map(({ watch, type }) => `${watch} ${type}`).sort();
  return {
    clock,
    world,
    harness,
    probesSince,
    alerted,
    account: (index: number) => world.accounts[index] as WorldAccount,
  };
}

it("one request a tick serves the timelines and the profiles of the same accounts", async () => {
  const { clock, world, probesSince, alerted, account } = await setup();
  const sinceMs = clock.now();
  await clock.advance(20 * MIN);
  expect(probesSince(sinceMs)).toHaveLength(10);
  world.post(account(3), clock.now() + 1_000);
  world.rename(account(5), "somebody_new", clock.now() + 1_000);
  await clock.advance(5 * MIN);
  expect(await alerted()).toEqual(["names profile.changed", "posts tweet.created"]);
});

it("accounts that only one of the two names are asked for in the same request", async () => {
  const { clock, world, probesSince, alerted, account } = await setup({ from: 20, to: 60 });
  const sinceMs = clock.now();
  world.post(account(3), sinceMs + 1_000);
  world.post(account(30), sinceMs + 1_000);
  world.rename(account(50), "somebody_new", sinceMs + 1_000);
  await clock.advance(2 * MIN);
  // Probes ask by id. Only the changed handle is looked up by name.
  expect(probesSince(sinceMs).flatMap(({ ids }) => (ids === 0 ? [] : [ids]))).toEqual([60]);
  await clock.advance(3 * MIN);
  expect(await alerted()).toEqual([
    "names profile.changed",
    "posts tweet.created",
    "posts tweet.created",
  ]);
});

it("profiles of another schedule are asked for at their own times, and together with probes where these coincide", async () => {
  const { clock, probesSince } = await setup({ everyMin: 3 });
  const sinceMs = clock.now();
  await clock.advance(6 * MIN);
  // In six minutes the timelines are probed twice and the profiles once alone, and once together.
  expect(probesSince(sinceMs).map(({ ids }) => ids)).toEqual([40, 40, 40, 40]);
});

it("profiles of other accounts fill the free places of a probe", async () => {
  const { clock, probesSince } = await setup({ from: 40, to: 60 });
  const sinceMs = clock.now();
  await clock.advance(10 * MIN);
  expect(probesSince(sinceMs).map(({ ids }) => ids)).toEqual([60, 60, 60, 60, 60]);
});

it("the timelines go on while the profiles cannot be asked for", async () => {
  let isDown = false;
  const { clock, world, alerted, account } = await setup({
    to: 60,
    fail: ({ params }) => {
      const ids = params["user_ids"];
      if (isDown && Array.isArray(ids) && ids.length === 60) throw failure("bad_request");
    },
  });
  isDown = true;
  world.post(account(3), clock.now() + 1_000);
  await clock.advance(5 * MIN);
  expect(await alerted()).toEqual(["posts tweet.created"]);
});
