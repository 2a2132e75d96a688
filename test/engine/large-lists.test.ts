/**
 * Tests follower lists that take days to read: joins are reported at once, and the rest of the list
 * is read later.
 */
import { afterEach, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import type { Store } from "../../src/model/store.ts";
import type { Watch } from "../../src/model/watch.ts";
import {
  type EngineHarness,
  type EngineHarnessOptions,
  startEngineHarness,
} from "../support/engine-harness.ts";
import { createLargeList } from "../support/large-list.ts";
import { makeUser } from "../support/make-event.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { createScriptedUpstream, failure } from "../support/scripted-upstream.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const EVERY_5M = { schedule: { kind: "every", intervalMs: 5 * MINUTE } } as const;

let harness: EngineHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

interface SetupOptions extends Partial<EngineHarnessOptions> {
  readonly changes?: WatchChanges;
  readonly settings?: JsonObject;
  readonly more?: readonly Watch[];
}

async function setup(
  size: number,
  { changes = {}, settings = {}, more = [], ...options }: SetupOptions = {},
) {
  const clock = createVirtualClock(START);
  const list = createLargeList(size);
  const upstream = createScriptedUpstream(clock, [
    { ...makeUser("7", "acme"), followers_count: size },
  ]);
  upstream.on("followers", ({ cursor }) => list.page(cursor));
  const watch = makeWatch(
    "w",
    "new_followers",
    { accounts: ["acme"], source: "all", ...settings },
    { ...EVERY_5M, ...changes },
  );
  const started = await startEngineHarness({
    clock,
    upstream,
    watches: [watch, ...more],
    ...options,
  });
  harness = started;
  const alerted = async () =>
    (await started.events()).map(({ body }) => body.user?.id ?? "").reverse();
  const deepCalls = (fromMs = START) =>
    upstream
      .callsOf("followers")
      .filter(({ cursor, atMs }) => cursor !== undefined && atMs >= fromMs);
  const target = async () => (await started.store.listWatches())[0]?.targets[0];
  return { clock, list, upstream, harness: started, alerted, deepCalls, target };
}

it("reports every new follower of an account of 3 million within one interval from the first minutes on", async () => {
  const { clock, list, upstream, harness, alerted } = await setup(3_000_000, {
    monthly: 100_000,
    isGoverned: true,
  });
  await clock.advance(MINUTE);
  const joinedAtMs = new Map<string, number>();
  const random = createSeededRandom(3);
  while (clock.now() < START + HOUR) {
    await clock.advance(Math.floor(random.float() * 15 * MINUTE) + 1);
    joinedAtMs.set(list.join(), clock.now());
  }
  await clock.advance(5 * MINUTE + 35_000);
  const delays = (await harness.events()).map(
    ({ body, detectedAtMs }) => detectedAtMs - (joinedAtMs.get(body.user?.id ?? "") ?? 0),
  );
  expect(await alerted()).toEqual([...joinedAtMs.keys()]);
  // The bound consists of a spread of at most 30 s, and the pages of a poll.
  expect(Math.max(...delays)).toBeLessThan(5 * MINUTE + 35_000);
  // The cost of a day is measured by bench/economy with --member-lists.
  const hours = (clock.now() - START) / HOUR;
  expect(
    upstream.callsOf("followers").filter(({ cursor }) => cursor === undefined).length,
  ).toBeLessThanOrEqual(12 * hours + 2);
  expect(upstream.calls.length).toBeLessThanOrEqual(132 * hours + 12);
});

it("reads the rest only out of what the quota can spare", async () => {
  const { clock, deepCalls, harness } = await setup(3_000_000, {
    monthly: 10_000,
    isGoverned: true,
  });
  await clock.advance(DAY / 3);
  expect((await harness.store.spentSince(0)).total).toBeLessThan(150);
  expect(deepCalls(START + HOUR).length).toBeGreaterThan(10);
});

it("says of those who were there that they are no news, however late they are read, and reports newcomers once", async () => {
  const { clock, list, harness, alerted, target } = await setup(15_000, {
    changes: { maxPages: 2 },
  });
  await clock.advance(MINUTE);
  expect((await target())?.baselineAtMs).not.toBeNull();
  expect((await target())?.memory).toMatchObject({ size: 15_000, partial: { run: 20 } });
  const joined: string[] = [];
  for (let i = 0; i < 50; i += 1) {
    joined.push(list.join());
    if (i % 3 === 0) list.leave(String(15_000 - i));
    await clock.advance(5 * MINUTE);
    if (i % 10 === 0) await harness.crash();
  }
  await clock.advance(5 * MINUTE);
  expect(await alerted()).toEqual(joined);
  expect((await target())?.memory["partial"]).toBeUndefined();
  expect((await target())?.memory).toMatchObject({ pages: 75 });
  expect((await harness.store.listWatches())[0]?.knownItems).toBeGreaterThan(15_000);
});

it("loses nobody of a crowd that is larger than a poll reads, before and after the list was seen to be in order", async () => {
  const { clock, list, alerted } = await setup(50_000, { changes: { maxPages: 2 } });
  await clock.advance(MINUTE);
  const joined = Array.from({ length: 1_500 }, () => list.join());
  await clock.advance(HOUR);
  expect((await alerted()).toSorted()).toEqual(joined.toSorted());
  // More followers arrive while the crowd is read.
  for (let round = 0; round < 6; round += 1) {
    for (let i = 0; i < 450; i += 1) joined.push(list.join());
    await clock.advance(5 * MINUTE);
  }
  await clock.advance(2 * HOUR);
  expect((await alerted()).toSorted()).toEqual(joined.toSorted());
});

it("does not take whoever unfollows and follows again for a newcomer, nor for the end of them", async () => {
  const { clock, list, alerted } = await setup(50_000, { changes: { maxPages: 3 } });
  await clock.advance(MINUTE);
  const joined = Array.from({ length: 250 }, () => list.join());
  for (const id of ["49990", "49991", "49992"]) {
    list.leave(id);
    list.join(id);
  }
  joined.push(list.join());
  await clock.advance(10 * MINUTE);
  expect((await alerted()).toSorted()).toEqual(joined.toSorted());
});

it("reports nobody by mistake where the service lists its members in no order", async () => {
  const { clock, upstream, alerted } = await setup(100_000);
  const random = createSeededRandom(7);
  upstream.on("followers", () => ({
    users: Array.from({ length: 200 }, () =>
      makeUser(String(1 + Math.floor(random.float() * 100_000))),
    ),
    nextCursor: String(random.float()),
  }));
  await clock.advance(3 * HOUR);
  expect(await alerted()).toEqual([]);
});

it("reads a list of more than 100,000 whole once, and a shorter one every day", async () => {
  const tail = async (settings: JsonObject, size: number) => {
    const { clock, deepCalls } = await setup(size, {
      settings,
      changes: { maxPages: 200, schedule: { kind: "every", intervalMs: HOUR } },
    });
    const pages = Math.ceil(size / 200);
    await clock.advance(12 * HOUR);
    const first = deepCalls().length;
    await clock.advance(26 * HOUR);
    const later = deepCalls(START + 12 * HOUR).length;
    await harness?.close();
    harness = undefined;
    return [first, later].map((count) => Math.round((10 * count) / pages) / 10);
  };
  expect(await tail({}, 101_000)).toEqual([1, 0]);
  expect(await tail({}, 4_000)).toEqual([1, 1]);
  expect(await tail({ full_read_every: "never" }, 4_000)).toEqual([0, 0]);
});

it("reports newcomers while the rest of the list cannot be read", async () => {
  const { clock, list, upstream, alerted, deepCalls, harness } = await setup(50_000, {
    changes: { maxPages: 2 },
  });
  upstream.trouble = ({ endpoint, cursor }) => {
    if (endpoint === "followers" && cursor !== undefined) throw failure("transient");
    return undefined;
  };
  await clock.advance(MINUTE);
  const joined: string[] = [];
  for (let i = 0; i < 12; i += 1) {
    joined.push(list.join());
    await clock.advance(5 * MINUTE);
  }
  expect(await alerted()).toEqual(joined);
  expect(deepCalls().length).toBeGreaterThan(3);
  expect(
    harness.opsAlerts.filter(
      ({ type }) => type !== "upstream.dark" && type !== "upstream.recovered",
    ),
  ).toEqual([]);
});

it("starts the rest over when its cursor expired, and nobody is reported because of that", async () => {
  const { clock, list, upstream, alerted, target } = await setup(10_000, {
    changes: { maxPages: 2 },
  });
  let isExpired = false;
  upstream.trouble = ({ endpoint, cursor }) => {
    if (isExpired && endpoint === "followers" && cursor !== undefined) {
      isExpired = false;
      throw failure("bad_request", "invalid next_cursor");
    }
    return undefined;
  };
  await clock.advance(30 * MINUTE);
  isExpired = true;
  list.leave("9990");
  const one = list.join();
  await clock.advance(6 * HOUR);
  expect(await alerted()).toEqual([one]);
  expect((await target())?.memory["partial"]).toBeUndefined();
});

/**
 * Writes a state as a release without watermarks left it: the first pages are known, the read of
 * the whole list is in progress, and no alert was raised.
 */
async function halfReadState(
  store: Store,
  readIds: readonly string[],
  cursor: string,
): Promise<void> {
  const [watch] = await store.listWatches();
  const target = watch?.targets[0];
  if (watch === undefined || target === undefined) throw new Error("nothing is registered");
  const ref = { watchKey: watch.key, targetKey: target.key };
  await store.commitPoll({
    atMs: START,
    source: {
      fingerprint: FOLLOWERS_OF_7,
      expectedRevision: 0,
      polledAtMs: START,
      ok: true,
      memory: {
        fullAtMs: null,
        scan: { cursor, startedAtMs: START, pages: readIds.length / 200, found: true },
      },
    },
    targets: [{ ...ref, expectedRevision: target.revision, status: "ok", statusReason: "" }],
    verdicts: readIds.map((itemId) => ({
      ...ref,
      itemId,
      itemKind: "user",
      verdict: "baseline",
      detail: "it was there when the watch began",
      occurredAtMs: START,
    })),
    events: [],
    deliveries: [],
  });
}

let FOLLOWERS_OF_7 = "";

it("goes on with a first read that a release without watermarks left half done: who came since is news, nobody else", async () => {
  // A separate run finds out the key of the poll.
  const learner = await setup(1_000);
  await learner.clock.advance(MINUTE);
  FOLLOWERS_OF_7 = learner.harness.engine.polls[0]?.key ?? "";
  await learner.harness.close();
  const clock = createVirtualClock(START);
  const list = createLargeList(20_000);
  const upstream = createScriptedUpstream(clock, [
    { ...makeUser("7", "acme"), followers_count: 20_000 },
  ]);
  upstream.on("followers", ({ cursor }) => list.page(cursor));
  const read = Array.from({ length: 4_000 }, (_, i) => String(20_000 - i));
  const watch = makeWatch(
    "w",
    "new_followers",
    { accounts: ["acme"], source: "all" },
    { ...EVERY_5M, maxPages: 5 },
  );
  const since = Array.from({ length: 1_700 }, () => list.join());
  list.leave("19999");
  const started = await startEngineHarness({
    clock,
    upstream,
    watches: [watch],
    prepare: (store) => halfReadState(store, read, "16001"),
  });
  harness = started;
  await clock.advance(2 * HOUR);
  const alerted = (await started.events()).map(({ body }) => body.user?.id ?? "");
  expect(alerted.toSorted()).toEqual(since.toSorted());
  const target = (await started.store.listWatches())[0]?.targets[0];
  expect(target?.baselineAtMs).toBe(START);
  expect(target?.memory["partial"]).toBeUndefined();
  // Pages that had been read are not read again.
  expect(
    upstream
      .callsOf("followers")
      .filter(({ cursor }) => Number(cursor) > 16_100 && Number(cursor) < 18_000),
  ).toEqual([]);
});
