/** Tests which part of one plan each of several replicas runs. */
import { expect, it } from "vitest";
import { PollHistory } from "../../src/engine/loop/poll-history.ts";
import { PlannedPolls } from "../../src/engine/planned-polls.ts";
import { PollPlanner } from "../../src/engine/poll-planner.ts";
import { assumeTargets } from "../../src/forecast/forecast.ts";
import { targetsOf } from "../../src/plan/polls/plan-polls.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { createTimetable } from "../../src/schedule/timetable.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { rememberingLog } from "../state/temp-state.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const WATCHES = 3_000;
/** Whether a shard, out of a thousand, belongs to the first half. */
const isFirst = (shard: string) => Number(shard) < 500;

function makePlanner(holds: (shard: string) => boolean) {
  const type = WATCH_TYPES.find((one) => one.type === "search");
  if (type === undefined) throw new Error("no type");
  const watches = Array.from({ length: WATCHES }, (_, n) => {
    const watch = makeWatch(`w${n}`, "search", { query: `acme ${n}` }, { strategy: "single" });
    return {
      watch,
      type,
      watchKey: watch.id,
      paused: false,
      targets: assumeTargets(watch.id, targetsOf(sha256, watch, type), []),
    };
  });
  const submitted = {
    work: [] as readonly { readonly key: string; readonly cost: number }[],
    polls: [] as readonly string[],
  };
  const planner = new PollPlanner({
    ...{
      hash: sha256,
      clock: createVirtualClock(0),
      log: rememberingLog(),
      timetable: createTimetable(),
    },
    share: {
      submit: async (_, work) => void (submitted.work = work),
      holds: (_, key) => holds(key),
    },
    ...{
      watches: { all: watches },
      polls: new PlannedPolls(),
      history: new PollHistory({ monotonic: () => 0 }),
      store: { loadSources: async () => [] },
    },
    runners: { load: async () => undefined, pagesOf: () => 1, keepOnly: () => undefined },
    loop: { setPolls: (polls) => void (submitted.polls = polls.map(({ key }) => key)) },
    stalls: { setPolls: () => undefined },
  });
  return { planner, submitted };
}

it("shares out a thousand shards, however many polls there are, by the requests an hour of these, and each poll is one replica's", async () => {
  const [one, other] = [makePlanner(isFirst), makePlanner((shard) => !isFirst(shard))];
  for (const { planner } of [one, other]) await planner.replan();
  const { work } = one.submitted;
  expect(new Set(work.map(({ key }) => key)).size).toBe(work.length);
  expect(work.length).toBeGreaterThan(900);
  expect(work.length).toBeLessThanOrEqual(1_024);
  expect(work.reduce((sum, { cost }) => sum + cost, 0)).toBeCloseTo(WATCHES * 60);
  expect(one.submitted.polls.length).toBeGreaterThan(1_300);
  expect(new Set([...one.submitted.polls, ...other.submitted.polls]).size).toBe(WATCHES);
  expect(one.submitted.polls.length + other.submitted.polls.length).toBe(WATCHES);
});
