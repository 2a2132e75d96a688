/**
 * Whatever a source's second poll finds is stored, if it is one thing only or one of two kinds; and
 * when a poll is refused.
 */
import { expect, it } from "vitest";
import type { PollCommit } from "../../../src/model/poll-store.ts";
import type { Store } from "../../../src/model/store.ts";
import type { TargetRef } from "../../../src/model/watch-store.ts";
import { makeEvent } from "../../support/make-event.ts";
import { openTemp, START_MS as T0, memoryStatePath } from "../temp-state.ts";

const NOTHING = { atMs: T0, targets: [], verdicts: [], events: [], deliveries: [] } as const;
const event = makeEvent("7");
const delivery = {
  eventId: event.id,
  sink: "hook",
  groupKey: event.id,
  groupWaitMs: 0,
  groupIntervalMs: 0,
  notBeforeMs: T0,
};
const recheck = {
  tweetId: "7",
  dueAtMs: T0,
  untilMs: T0 + 1,
  eventId: "",
  condition: "",
  absences: 0,
  versions: [],
};
const member = { id: "9", username: "nine", displayName: "Nine", followersCount: 1, imageUrl: "" };
const item = {
  itemId: "7",
  itemKind: "tweet",
  verdict: "baseline",
  detail: "",
  occurredAtMs: T0,
} as const;

type Found = (ref: TargetRef) => Partial<PollCommit>;
type Stored = (store: Store, ref: TargetRef) => Promise<unknown>;

it.each<[string, Found, Stored, unknown]>([
  [
    "a change of a target",
    (ref) => ({ targets: [{ ...ref, expectedRevision: 0, memory: { birth: "7" } }] }),
    async (store, ref) => (await store.loadTargets([ref]))[0]?.memory,
    { birth: "7" },
  ],
  [
    "a verdict",
    (ref) => ({ verdicts: [{ ...ref, ...item }] }),
    async (store, ref) => [...((await store.knownItems([ref], ["7"]))[0] ?? [])],
    ["7"],
  ],
  [
    "a member",
    (ref) => ({ members: [{ ...ref, seenAtMs: T0, seen: [member], left: [] }] }),
    async (store, ref) => [...((await store.knownMembers([ref], ["9"]))[0] ?? [])],
    ["9"],
  ],
  [
    "an event",
    () => ({ events: [event] }),
    async (store) => (await store.eventsById([event.id])).map(({ id }) => id),
    [event.id],
  ],
  [
    "a recheck",
    (ref) => ({ rechecks: { rechecks: [{ ...ref, ...recheck }], ended: [], late: [] } }),
    async (store) => (await store.dueRechecks(T0, 1)).map(({ tweetId }) => tweetId),
    ["7"],
  ],
  [
    "a change of a target with a verdict",
    (ref) => ({
      targets: [{ ...ref, expectedRevision: 0, memory: { birth: "7" } }],
      verdicts: [{ ...ref, ...item }],
    }),
    async (store, ref) => [...((await store.knownItems([ref], ["7"]))[0] ?? [])],
    ["7"],
  ],
  [
    "a verdict with a member",
    (ref) => ({
      verdicts: [{ ...ref, ...item }],
      members: [{ ...ref, seenAtMs: T0, seen: [member], left: [] }],
    }),
    async (store, ref) => [...((await store.knownMembers([ref], ["9"]))[0] ?? [])],
    ["9"],
  ],
  [
    "a member with an event",
    (ref) => ({ members: [{ ...ref, seenAtMs: T0, seen: [member], left: [] }], events: [event] }),
    async (store) => (await store.eventsById([event.id])).map(({ id }) => id),
    [event.id],
  ],
  [
    "an event with its delivery",
    () => ({ events: [event], deliveries: [delivery] }),
    async (store) => (await store.recentRecords(1))[0]?.deliveries.map(({ sink }) => sink),
    ["hook"],
  ],
  [
    "nothing but the time",
    () => ({}),
    async (store) => (await store.loadSources(["f"]))[0]?.lastPollAtMs,
    T0 + 2,
  ],
])("%s", async (_, found, stored, expected) => {
  const store = await openTemp(memoryStatePath());
  const [watch] = await store.registerWatches(
    [{ id: "w", type: "search", targets: [{ key: "q", name: "q" }] }],
    T0,
  );
  const ref = { watchKey: watch?.key ?? "", targetKey: "q" };
  const source = { fingerprint: "f", ok: true };
  const first = { ...source, expectedRevision: 0, polledAtMs: T0 + 1, memory: { read: 1 } };
  expect(await store.commitPoll({ ...NOTHING, source: first })).toMatchObject({
    status: "committed",
  });
  expect((await store.loadSources(["f"]))[0]?.revision).toBe(1);
  const next = { ...source, expectedRevision: 1, polledAtMs: T0 + 2 };
  expect(await store.commitPoll({ ...NOTHING, source: next, ...found(ref) })).toMatchObject({
    status: "committed",
  });
  expect(await stored(store, ref)).toEqual(expected);
});

it("a poll that found nothing conflicts when its source has changed since it was read", async () => {
  const store = await openTemp(memoryStatePath());
  const source = { fingerprint: "f", ok: true, polledAtMs: T0 + 1 };
  await store.commitPoll({
    ...NOTHING,
    source: { ...source, expectedRevision: 0, memory: { read: 1 } },
  });
  const late = { ...source, polledAtMs: T0 + 2, expectedRevision: 7 };
  expect(await store.commitPoll({ ...NOTHING, source: late })).toEqual({ status: "conflict" });
  expect((await store.loadSources(["f"]))[0]?.lastPollAtMs).toBe(T0 + 1);
});

it("a poll that cannot be stored is no conflict: it fails", async () => {
  const store = await openTemp(memoryStatePath());
  await store.close();
  await expect(store.commitPoll({ ...NOTHING, events: [event] })).rejects.toThrow(
    "driver has already been destroyed",
  );
});

it("a commit of nothing at all is one", async () => {
  const store = await openTemp(memoryStatePath());
  expect(await store.commitPoll(NOTHING)).toMatchObject({ status: "committed" });
});

it("an event that is stored already is delivered nowhere again, not even to a sink that is new", async () => {
  const store = await openTemp(memoryStatePath());
  await store.commitPoll({ ...NOTHING, events: [event], deliveries: [delivery] });
  await store.commitPoll({
    ...NOTHING,
    events: [event],
    deliveries: [delivery, { ...delivery, sink: "chat" }],
  });
  expect((await store.recentRecords(1))[0]?.deliveries.map(({ sink }) => sink)).toEqual(["hook"]);
});

it("an event that is about no tweet and no account is stored as it is", async () => {
  const store = await openTemp(memoryStatePath());
  const spike = makeEvent("w", { type: "volume.spike", body: {} });
  await store.commitPoll({ ...NOTHING, events: [spike] });
  expect(await store.eventsById([spike.id])).toEqual([spike]);
});
