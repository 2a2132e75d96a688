/** Tests on which watch a request is booked that serves several. */
import { afterEach, expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import type { UpstreamRequest } from "../../src/model/upstream.ts";
import type { Watch } from "../../src/model/watch.ts";
import { createAccountsWorld } from "../support/accounts-world.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createSearchWorld } from "../support/search-world.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const HOUR = 3_600_000;
const harnesses: EngineHarness[] = [];

afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
});

/**
 * Returns the requests that the ledger books on each watch in an hour, after an hour of first
 * reads.
 */
async function billedTo(watches: readonly Watch[]): Promise<ReadonlyMap<string, number>> {
  const clock = createVirtualClock(START);
  const accounts = createAccountsWorld();
  for (let i = 0; i < 40; i += 1) accounts.post(accounts.add(`account_${i}`), START - HOUR + i);
  const searches = createSearchWorld({});
  searches.post("old acme bolt crane delta", START - HOUR);
  const upstream = {
    async call(request: UpstreamRequest) {
      await sleep(clock, 40);
      return (request.endpoint === "search-tweets" ? searches : accounts).answer(
        request,
        clock.now(),
      );
    },
  };
  const harness = await startEngineHarness({ clock, upstream, watches });
  harnesses.push(harness);
  const spent = async () => {
    const byWatch = new Map<string, number>();
    for (const { watch, requests } of (await harness.store.spentSince(0)).lines)
      byWatch.set(watch, (byWatch.get(watch) ?? 0) + requests);
    return byWatch;
  };
  await clock.advance(HOUR);
  const before = await spent();
  await clock.advance(HOUR);
  return new Map(
    [...(await spent())].map(([watch, requests]) => [watch, requests - (before.get(watch) ?? 0)]),
  );
}

const names = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `account_${from + i}`);

it("books each in its turn on the watches that share a source", async () => {
  const settings = { query: "acme min_faves:5" };
  const billed = await billedTo(["a", "b", "c"].map((id) => makeWatch(id, "search", settings)));
  const requests = [...billed.values()];
  expect(requests).toHaveLength(3);
  expect(Math.max(...requests) - Math.min(...requests)).toBeLessThan(5);
});

it("books the searches that several share on each of them alike", async () => {
  const billed = await billedTo(
    ["acme", "bolt", "crane", "delta"].map((query) => makeWatch(query, "search", { query })),
  );
  const requests = [...billed.values()];
  expect(requests).toHaveLength(4);
  expect(Math.max(...requests)).toBeLessThan(1.5 * Math.min(...requests));
});

it("books probes of a group by how many of its accounts each watch has", async () => {
  const schedule = { kind: "every", intervalMs: 120_000 } as const;
  const watches = [
    makeWatch(
      "many",
      "timeline",
      { accounts: names(0, 30) },
      { schedule, fullPollEveryMs: 11 * HOUR },
    ),
    makeWatch(
      "few",
      "timeline",
      { accounts: names(30, 40) },
      { schedule, fullPollEveryMs: 11 * HOUR },
    ),
  ];
  const billed = await billedTo(watches);
  expect(Math.abs((billed.get("many") ?? 0) - 30 * 0.75)).toBeLessThan(2);
  expect(Math.abs((billed.get("few") ?? 0) - 30 * 0.25)).toBeLessThan(2);
});
