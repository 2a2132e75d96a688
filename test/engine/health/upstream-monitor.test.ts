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

it("reports an outage that one of several replicas sees once, and that it is over once none does", async () => {
  const [clock, store, random] = [
    createVirtualClock(Date.UTC(2026, 2, 2)),
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
    return { watch, opsAlerts };
  };
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
