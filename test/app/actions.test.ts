import { expect, it } from "vitest";
import { type ActionsDeps, createActions } from "../../src/app/actions.ts";
import { createMeter } from "../../src/server/meter.ts";
import { until } from "../support/until.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

/** Loads end when the test says so; what they find is broken, so that nothing is put in force. */
function makeActions() {
  const loads: (() => void)[] = [];
  const load = () => new Promise((resolve) => loads.push(() => resolve({ ok: false, issues: [] })));
  const actions = createActions({
    deps: { load, log: { error: () => undefined } },
    notices: { tell: async () => undefined },
    clock: createVirtualClock(Date.UTC(2026, 0, 1)),
    meter: createMeter(),
  } as unknown as ActionsDeps);
  return { actions, loads };
}

it("reads the files once more for a reload that was asked for while another one was reading them", async () => {
  const { actions, loads } = makeActions();
  const first = actions.reload();
  await until("the first load", () => loads.length === 1);
  const others = [actions.reload(), actions.reload()];
  loads[0]?.();
  await first;
  await until("the second load", () => loads.length === 2);
  loads[1]?.();
  expect(await Promise.all(others)).toEqual([
    { ok: false, errors: [] },
    { ok: false, errors: [] },
  ]);
  expect(loads.length).toBe(2);
});
