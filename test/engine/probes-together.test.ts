/** Probes that are sent in one moment, so that what they find shares one search. */
import { afterEach, expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import type { UpstreamRequest } from "../../src/model/upstream.ts";
import { createAccountsWorld } from "../support/accounts-world.ts";
import { type EngineRig, startEngineRig } from "../support/engine-rig.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MIN = 60_000;
const DAY = 1_440 * MIN;
const rigs: EngineRig[] = [];

interface Call {
  readonly endpoint: string;
  readonly atMs: number;
}

afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close();
});

/** Accounts that post `perDay` each, at any time of the day; nothing is told of posts before START. */
async function house(count: number, perDay: number, untilMs: number) {
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
  const calls: Call[] = [];
  const upstream = {
    async call(request: UpstreamRequest) {
      calls.push({ endpoint: request.endpoint, atMs: clock.now() });
      await sleep(clock, 40);
      return world.answer(request, clock.now());
    },
  };
  const accounts = world.accounts.map(({ names }) => names[0]?.handle ?? "");
  const freshness = { kind: "mean", meanMs: 5 * MIN, maxMs: 60 * MIN } as const;
  const rig = await startEngineRig({ clock, upstream, watches: [makeWatch("w", "timeline", { accounts }, { freshness })] });
  rigs.push(rig);
  return { clock, rig, calls, ids };
}

/** What was asked for in each moment, in order. */
function runsOf(calls: readonly Call[]): readonly string[] {
  const runs: Call[][] = [];
  for (const call of calls) {
    const last = runs.at(-1)?.at(-1);
    if (last === undefined || call.atMs - last.atMs > 1_000) runs.push([call]);
    else runs.at(-1)?.push(call);
  }
  return runs.map((run) => run.map(({ endpoint }) => endpoint).join(" "));
}

it("are sent in one moment where their accounts are worth it, and one search reads what they find", async () => {
  const { clock, rig, calls, ids } = await house(300, 8, START + 30 * MIN);
  await clock.advance(2 * MIN);
  const baselines = calls.length;
  await clock.advance(38 * MIN);
  const runs = runsOf(calls.slice(baselines));
  expect(runs.filter((run) => run === "info-batch info-batch search-tweets").length).toBeGreaterThanOrEqual(1);
  expect((await rig.events()).map(({ subject }) => subject).toSorted()).toEqual(ids.toSorted());
});
