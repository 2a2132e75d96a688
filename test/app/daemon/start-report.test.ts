/** Tests the log lines after a start. */
import { expect, it } from "vitest";
import { createStartReport } from "../../../src/app/daemon/start-report.ts";
import type { EngineWatch } from "../../../src/engine/planned-watches.ts";
import type { WatchState } from "../../../src/model/watch-store.ts";
import type { PollOutcome } from "../../../src/polling/run/poll-outcome.ts";
import type { Poll } from "../../../src/polling/watch-poll.ts";
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
    isShared: false,
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

const stateOf = (id: string, baselines: readonly (number | null)[]) => ({
  ...{ key: `key of ${id}`, id, knownItems: 2 },
  targets: baselines.map((baselineAtMs) => ({ baselineAtMs, status: "ok" })),
});
const watchOf = (id: string) => makeWatch(id, "search", { query: "acme" });

it("waits for the targets that another replica reads first, and reports a watch that was registered after the start", async () => {
  const log = rememberingLog();
  const clock = createVirtualClock(Date.UTC(2026, 2, 6));
  const states = new Map([["pair", stateOf("pair", [null, null])]]);
  const report = createStartReport({
    ...{ clock, log, isShared: true },
    store: {
      listWatches: async (ids) =>
        (ids ?? []).map((id) => states.get(id)) as unknown as readonly WatchState[],
    },
    sinkText: () => "terminal",
    nextPollAt: () => clock.now(),
  });
  const taken = (id: string) =>
    ({ watch: watchOf(id), state: states.get(id) }) as unknown as EngineWatch;
  const baselined = (id: string) =>
    ({ baselined: [{ watch: watchOf(id) }] }) as unknown as PollOutcome;
  report.started([taken("pair")]);
  states.set("late", stateOf("late", [null]));
  report.readAgain([taken("pair"), taken("late")]);
  states.set("pair", stateOf("pair", [1, null]));
  states.set("late", stateOf("late", [1]));
  for (const id of ["pair", "late"]) report.polled({} as Poll, baselined(id));
  await clock.advance(1_000);
  expect(log.lines.map(({ message }) => message)).toEqual([
    "late: 2 items noted, next poll 00:00:01, alerts go to terminal",
  ]);
  states.set("pair", stateOf("pair", [1, 2]));
  report.polled({} as Poll, baselined("pair"));
  await clock.advance(1_000);
  expect(log.lines.map(({ message }) => message).slice(1)).toEqual([
    "pair: 2 items noted, next poll 00:00:01, alerts go to terminal",
  ]);
});
