import { afterEach, describe, expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import type { UpstreamAnswer, UpstreamRequest } from "../../src/model/upstream.ts";
import type { Watch } from "../../src/model/watch.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { createListsWorld, type WorldSubject } from "../support/lists-world.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { failure } from "../support/scripted-upstream.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MIN = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const NEVER = 10_000 * DAY;
const schedule = { kind: "every", intervalMs: 2 * MIN } as const;
const harnesses: EngineHarness[] = [];

afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.close();
});

interface SetupOptions {
  readonly subjects?: number;
  readonly type?: string;
  readonly settings?: object;
  readonly changes?: WatchChanges;
  /** The number of followers of each account at the start. */
  readonly followers?: number;
  readonly fail?: (request: UpstreamRequest) => void;
  /** Replaces an answer of the world. */
  readonly answer?: (request: UpstreamRequest) => UpstreamAnswer | undefined;
  readonly more?: (ids: readonly string[]) => readonly Watch[];
}

/**
 * Sets up a hundred accounts and a watch of their followers. Returns three minutes after the
 * baselines.
 */
async function setup({
  subjects = 100,
  type = "new_followers",
  settings = { source: "all" },
  ...options
}: SetupOptions = {}) {
  const clock = createVirtualClock(START);
  const world = createListsWorld({ cursors: "entries" });
  for (let i = 0; i < subjects; i += 1) {
    const subject = world.add();
    for (let k = 0; k < (options.followers ?? 5); k += 1)
      world.follow(subject, START - 30 * DAY + k);
  }
  const calls: { readonly endpoint: string; readonly ids: number; readonly atMs: number }[] = [];
  const upstream = {
    async call(request: UpstreamRequest) {
      const ids = request.params["user_ids"];
      calls.push({
        endpoint: request.endpoint,
        ids: Array.isArray(ids) ? ids.length : 0,
        atMs: clock.now(),
      });
      await sleep(clock, 40);
      options.fail?.(request);
      return options.answer?.(request) ?? world.answer(request, clock.now());
    },
  };
  const ids = world.subjects.map(({ id }) => `id:${id}`);
  // Another test covers full polls, so there are none here.
  const quiet = { schedule, maxAgeMs: 7 * DAY, fullPollEveryMs: NEVER };
  const watch = makeWatch(
    "w",
    type,
    { accounts: ids, ...settings },
    { ...quiet, ...options.changes },
  );
  const harness = await startEngineHarness({
    clock,
    upstream,
    watches: [watch, ...(options.more?.(ids) ?? [])],
  });
  harnesses.push(harness);
  await clock.advance(3 * MIN);
  const alerted = async (watchId = "w") =>
    (await harness.events())
      .filter((event) => event.watch === watchId)
      .map(({ type: event, body }) => `${event} ${body.user?.id}`)
      .reverse();
  const callsOf = (endpoint: string, sinceMs = START) =>
    calls.filter((call) => call.endpoint === endpoint && call.atMs >= sinceMs);
  const listReads = (sinceMs: number) =>
    calls.filter(({ endpoint, atMs }) => endpoint !== "info-batch" && atMs >= sinceMs);
  return {
    clock,
    world,
    harness,
    watch,
    ids,
    alerted,
    calls,
    callsOf,
    listReads,
    subject: (index: number) => world.subjects[index] as WorldSubject,
  };
}

describe("a group of follower lists", () => {
  it("of a hundred quiet accounts costs one request a tick instead of a hundred", async () => {
    const { clock, calls, callsOf, listReads } = await setup();
    expect(callsOf("followers")).toHaveLength(100);
    const sinceMs = clock.now();
    await clock.advance(2 * HOUR);
    expect(calls.filter(({ atMs }) => atMs >= sinceMs)).toHaveLength(60);
    expect(callsOf("info-batch", sinceMs)).toHaveLength(60);
    expect(listReads(sinceMs)).toEqual([]);
  });

  it("reads the list of an account that got a follower at that tick, once", async () => {
    const { clock, world, alerted, listReads, subject } = await setup();
    const sinceMs = clock.now();
    const one = world.follow(subject(7), sinceMs + 1_000);
    await clock.advance(2 * MIN);
    expect(await alerted()).toEqual([`follower.added ${one.id}`]);
    await clock.advance(HOUR);
    expect(listReads(sinceMs)).toHaveLength(1);
    expect(await alerted()).toHaveLength(1);
  });

  it("reads once for a follower who comes while the rest of the list is read for the first time", async () => {
    const { clock, world, alerted, listReads, subject } = await setup({
      ...{ subjects: 6, followers: 700, changes: { maxPages: 1 } },
    });
    // Each read of a list reads one page more of its rest, so one of the lists is read to its end
    // when its last follower comes.
    for (let tick = 0; tick < 6; tick += 1) {
      for (let index = tick; index < 6; index += 1) world.follow(subject(index), clock.now());
      await clock.advance(2 * MIN);
    }
    expect(await alerted()).toHaveLength(21);
    const sinceMs = clock.now();
    await clock.advance(HOUR);
    expect(listReads(sinceMs)).toEqual([]);
  });

  it("checks again for a follower that the counter promises and the list does not show yet", async () => {
    const { clock, world, alerted, subject } = await setup();
    const one = world.follow(subject(7), clock.now() + 1_000, { listLagMs: 4 * MIN });
    await clock.advance(4 * MIN);
    expect(await alerted()).toEqual([]);
    await clock.advance(4 * MIN);
    expect(await alerted()).toEqual([`follower.added ${one.id}`]);
  });

  it("reads twice for an unfollow, and not seven times", async () => {
    const { clock, world, listReads, subject } = await setup();
    const leaver = world.follow(subject(7), START + 4 * MIN, { untilMs: START + HOUR });
    await clock.advance(HOUR - 4 * MIN);
    const sinceMs = clock.now();
    expect(leaver.untilMs).toBeGreaterThan(sinceMs);
    await clock.advance(2 * HOUR);
    expect(listReads(sinceMs)).toHaveLength(2);
  });

  it("learns how little of its counter a list shows, and then reads once for each change", async () => {
    const { clock, world, listReads, subject } = await setup({
      subjects: 8,
      settings: { source: "indexed" },
    });
    for (let i = 0; i < 40; i += 1)
      world.follow(subject(7), START + HOUR + i * HOUR, { isIndexed: false });
    await clock.advance(20 * HOUR);
    const sinceMs = clock.now();
    await clock.advance(10 * HOUR);
    expect(listReads(sinceMs)).toHaveLength(10);
  });

  it("finds followers that no counter shows with a full poll of each list in turn", async () => {
    const { clock, world, alerted, listReads, subject } = await setup({
      subjects: 30,
      changes: { maxAgeMs: DAY, fullPollEveryMs: 3 * HOUR },
    });
    const sinceMs = clock.now();
    world.follow(subject(3), sinceMs + 1_000);
    const [first] = subject(3).follows;
    if (first !== undefined) subject(3).follows[0] = { ...first, untilMs: sinceMs + 2_000 };
    await clock.advance(3 * HOUR + 4 * MIN);
    expect(await alerted()).toHaveLength(1);
    await clock.advance(6 * HOUR);
    // Three rounds of thirty reads are spread, so each tick has only a few.
    const reads = listReads(sinceMs);
    expect(reads.length).toBeGreaterThan(70);
    expect(reads.length).toBeLessThan(100);
    const perTick = new Map<number, number>();
    for (const { atMs } of reads)
      perTick.set(
        Math.floor(atMs / (2 * MIN)),
        (perTick.get(Math.floor(atMs / (2 * MIN))) ?? 0) + 1,
      );
    expect(Math.max(...perTick.values())).toBeLessThan(8);
  });

  it("reads every list again soon after the clock was set back", async () => {
    const { clock, world, alerted, listReads, subject } = await setup({ subjects: 5 });
    await clock.advance(2 * MIN);
    clock.jump(-5 * HOUR);
    subject(3).isFrozen = true;
    const hidden = world.follow(subject(3), clock.now() + 1_000);
    const before = listReads(0).length;
    await clock.advance(14 * MIN);
    expect(await alerted()).toEqual([`follower.added ${hidden.id}`]);
    await clock.advance(2 * HOUR);
    expect(listReads(0).length - before).toBeLessThan(9);
  });

  it("reads a list at every tick if its counter did not change for followers that full polls find", async () => {
    const { clock, world, alerted, subject } = await setup({
      subjects: 30,
      changes: { maxAgeMs: DAY, fullPollEveryMs: HOUR },
    });
    subject(3).isFrozen = true;
    for (let hour = 1; hour < 5; hour += 1) world.follow(subject(3), clock.now() + hour * HOUR);
    await clock.advance(5 * HOUR);
    expect(await alerted()).toHaveLength(4);
    const one = world.follow(subject(3), clock.now() + 1_000);
    await clock.advance(3 * MIN);
    expect((await alerted()).at(-1)).toBe(`follower.added ${one.id}`);
  });

  it("keeps its probe state over a restart: no list is read, and no follower is missed", async () => {
    const { clock, world, harness, alerted, listReads, subject } = await setup();
    await clock.advance(4 * MIN);
    const one = world.follow(subject(7), clock.now() + 500);
    const sinceMs = clock.now() + 1_000;
    await clock.advance(1_000);
    await harness.restart();
    await clock.advance(4 * MIN);
    expect(await alerted()).toEqual([`follower.added ${one.id}`]);
    expect(listReads(sinceMs)).toHaveLength(1);
  });

  it("reads for a watch that joins, or comes back from a pause, what others have read before", async () => {
    const { clock, world, harness, watch, alerted, subject } = await setup({ subjects: 5 });
    const late = makeWatch(
      "late",
      "new_followers",
      { accounts: ["id:1002"], source: "all" },
      { schedule, maxAgeMs: 7 * DAY, fullPollEveryMs: NEVER },
    );
    await harness.setWatches([watch, late]);
    await clock.advance(3 * MIN);
    await harness.pause("late", true);
    const one = world.follow(subject(2), clock.now() + 1_000);
    await clock.advance(10 * MIN);
    await harness.pause("late", false);
    await clock.advance(4 * MIN);
    expect(await alerted()).toEqual([`follower.added ${one.id}`]);
    expect(await alerted("late")).toEqual([`follower.added ${one.id}`]);
  });

  it("goes on with lists when the service refuses probes, and with the others when one list fails", async () => {
    let isRefused = false;
    const { clock, world, alerted, subject } = await setup({
      subjects: 5,
      fail: ({ endpoint, params }) => {
        if (isRefused && endpoint === "info-batch") throw failure("bad_request");
        if (isRefused && params["user_id"] === "1001") throw failure("transient");
      },
    });
    isRefused = true;
    const ones = [1, 2].map((index) => world.follow(subject(index), clock.now() + 1_000));
    await clock.advance(4 * MIN);
    expect(await alerted()).toEqual([`follower.added ${ones[1]?.id}`]);
    isRefused = false;
    await clock.advance(10 * MIN);
    expect((await alerted()).sort()).toEqual(ones.map(({ id }) => `follower.added ${id}`).sort());
  });

  it("seldom tries probes again that the service refuses, and reads its lists at every tick meanwhile", async () => {
    let isRefused = false;
    const { clock, world, alerted, callsOf, listReads, subject } = await setup({
      subjects: 5,
      fail: ({ endpoint }) => {
        if (isRefused && endpoint === "info-batch") throw failure("bad_request");
      },
    });
    isRefused = true;
    const sinceMs = clock.now();
    const one = world.follow(subject(1), sinceMs + 1_000);
    await clock.advance(HOUR);
    expect(callsOf("info-batch", sinceMs).length).toBeLessThan(8);
    expect(listReads(sinceMs)).toHaveLength(5 * 30);
    isRefused = false;
    await clock.advance(20 * MIN);
    const againMs = clock.now();
    await clock.advance(HOUR);
    expect(callsOf("info-batch", againMs)).toHaveLength(30);
    // The read looks for the follower whom the counter shows only now.
    expect(listReads(againMs).length).toBeLessThan(8);
    expect(await alerted()).toEqual([`follower.added ${one.id}`]);
  });

  it("reads no list because of probes that show none of the accounts, and finds who came meanwhile", async () => {
    let isEmpty = false;
    const { clock, world, alerted, listReads, subject } = await setup({
      answer: ({ endpoint }) => (isEmpty && endpoint === "info-batch" ? { users: [] } : undefined),
    });
    isEmpty = true;
    const sinceMs = clock.now();
    const one = world.follow(subject(7), sinceMs + 10 * MIN);
    await clock.advance(HOUR);
    expect(listReads(sinceMs)).toEqual([]);
    isEmpty = false;
    await clock.advance(3 * MIN);
    expect(await alerted()).toEqual([`follower.added ${one.id}`]);
    expect(listReads(sinceMs)).toHaveLength(1);
  });

  it("tries a list that failed again before its next tick, where that is far", async () => {
    let failures = 0;
    const { clock, world, alerted, subject } = await setup({
      subjects: 5,
      changes: { schedule: { kind: "every", intervalMs: 6 * HOUR } },
      fail: ({ params, cursor: _ }) => {
        if (failures > 0 && params["user_id"] === "1001") {
          failures -= 1;
          throw failure("transient");
        }
      },
    });
    failures = 4;
    const one = world.follow(subject(1), clock.now() + 1_000);
    await clock.advance(6 * HOUR + 20 * MIN);
    expect(await alerted()).toEqual([`follower.added ${one.id}`]);
  });

  it("falls back to the whole list at once for accounts that are not indexed", async () => {
    const { clock, world, alerted, callsOf, subject } = await setup({
      subjects: 5,
      settings: { source: "auto" },
      changes: { schedule: { kind: "every", intervalMs: 6 * HOUR } },
      fail: ({ endpoint, params }) => {
        if (endpoint === "new-followers-7d" && params["user_id"] === "1001")
          throw failure("not_found");
      },
    });
    expect(callsOf("followers")).toHaveLength(1);
    const one = world.follow(subject(1), clock.now() + 1_000, { isIndexed: false });
    await clock.advance(6 * HOUR);
    expect(await alerted()).toEqual([`follower.added ${one.id}`]);
  });
});

describe("lists that report who left", () => {
  it("are read when the counter moves, and once more before somebody is reported as gone", async () => {
    const { clock, world, alerted, listReads, subject } = await setup({
      type: "followers",
      settings: {},
      subjects: 20,
      followers: 450,
    });
    const leaver = world.follow(subject(3), START + 4 * MIN, { untilMs: START + HOUR });
    await clock.advance(30 * MIN);
    expect(await alerted()).toEqual([`follower.added ${leaver.id}`]);
    const sinceMs = clock.now();
    await clock.advance(HOUR);
    expect((await alerted()).slice(1)).toEqual([`follower.removed ${leaver.id}`]);
    // There are two complete reads of three pages each.
    expect(listReads(sinceMs)).toHaveLength(6);
  });

  it("are read again where the counter moves while a read is under way, which takes several polls", async () => {
    const options = { type: "followers", settings: {}, subjects: 2, followers: 700 };
    const { clock, world, alerted, listReads, subject } = await setup({
      ...options,
      changes: { maxPages: 1 },
    });
    /** Lets the newest follower but one go, who is on a page that was read before. */
    const leave = () => {
      const [gone] = subject(0).follows.splice(-2, 1);
      return `follower.removed ${gone?.id}`;
    };
    const alerts = [leave()];
    await clock.advance(30 * MIN);
    expect(await alerted()).toEqual(alerts);
    const one = world.follow(subject(0), clock.now());
    await clock.advance(3 * MIN);
    alerts.push(`follower.added ${one.id}`, leave());
    await clock.advance(30 * MIN);
    expect(await alerted()).toEqual(alerts);
    const sinceMs = clock.now();
    await clock.advance(HOUR);
    expect(listReads(sinceMs)).toEqual([]);
  });

  it("that are long are probed even where there is one", async () => {
    const { clock, callsOf, listReads } = await setup({
      type: "followers",
      settings: {},
      subjects: 1,
      followers: 900,
    });
    await clock.advance(30 * MIN);
    const sinceMs = clock.now();
    await clock.advance(HOUR);
    expect(callsOf("info-batch", sinceMs)).toHaveLength(30);
    expect(listReads(sinceMs)).toEqual([]);
  });
});

describe("the planner", () => {
  it("probes by the user's word, and reads by it", async () => {
    const probed = await setup({ subjects: 1, changes: { strategy: "probe" } });
    const sinceMs = probed.clock.now();
    await probed.clock.advance(20 * MIN);
    expect(probed.callsOf("info-batch", sinceMs)).toHaveLength(10);
    expect(probed.listReads(sinceMs)).toEqual([]);
    const single = await setup({ subjects: 10, changes: { strategy: "single" } });
    const fromMs = single.clock.now();
    await single.clock.advance(20 * MIN);
    expect(single.callsOf("info-batch", fromMs)).toEqual([]);
    expect(single.listReads(fromMs)).toHaveLength(100);
  });

  it("gives up probing where every list moves at every tick", async () => {
    const { clock, world, callsOf, subject } = await setup({
      subjects: 3,
      changes: { schedule: { kind: "every", intervalMs: HOUR } },
    });
    for (let index = 0; index < 3; index += 1)
      for (let tick = 0; tick < 3 * 24; tick += 1)
        world.follow(subject(index), START + 4 * MIN + tick * HOUR);
    await clock.advance(2 * DAY);
    const sinceMs = clock.now();
    await clock.advance(10 * HOUR);
    // At most the profiles of reported accounts are requested, once a day.
    expect(callsOf("info-batch", sinceMs).length).toBeLessThan(2);
    expect(callsOf("followers", sinceMs)).toHaveLength(30);
  });
});
