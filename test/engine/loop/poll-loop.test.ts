import { expect, it } from "vitest";
import { PollLoop, type PollWork } from "../../../src/engine/loop/poll-loop.ts";
import type { PollAftermath } from "../../../src/model/poll-aftermath.ts";
import type { Poll } from "../../../src/polling/watch-poll.ts";
import { sleep } from "../../../src/model/clock.ts";
import type { Schedule } from "../../../src/model/schedule.ts";
import { createTimetable } from "../../../src/schedule/timetable.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const every = (intervalMs: number): Schedule => ({ kind: "every", intervalMs });
const HOUR = 3_600_000;

/** Creates a poll with only the fields that the loop reads. */
const pollOf = (key: string, schedule: Schedule, subscribers = 1): Poll =>
  ({
    key,
    source: { endpoint: "search-tweets", params: {} },
    timing: { kind: "schedule", schedules: [schedule] },
    priority: "normal",
    spreadMs: 0,
    intervalMs: HOUR,
    subscribers: Array.from({ length: subscribers }, (_, i) => ({
      watchKey: "w",
      targetKey: String(i),
    })),
  }) as unknown as Poll;

interface SetupOptions {
  readonly durationMs?: number;
  readonly aftermath?: () => PollAftermath;
  readonly nextDueMs?: () => number;
  readonly slowDownOf?: () => number;
}

function setup({
  durationMs = 1_000,
  aftermath = () => ({}),
  nextDueMs,
  slowDownOf = () => 1,
}: SetupOptions = {}) {
  const clock = createVirtualClock(START);
  const runs: string[] = [];
  let most = 0;
  let now = 0;
  const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
  const meter = { count() {}, set() {}, observe() {} };
  const loop = new PollLoop({
    clock,
    timetable: createTimetable(),
    meter,
    log,
    slowDownOf: slowDownOf,
  });
  const work: PollWork = {
    nextDueMs: () => nextDueMs?.(),
    async runPoll({ key, subscribers }) {
      runs.push(`${key}${subscribers.length} ${(clock.now() - START) / 1_000}`);
      now += 1;
      most = Math.max(most, now);
      await sleep(clock, durationMs);
      now -= 1;
      return aftermath();
    },
  };
  return { clock, loop, work, runs, most: () => most };
}

it("serves a newcomer that joined while the poll ran right after it, and never runs one poll twice at once", async () => {
  const { clock, loop, work, runs, most } = setup();
  loop.setPolls([pollOf("a", every(HOUR))], new Map());
  loop.start(work);
  await clock.advance(500);
  loop.setPolls([pollOf("a", every(HOUR), 2)], new Map());
  loop.runNow("a");
  await clock.advance(10_000);
  expect(runs).toEqual(["a1 0", "a2 1"]);
  expect(most()).toBe(1);
  await clock.advance(2 * HOUR);
  expect(runs.length).toBe(4);
  await loop.stop();
  expect(clock.pending()).toBe(0);
});

it("takes over a schedule that changed while the poll ran", async () => {
  const { clock, loop, work, runs } = setup();
  loop.setPolls([pollOf("a", every(6 * HOUR))], new Map());
  loop.start(work);
  await clock.advance(500);
  loop.setPolls([pollOf("a", every(60_000))], new Map());
  await clock.advance(5 * 60_000);
  expect(runs.length).toBeGreaterThanOrEqual(5);
  await loop.stop();
});

it("runs nothing more for a poll that was taken out of the plan while it ran", async () => {
  const { clock, loop, work, runs } = setup();
  loop.setPolls([pollOf("a", every(60_000))], new Map());
  loop.start(work);
  await clock.advance(500);
  loop.setPolls([], new Map());
  await clock.advance(HOUR);
  expect(runs).toEqual(["a1 0"]);
  await loop.stop();
});

it.each([
  ["fault 71: forwards", HOUR, 3],
  ["fault 72: back", -HOUR, 4],
] as const)(
  "%s: a clock that is set runs each poll at most once more, and freezes none",
  async (_name, jumpMs, most) => {
    const { clock, loop, work, runs } = setup();
    loop.setPolls([pollOf("a", every(60_000))], new Map());
    loop.start(work);
    await clock.advance(90_000);
    const before = runs.length;
    clock.jump(jumpMs);
    // The loop reads the clock every 30 s; an interval later the poll is due.
    await clock.advance(95_000);
    expect(runs.length - before).toBeGreaterThanOrEqual(1);
    expect(runs.length - before).toBeLessThanOrEqual(most);
    await clock.advance(10 * 60_000);
    expect(runs.length - before).toBeGreaterThanOrEqual(9);
    await loop.stop();
  },
);

it("fault 72: does not leave a poll waiting for the old time that was still running when the loop noticed", async () => {
  const { clock, loop, work, runs } = setup({ durationMs: 40_000 });
  loop.setPolls([pollOf("a", every(60_000))], new Map());
  loop.start(work);
  await clock.advance(500);
  clock.jump(-HOUR);
  await clock.advance(6 * 60_000);
  expect(runs.length).toBeGreaterThanOrEqual(4);
  const stopped = loop.stop();
  await clock.advance(60_000);
  await stopped;
});

const fresh = (key: string, subscribers = 1): Poll => ({
  ...pollOf(key, every(HOUR), subscribers),
  timing: { kind: "freshness", freshness: { kind: "mean", meanMs: HOUR / 2, maxMs: 2 * HOUR } },
});

it("runs what freshness placed sooner when the pace gets faster, but not what waits after a failure", async () => {
  for (const isPaced of [true, false]) {
    const laterMs = START + 2 * HOUR;
    const aftermath = () => (isPaced ? { nextDueMs: laterMs } : { retryAtMs: laterMs });
    const { clock, loop, work, runs } = setup({ aftermath, nextDueMs: () => START + 60_000 });
    loop.setPolls([fresh("a")], new Map());
    loop.start(work);
    await clock.advance(30_000);
    loop.reschedule();
    await clock.advance(HOUR);
    expect(runs.slice(0, 2)).toEqual(isPaced ? ["a1 0", "a1 60"] : ["a1 0"]);
    await loop.stop();
  }
});

it.each([
  ["by a schedule", pollOf("a", every(HOUR))],
  ["by freshness", fresh("a")],
])(
  "runs what was slowed down at a restart sooner when the pace gets faster: %s",
  async (_name, poll) => {
    let factor = 50;
    const { clock, loop, work, runs } = setup({ slowDownOf: () => factor });
    loop.setPolls([poll], new Map([["a", START - 10 * 60_000]]));
    loop.start(work);
    await clock.advance(2 * HOUR);
    expect(runs).toEqual([]);
    factor = 1;
    loop.reschedule();
    await clock.advance(HOUR);
    expect(runs).toHaveLength(1);
    await loop.stop();
  },
);

it("puts off what waits when the pace gets slower, also of a poll that runs meanwhile", async () => {
  let factor = 1;
  const { clock, loop, work, runs } = setup({ slowDownOf: () => factor, durationMs: 2_000 });
  loop.setPolls(
    [pollOf("a", every(60_000)), pollOf("b", every(60_000))],
    new Map([["b", START - 59_000]]),
  );
  loop.start(work);
  await clock.advance(1_500);
  factor = 100;
  loop.reschedule();
  await clock.advance(HOUR);
  expect(runs).toEqual(["a1 0", "b1 1"]);
  await clock.advance(HOUR);
  expect(runs).toHaveLength(4);
  await loop.stop();
});

it("runs what is due already, however often the pace changes", async () => {
  const { clock, loop, work, runs } = setup({ durationMs: 20_000 });
  const many = Array.from({ length: 65 }, (_, index) =>
    pollOf(`p${String(index).padStart(2, "0")}`, every(30_000)),
  );
  loop.setPolls(many, new Map());
  loop.start(work);
  // There is one poll more than may run at once. The last one waits for a free slot at its first
  // tick, and again at its second.
  for (let second = 0; second < 59; second += 1) {
    await clock.advance(1_000);
    loop.reschedule();
  }
  const times = many.map(({ key }) => runs.filter((run) => run.startsWith(key)).length);
  expect(Math.min(...times)).toBe(2);
  const stopped = loop.stop();
  await clock.advance(30_000);
  await stopped;
});

it("serves a newcomer right after a run whose next one freshness placed far off", async () => {
  const { clock, loop, work, runs } = setup({ aftermath: () => ({ nextDueMs: START + 2 * HOUR }) });
  loop.setPolls([fresh("a")], new Map());
  loop.start(work);
  await clock.advance(500);
  loop.setPolls([fresh("a", 2)], new Map());
  await clock.advance(10_000);
  expect(runs).toEqual(["a1 0", "a2 1"]);
  await loop.stop();
});

it("makes a turn every half minute, also where its polls are replaced more often", async () => {
  const { clock, loop, work } = setup();
  loop.setPolls([], new Map());
  loop.start(work);
  const agesMs: number[] = [];
  for (let seconds = 0; seconds < 300; seconds += 20) {
    await clock.advance(20_000);
    agesMs.push(clock.monotonic() - loop.lastTurnMs);
    loop.setPolls([], new Map());
  }
  expect(Math.max(...agesMs)).toBeLessThanOrEqual(30_000);
});
