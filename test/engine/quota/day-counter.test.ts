import { expect, it } from "vitest";
import { DayCounter, readRatios } from "../../../src/engine/quota/day-counter.ts";
import { createLearnedInMemory } from "../../support/learned-store.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 2, 2);

/** Creates forecasts from requests per day, by watch id. */
const estimates = (perDay: Readonly<Record<string, number>>) => () =>
  new Map(
    Object.entries(perDay).map(([id, estimate]) => [id, { estimate, expected: estimate / 24 }]),
  );

/**
 * Creates a ledger in which the watch `a` made `requests` in the hour before each time that is
 * queried.
 */
function ledgerOf(requests: number) {
  const asked: number[] = [];
  return {
    asked,
    async spentSince(sinceMs: number) {
      asked.push(sinceMs);
      const lines = ["info-batch", "search-tweets"].map((endpoint) => ({
        watch: "a",
        endpoint,
        key: "",
        requests: requests / 2,
      }));
      return { total: requests, lines };
    },
  };
}

it("adds up what the ledger says of each watch since it was asked last, and goes on after a restart", async () => {
  const [ledger, store] = [ledgerOf(12), createLearnedInMemory()];
  let counter = new DayCounter(ledger, store, createVirtualClock(START));
  for (let hour = 0; hour <= 25; hour += 1) {
    if (hour === 10) counter = new DayCounter(ledger, store, createVirtualClock(START));
    await counter.load();
    await counter.countRequests(estimates({ a: 240, rare: 1 }), START + hour * HOUR);
  }
  expect(ledger.asked.slice(0, 3)).toEqual([START, START, START + HOUR]);
  expect(counter.ratioOf("a")).toBeCloseTo((24 * 12) / 240);
  expect(counter.ratioOf("rare")).toBeUndefined();
  expect([...(store.scopes.get("counted_days")?.keys() ?? [])]).toEqual(["a"]);
  expect(counter.ratioOf("other")).toBeUndefined();
  const ratioOf = await readRatios(store);
  expect(ratioOf("a")).toBe(counter.ratioOf("a"));
});

it("forgets a watch that was not polled for a month", async () => {
  const store = createLearnedInMemory();
  const counter = new DayCounter(ledgerOf(0), store, createVirtualClock(START));
  await counter.countRequests(estimates({ gone: 24 }), START);
  await counter.countRequests(estimates({ a: 24 }), START + 31 * 24 * HOUR);
  expect([...(store.scopes.get("counted_days")?.keys() ?? [])]).toEqual(["a"]);
});
