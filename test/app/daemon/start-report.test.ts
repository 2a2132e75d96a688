/** The lines after a start. */
import { expect, it } from "vitest";
import { createStartReport } from "../../../src/app/daemon/start-report.ts";
import type { EngineWatch } from "../../../src/engine/planned-watches.ts";
import { rememberingLog } from "../../state/temp-state.ts";
import { makeWatch } from "../../support/make-watch.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

function linesOf(watches: number): readonly string[] {
  const log = rememberingLog();
  const clock = createVirtualClock(Date.UTC(2026, 2, 6));
  const report = createStartReport({
    ...{ clock, log },
    store: { listWatches: async () => [] },
    sinkText: () => "terminal",
    nextPollAt: () => clock.now(),
  });
  const known = Array.from({ length: watches }, (_, number) => ({
    watch: makeWatch(`w${number}`, "search", { query: "acme" }),
    state: { knownItems: 2, targets: [{ baselineAtMs: 1, status: "ok" }] },
  }));
  report.started(known as unknown as readonly EngineWatch[]);
  return log.lines.map(({ message }) => message);
}

it("names each watch whose baseline is done, and of many only how many there are", () => {
  expect(linesOf(2)).toEqual([
    "w0: baseline done, 2 items known, next poll 00:00:00",
    "w1: baseline done, 2 items known, next poll 00:00:00",
  ]);
  expect(linesOf(100)).toHaveLength(100);
  expect(linesOf(101)).toEqual(["101 watches: baseline done, 202 items known"]);
});
