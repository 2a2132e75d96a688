/** Tests that the ledger agrees with the service's own bill, to the last request. */
import { expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { createSandboxService } from "../support/sandbox-service.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START_MS = Date.UTC(2026, 2, 2, 12, 0, 0);
const MINUTE_MS = 60_000;
const every = (minutes: number) =>
  ({ schedule: { kind: "every", intervalMs: minutes * MINUTE_MS } }) as const;

/**
 * Starts groups, shared searches, single polls and member lists, in a world where all of them find
 * something.
 */
async function startAll() {
  const clock = createVirtualClock(START_MS);
  const service = createSandboxService(clock, { accounts: 120, rates: { median: 20, mean: 30 } });
  const { people } = service.world;
  const readable = [...people.keys()].filter((key) => people.isReadable(key));
  const handles = readable.map((key) => people.usernameOf(key));
  const indexed = readable
    .filter((key) => people.isIndexed(key))
    .map((key) => people.usernameOf(key));
  const watch = (
    id: string,
    type: string,
    settings: JsonObject,
    changes: WatchChanges = every(1),
  ) => makeWatch(id, type, settings, changes);
  const harness = await startEngineHarness({
    clock,
    upstream: service.upstream,
    watches: [
      watch("group", "timeline", { accounts: handles.slice(0, 60) }, every(2)),
      watch(
        "fresh",
        "timeline",
        { accounts: handles.slice(60, 90) },
        { freshness: { kind: "mean", meanMs: 90_000, maxMs: 1_800_000 } },
      ),
      watch("acme", "search", { query: "acme" }),
      watch("rival", "search", { query: "rival" }),
      watch(
        "single",
        "timeline",
        { accounts: handles.slice(90, 91) },
        { ...every(1), strategy: "single" },
      ),
      watch("mentions", "mentions", { accounts: ["acme"] }, every(3)),
      watch(
        "indexed",
        "new_followers",
        { accounts: indexed.slice(0, 5), source: "indexed" },
        every(5),
      ),
      watch("leaving", "followers", { accounts: ["acme"] }, every(20)),
      watch("profiles", "profile", { accounts: handles.slice(0, 20) }, every(5)),
      watch(
        "scores",
        "score_delta",
        { accounts: indexed.slice(0, 3), when: { week_delta: ">= 25" } },
        every(30),
      ),
    ],
  });
  const compare = async () => ({
    ledger: (await harness.store.spentSince(0)).total,
    billed: service.billed().total,
  });
  return { clock, harness, service, compare };
}

it("equals the service's own bill after minutes in which nothing crashed", async () => {
  const { clock, harness, service, compare } = await startAll();
  try {
    await clock.advance(12 * MINUTE_MS + 30_000);
    const { ledger, billed } = await compare();
    expect(ledger).toBe(billed);
    expect(Object.keys(service.billed().byEndpoint).length).toBeGreaterThan(5);
    expect(billed).toBeGreaterThan(150);
    expect((await harness.events()).length).toBeGreaterThan(10);
  } finally {
    await harness.close();
  }
});

it("is never below it after crashes at any moment", async () => {
  const { clock, harness, compare } = await startAll();
  try {
    for (const steps of [40, 250, 600, 900]) {
      harness.killSwitch.killAfter(steps);
      await clock.advance(10 * MINUTE_MS);
      expect(harness.killSwitch.isKilled).toBe(true);
      await harness.crash();
      const { ledger, billed } = await compare();
      expect(ledger).toBeGreaterThanOrEqual(billed);
    }
    const before = await compare();
    await clock.advance(10 * MINUTE_MS + 30_000);
    const after = await compare();
    // Requests in progress at the last crash may have arrived meanwhile. Nothing else may drift.
    expect(after.ledger).toBeGreaterThanOrEqual(after.billed);
    expect(after.ledger - after.billed).toBeLessThanOrEqual(before.ledger - before.billed);
    expect(after.billed).toBeGreaterThan(before.billed);
  } finally {
    await harness.close();
  }
});
