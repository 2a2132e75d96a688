/** Whatever a source's second poll finds is stored, if it is one thing only. */
import { expect, it } from "vitest";
import type { PollCommit } from "../../../src/model/poll-store.ts";
import type { Store } from "../../../src/model/store.ts";
import type { TargetRef } from "../../../src/model/watch-store.ts";
import { makeEvent } from "../../support/make-event.ts";
import { openTemp, START_MS as T0, tempStatePath } from "../temp-state.ts";

const NOTHING = { atMs: T0, targets: [], verdicts: [], events: [], deliveries: [] } as const;
const event = makeEvent("7");
const recheck = { tweetId: "7", dueAtMs: T0, untilMs: T0 + 1, eventId: "", condition: "", absences: 0 };
const member = { id: "9", username: "nine", displayName: "Nine", followersCount: 1, imageUrl: "" };
const item = { itemId: "7", itemKind: "tweet", verdict: "baseline", detail: "", occurredAtMs: T0 } as const;

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
  ["an event", () => ({ events: [event] }), async (store) => (await store.eventsById([event.id])).map(({ id }) => id), [event.id]],
  [
    "a recheck",
    (ref) => ({ rechecks: { rechecks: [{ ...ref, ...recheck }], ended: [], late: [] } }),
    async (store) => (await store.dueRechecks(T0, 1)).map(({ tweetId }) => tweetId),
    ["7"],
  ],
  ["nothing but the time", () => ({}), async (store) => (await store.loadSources(["f"]))[0]?.lastPollAtMs, T0 + 2],
])("%s", async (_, found, stored, expected) => {
  const store = await openTemp(tempStatePath());
  const [watch] = await store.registerWatches([{ id: "w", type: "search", targets: [{ key: "q", name: "q" }] }], T0);
  const ref = { watchKey: watch?.key ?? "", targetKey: "q" };
  const source = { fingerprint: "f", ok: true };
  const first = { ...source, expectedRevision: 0, polledAtMs: T0 + 1, memory: { read: 1 } };
  expect(await store.commitPoll({ ...NOTHING, source: first })).toMatchObject({ status: "committed" });
  expect((await store.loadSources(["f"]))[0]?.revision).toBe(1);
  const next = { ...source, expectedRevision: 1, polledAtMs: T0 + 2 };
  expect(await store.commitPoll({ ...NOTHING, source: next, ...found(ref) })).toMatchObject({ status: "committed" });
  expect(await stored(store, ref)).toEqual(expected);
});
