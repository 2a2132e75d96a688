import { describe, expect, it } from "vitest";
import { type AccountMemory, createProbeStates } from "../../../src/groups/probing/probe-states.ts";
import { createLearnedInMemory } from "../../support/learned-store.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2);
const MIN = 60_000;

const ACCOUNT: AccountMemory = {
  probe: { fields: {}, probedAtMs: START, fullAtMs: START },
  rate: { posts: 0, days: 1, excited: 0, atMs: START },
  handle: "a",
  checkedAtMs: START,
};

describe("counts of a group", () => {
  it("are known over restarts, with its strategy", async () => {
    const clock = createVirtualClock(START);
    const store = createLearnedInMemory();
    const before = createProbeStates(store, clock);
    before.put("1", ACCOUNT, "later");
    for (let run = 0; run < 60 * 74; run += 1) {
      before.count("g", { strategy: "merge", members: 3, requests: { probes: 0, reads: 1 }, intervalMs: MIN });
      await clock.advance(MIN);
    }
    await before.close();
    const after = createProbeStates(store, clock);
    await after.load();
    expect(after.countOf("g", 3)?.strategy).toBe("merge");
    expect(after.countOf("g", 3)?.reads?.perDay).toBeCloseTo(1_440, -1);
    expect(after.countOf("g", 4)).toBeUndefined();
  });

  it("begin anew after those of an older release, which did not say how it was read", async () => {
    const old = { "g/3/reads": { sinceMs: START, requests: 9, lastMs: START, counted: { perDay: 99, days: 3 } } };
    const store = createLearnedInMemory({ group_counts: old });
    const probeStates = createProbeStates(store, createVirtualClock(START));
    await probeStates.load();
    probeStates.put("1", ACCOUNT, "later");
    probeStates.count("g", { strategy: "probe", members: 3, requests: { probes: 1, reads: 0 }, intervalMs: MIN });
    await probeStates.close();
    expect([...(store.scopes.get("group_counts")?.keys() ?? [])]).toEqual(["g"]);
  });

  it("are forgotten while it is slowed down", () => {
    const probeStates = createProbeStates(createLearnedInMemory(), createVirtualClock(START));
    probeStates.count("g", { strategy: "probe", members: 3, requests: { probes: 1, reads: 0 }, intervalMs: MIN });
    probeStates.count("g", undefined);
    expect(probeStates.countOf("g", 3)).toBeUndefined();
  });
});
