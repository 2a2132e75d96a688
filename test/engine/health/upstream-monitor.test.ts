/** Tests trouble of the data service as several replicas see it. */
import { expect, it } from "vitest";
import { createUpstreamPacer } from "../../../src/budget/upstream-pacer.ts";
import { createOpsAlerts } from "../../../src/engine/health/ops-alerts.ts";
import { UpstreamMonitor } from "../../../src/engine/health/upstream-monitor.ts";
import { rememberingLog } from "../../state/temp-state.ts";
import { createLearnedInMemory } from "../../support/learned-store.ts";
import { failure } from "../../support/scripted-upstream.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const MINUTE = 60_000;
const START_MS = Date.UTC(2026, 2, 2);

/** Returns a function that starts a monitor of one more replica, and the alerts of all of them. */
function setUp() {
  const [clock, store, random] = [
    createVirtualClock(START_MS),
    createLearnedInMemory(),
    createSeededRandom(1),
  ];
  const meter = { count: () => undefined, set: () => undefined, observe: () => undefined };
  const alerts: string[] = [];
  const replica = async () => {
    const publish = async ({ type }: { readonly type: string }) => void alerts.push(type);
    const opsAlerts = createOpsAlerts({
      store,
      share: { isAlone: false },
      clock,
      random,
      log: rememberingLog(),
      publish,
    });
    const pacer = createUpstreamPacer(random, () => ["key"]);
    const parts = {
      pacer,
      opsAlerts,
      clock,
      log: rememberingLog(),
      meter,
      probe: async () => true,
      onBack: () => undefined,
    };
    const watch = new UpstreamMonitor(parts);
    await watch.start();
    return { watch, opsAlerts, pacer };
  };
  return { clock, alerts, replica };
}

it("reports an outage that one of several replicas sees once, and that it is over once none does", async () => {
  const { clock, alerts, replica } = setUp();
  const [cutOff, well] = [await replica(), await replica()];
  cutOff.watch.recordOutcome(failure("transient"));
  await clock.advance(2 * MINUTE);
  await well.opsAlerts.reload();
  well.watch.recordOutcome(undefined);
  await clock.advance(MINUTE);
  expect(alerts).toEqual(["upstream.dark"]);
  cutOff.watch.stop();
  await clock.advance(MINUTE);
  expect(alerts).toEqual(["upstream.dark", "upstream.recovered"]);
  expect(well.watch.isDown).toBe(false);
  well.watch.stop();
});

it("reports the end of a refusal although a replica that was refused has no poll any more", async () => {
  const { clock, alerts, replica } = setUp();
  const [idle, polling] = [await replica(), await replica()];
  for (const { watch, pacer, opsAlerts } of [idle, polling]) {
    const nowMs = clock.monotonic();
    const attempt = {
      source: "s",
      key: "key",
      retry: failure("billing").retry,
      sentAtMs: nowMs,
      nowMs,
    };
    pacer.failed({ ...attempt, kind: "billing" });
    watch.recordOutcome(failure("billing"));
    await clock.advance(MINUTE);
    await opsAlerts.reload();
  }
  expect(alerts).toEqual(["upstream.dark"]);
  // A reload lets both try again, and only one of them has something to ask.
  for (const { pacer } of [idle, polling]) pacer.resume();
  await clock.advance(2 * MINUTE);
  expect(alerts).toEqual(["upstream.dark"]);
  polling.watch.recordOutcome(undefined);
  await clock.advance(5 * MINUTE);
  expect(alerts).toEqual(["upstream.dark", "upstream.recovered"]);
  expect(idle.watch.trouble).toBeUndefined();
  for (const { watch } of [idle, polling]) watch.stop();
});

it.each(["transient", "rate_limited"] as const)(
  "reports the end of an outage although the last answer of a replica that has no poll any more was %s",
  async (kind) => {
    const { clock, alerts, replica } = setUp();
    const [idle, polling] = [await replica(), await replica()];
    for (let minute = 0; minute < 7; minute += 1) {
      for (const { watch } of [idle, polling]) watch.recordOutcome(failure(kind));
      await clock.advance(MINUTE);
      for (const { opsAlerts } of [idle, polling]) await opsAlerts.reload();
    }
    expect(alerts).toEqual(["upstream.dark"]);
    polling.watch.recordOutcome(undefined);
    await clock.advance(4 * MINUTE);
    // The next attempt of the other one may still be to come.
    expect(alerts).toEqual(["upstream.dark"]);
    await clock.advance(3 * MINUTE);
    expect(alerts).toEqual(["upstream.dark", "upstream.recovered"]);
    expect(idle.watch.trouble).toBeUndefined();
    for (const { watch } of [idle, polling]) watch.stop();
  },
);

it("reports an outage once although the next attempt comes only after the longest pause", async () => {
  const { clock, alerts, replica } = setUp();
  const { watch } = await replica();
  for (let attempt = 0; attempt < 5; attempt += 1) {
    watch.recordOutcome(failure("transient"));
    await clock.advance(5 * MINUTE);
    expect(watch.trouble).toMatchObject({ sinceMs: START_MS });
  }
  expect(alerts).toEqual(["upstream.dark"]);
  watch.stop();
});
