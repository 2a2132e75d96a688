import { afterEach, expect, it } from "vitest";
import { readKnown } from "../../../src/operate/plan/known-state.ts";
import { createPlanView } from "../../../src/operate/plan/plan-view.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { goodConfig } from "../../config/load-text.ts";
import { type EngineHarness, startEngineHarness } from "../../support/engine-harness.ts";
import { createSandboxService } from "../../support/sandbox-service.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 2, 2, 0, 7, 13);

let harness: EngineHarness | undefined;
afterEach(() => harness?.close());

it("plans beside a daemon name the runs that it then makes", async () => {
  const clock = createVirtualClock(START);
  const service = createSandboxService(clock, { accounts: 60 });
  const handles = service.control("GET", "sample")["handles"] as readonly string[];
  const config = await goodConfig(`watches:
  rare: { type: search, query: "acme lang:en", schedule: "@every 3h" }
  often: { type: search, query: "rival lang:en", schedule: "@every 50m" }
  cron: { type: search, query: "alice lang:en", schedule: "17 */2 * * *" }
  fans: { type: new_followers, accounts: [${handles.slice(0, 3).join(", ")}], schedule: "@every 70m" }
sinks: { terminal: { type: console } }
ops: { sink: terminal }
`);
  harness = await startEngineHarness({
    clock,
    upstream: service.upstream,
    watches: config.watches,
  });
  // By then the rarest watch has had its second run. Its first run comes at the start, not with the
  // others.
  await clock.advanceTo(START + 4 * HOUR);
  const nowMs = clock.now();
  const known = await readKnown(harness.store, config, { hash: sha256, clock });
  const plan = createPlanView(config, {
    hash: sha256,
    nowMs,
    quota: { limit: null, source: "unknown", reason: "" },
    ...known,
  });
  await clock.advance(16 * HOUR);
  for (const { id, next_runs: forecast } of plan.watches) {
    const keys = new Set(harness.engine.pollsOf(id).map(({ key }) => key));
    const made = harness.polled
      .filter(({ key, atMs }) => keys.has(key) && atMs > nowMs)
      .map(({ atMs }) => atMs);
    expect(forecast, id).toHaveLength(5);
    for (const [run, atMs] of forecast.map((iso) => Date.parse(iso)).entries())
      expect(Math.abs((made[run] ?? 0) - atMs), `${id}, run ${run + 1}`).toBeLessThan(3_000);
  }
});
