import { describe, expect, it } from "vitest";
import { type AccountMemory, createProbeStates } from "../../../src/groups/probing/probe-states.ts";
import type { Json } from "../../../src/model/json.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2);
const MIN = 60_000;

const ACCOUNT: AccountMemory = {
  probe: { fields: {}, probedAtMs: START, fullAtMs: START },
  rate: { posts: 0, days: 1, excited: 0, atMs: START },
  handle: "a",
  checkedAtMs: START,
};

function notesIn(stored: Map<string, Json>) {
  return {
    readNote: async (name: string) => stored.get(name) ?? null,
    writeNote: async (name: string, value: Json) => void stored.set(name, JSON.parse(JSON.stringify(value)) as Json),
  };
}

describe("counts of a group", () => {
  it("are known over restarts, with the way it is read", async () => {
    const clock = createVirtualClock(START);
    const notes = notesIn(new Map());
    const before = createProbeStates(notes, clock);
    before.put("1", ACCOUNT, "later");
    for (let run = 0; run < 60 * 74; run += 1) {
      before.count("g", { strategy: "merge", members: 3, requests: { probes: 0, reads: 1 }, intervalMs: MIN });
      await clock.advance(MIN);
    }
    await before.close();
    const after = createProbeStates(notes, clock);
    await after.load();
    expect(after.countOf("g", 3)?.strategy).toBe("merge");
    expect(after.countOf("g", 3)?.reads?.perDay).toBeCloseTo(1_440, -1);
    expect(after.countOf("g", 4)).toBeUndefined();
  });

  it("begin anew after those of an older release, which did not say how it was read", async () => {
    const old = { "g/3/reads": { sinceMs: START, requests: 9, lastMs: START, counted: { perDay: 99, days: 3 } } };
    const stored = new Map<string, Json>([["probes.counts", old]]);
    const probeStates = createProbeStates(notesIn(stored), createVirtualClock(START));
    await probeStates.load();
    probeStates.put("1", ACCOUNT, "later");
    probeStates.count("g", { strategy: "probe", members: 3, requests: { probes: 1, reads: 0 }, intervalMs: MIN });
    await probeStates.close();
    expect(Object.keys(stored.get("probes.counts") as object)).toEqual(["g"]);
  });

  it("are forgotten while it is slowed down", () => {
    const probeStates = createProbeStates(notesIn(new Map()), createVirtualClock(START));
    probeStates.count("g", { strategy: "probe", members: 3, requests: { probes: 1, reads: 0 }, intervalMs: MIN });
    probeStates.count("g", undefined);
    expect(probeStates.countOf("g", 3)).toBeUndefined();
  });
});
