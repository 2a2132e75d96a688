import { describe, expect, it } from "vitest";
import { createProbeStates } from "../../../src/groups/probing/probe-states.ts";
import { createLearnedInMemory } from "../../support/learned-store.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2);
const MIN = 60_000;

describe("the strategy of a group", () => {
  it("is known over restarts, and written again only where it changed or a day has passed", async () => {
    const clock = createVirtualClock(START);
    const store = createLearnedInMemory();
    const before = createProbeStates(store, clock);
    for (let run = 0; run < 3; run += 1) {
      before.readAs("g", "merge");
      await clock.advance(10 * MIN);
      await before.flush();
    }
    expect(store.writes.filter(({ scope }) => scope === "group_counts")).toHaveLength(1);
    await before.close();
    const after = createProbeStates(store, clock);
    await after.load();
    expect(after.strategyOf("g")).toBe("merge");
    expect(after.strategyOf("h")).toBeUndefined();
  });

  it("is forgotten after a week, and what an older release left under another form at once", async () => {
    const clock = createVirtualClock(START);
    const day = { sinceMs: START, requests: 9, lastMs: START };
    const old = { strategy: "merge", members: 3, counts: { probes: day, reads: day } };
    const store = createLearnedInMemory({ group_counts: { old, g: { strategy: "merge", atMs: START - 8 * 86_400_000 } } });
    const probeStates = createProbeStates(store, clock);
    await probeStates.load();
    expect([probeStates.strategyOf("old"), probeStates.strategyOf("g")]).toEqual([undefined, undefined]);
    await probeStates.close();
    expect(store.scopes.get("group_counts")?.size).toBe(0);
  });
});
