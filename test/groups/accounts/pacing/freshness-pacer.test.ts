import { expect, it } from "vitest";
import { restoreGroup } from "../../../../src/groups/accounts/group-memory.ts";
import type { GroupNews } from "../../../../src/groups/accounts/group-reads.ts";
import { createFreshnessPacer } from "../../../../src/groups/accounts/pacing/freshness-pacer.ts";
import { firstPace } from "../../../../src/groups/accounts/pacing/group-mean.ts";
import type { ProbedRun } from "../../../../src/groups/accounts/pacing/group-pacer.ts";
import type { Waiting } from "../../../../src/groups/accounts/pacing/turns.ts";
import type { Poll } from "../../../../src/polling/watch-poll.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";

const MIN = 60_000;
const START = Date.UTC(2026, 2, 2);
const MEAN = { kind: "mean", meanMs: MIN, maxMs: 20 * MIN } as const;
const group = { key: "g", intervalMs: 2 * MIN, priority: "normal" } as Poll;
const RATES = [12, 6, 3];
const OVERDUE = [{ id: "a", rate: 12, ageMs: 60 * MIN }] as unknown as readonly Waiting[];

/**
 * Sets up a pacer after runs that found two posts an hour old. `learn` returns whether they changed
 * the pace.
 */
function setUp() {
  const clock = createVirtualClock(START);
  const deps = {
    turns: () => OVERDUE,
    punctuality: new Map(),
    probes: { applyRecent: () => false },
  };
  let factor = 1;
  const pacer = createFreshnessPacer(group, MEAN, {
    ...deps,
    clock,
    slowDownOf: () => factor,
    memoryOf: () => undefined,
  });
  const memory = { ...restoreGroup({}), pace: firstPace(RATES, MEAN, START) };
  let dueMs = START;
  const learn = async (
    options: { lateMs?: number; answer?: "seen" | "suspicious"; factor?: number } = {},
  ) => {
    factor = options.factor ?? 1;
    await clock.advance(Math.max(0, dueMs - clock.now()) + (options.lateMs ?? 0));
    const run = {
      members: [],
      memory,
      asked: [{}],
      seen: new Set(),
      awaited: { posts: 0, waitedMs: 0 },
      startedAtMs: clock.now(),
    };
    const news = { delaysMs: [60 * MIN, 60 * MIN] } as unknown as GroupNews;
    const probed = { ...run, answer: options.answer ?? "seen" } as unknown as ProbedRun;
    const after = pacer.after(probed, { tasks: [], awaited: { posts: 0, waitedMs: 0 } }, news);
    dueMs = after.nextDueMs ?? 0;
    return after.memory.pace !== memory.pace;
  };
  const quiet = async () => {
    for (const endMs = clock.now() + 21 * MIN; clock.now() < endMs; ) await learn();
  };
  return { learn, quiet };
}

it("learns nothing of its pace after the start, until every account was asked for once more", async () => {
  const { learn, quiet } = setUp();
  expect(await learn()).toBe(false);
  expect(await learn()).toBe(false);
  await quiet();
  expect(await learn()).toBe(true);
});

it("learns nothing for as long after a run that came late, was slowed down on purpose, or was shown nothing", async () => {
  for (const kept of [{ lateMs: 3 * MIN }, { factor: 1.5 }, { answer: "suspicious" }] as const) {
    const { learn, quiet } = setUp();
    await learn();
    await quiet();
    expect(await learn(kept)).toBe(false);
    expect(await learn()).toBe(false);
    await quiet();
    expect(await learn()).toBe(true);
  }
});
