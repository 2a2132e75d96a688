/** Searches ask for accounts by their handles: what shows a rename before the next probe. */
import { afterEach, expect, it } from "vitest";
import type { Watch } from "../../src/model/watch.ts";
import { createAccountsWorld, serveWorld, type WorldAccount } from "../support/accounts-world.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const SECOND = 1_000;
const MIN = 60 * SECOND;
let harness: EngineHarness;

afterEach(() => harness.close());

const every = (intervalMs: number): WatchChanges => ({ schedule: { kind: "every", intervalMs } });

/** Ten accounts in one search every ten seconds, and whatever else watches them. */
async function setup(others: readonly Watch[]) {
  const clock = createVirtualClock(START);
  const world = createAccountsWorld();
  for (let i = 0; i < 10; i += 1) world.post(world.add(`account_${i}`), START - 60 * MIN - i);
  const accounts = world.accounts.map(({ names }) => names[0]?.handle ?? "");
  const merged = makeWatch("merged", "timeline", { accounts }, { ...every(10 * SECOND), strategy: "merge" });
  const { upstream, calls } = serveWorld(world, clock);
  harness = await startEngineHarness({ clock, upstream, watches: [merged, ...others] });
  await clock.advance(16 * MIN);
  // The next probe is minutes away.
  const probes = () => calls.filter(({ endpoint }) => endpoint === "info-batch").length;
  const before = probes();
  while (others.length === 0 && probes() === before) await clock.advance(10 * SECOND);
  await clock.advance(20 * SECOND);
  const tweets = async () => (await harness.events()).filter(({ watch }) => watch === "merged");
  return { clock, world, calls, tweets, renamed: world.accounts[3] as WorldAccount };
}

it("takes the new handle from a profile that another watch asked for, and looks back to before the rename", async () => {
  const who = makeWatch("who", "profile", { accounts: ["account_3"] }, every(30 * SECOND));
  const { clock, world, calls, tweets, renamed } = await setup([who]);
  const atMs = clock.now() + SECOND;
  world.rename(renamed, "somebody_new", atMs);
  const first = world.post(renamed, atMs + SECOND);
  await clock.advance(45 * SECOND);
  const second = world.post(renamed, clock.now() + SECOND);
  const asked = calls.length;
  await clock.advance(15 * SECOND);
  expect((await tweets()).map(({ subject }) => subject).sort()).toEqual([first.id, second.id].sort());
  expect(calls.slice(asked).filter(({ endpoint }) => endpoint === "user-tweets")).toEqual([]);
});

it("waits for the next probe where nobody else asks, and loses nothing by it", async () => {
  const { clock, world, tweets, renamed } = await setup([]);
  const atMs = clock.now() + SECOND;
  world.rename(renamed, "somebody_new", atMs);
  const post = world.post(renamed, atMs + SECOND);
  await clock.advance(6 * MIN);
  expect((await tweets()).map(({ subject }) => subject)).toEqual([post.id]);
});
