/** Why deliveries wait and until when: of one alert, and of all by sink and reason. */
import { beforeEach, expect, test } from "vitest";
import { digestGroup } from "../../src/model/digest.ts";
import type { NewDelivery } from "../../src/model/poll-store.ts";
import type { OpenedStore } from "../../src/state/open.ts";
import { makeEvent } from "../support/make-event.ts";
import { openTemp, START_MS as T0, memoryStatePath } from "./temp-state.ts";

const NOW = T0 + 1_000;
const THROTTLE = "sink:hook";
const RETURN = digestGroup("return", "w");

let store: OpenedStore;
let nextSubject: number;
beforeEach(async () => {
  store = await openTemp(memoryStatePath(), {
    clock: { now: () => NOW, monotonic: () => 0, after: () => () => undefined },
  });
  nextSubject = 1;
});

/** Answers the alert's subject. */
async function deliver(changes: Partial<NewDelivery> = {}): Promise<string> {
  const subject = String(nextSubject++);
  const event = makeEvent(subject, { id: `event ${subject}` });
  const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: T0 };
  const delivery = { eventId: event.id, sink: "hook", groupKey: event.id, ...timing, ...changes };
  await store.commitPoll({
    atMs: T0,
    targets: [],
    verdicts: [],
    events: [event],
    deliveries: [delivery],
  });
  return subject;
}

/** Seals what is due of a sink, each group as one message, and answers their ids. */
async function seal(sink: string): Promise<readonly string[]> {
  const { groups } = await store.dueWork({
    nowMs: NOW,
    sinks: [sink],
    busy: new Set(),
    limit: 100,
  });
  const sealed = groups.map(({ groupKey, members }) => ({
    id: `${sink} ${members[0]?.event.subject}`,
    sink,
    groupKey,
    throttleKey: null,
    sealedAtMs: NOW,
    body: "text",
    deliveryIds: members.map(({ deliveryId }) => deliveryId),
  }));
  await store.seal(sealed);
  return sealed.map(({ id }) => id);
}

const retry = (messageId: string, nextAttemptAtMs: number, error = "503") =>
  store.record([
    { messageId, kind: "retry", atMs: NOW, nextAttemptAtMs, error, countAttempt: true },
  ]);

const waitOf = async (subject: string) =>
  (await store.explainItem(subject))[0]?.deliveries[0]?.wait;
/** Returns the counts sorted by sink and cause, since the store returns them in any order. */
const counts = async () =>
  [...(await store.countWaiting(NOW))].sort((a, b) =>
    `${a.sink} ${a.cause} ${a.about}` < `${b.sink} ${b.cause} ${b.about}` ? -1 : 1,
  );

test("what a time interval holds waits for its end, and says which one it is", async () => {
  const held = await deliver({ notBeforeMs: T0 + 9_000, heldBy: "nights" });
  const later = await deliver({ notBeforeMs: T0 + 20_000, heldBy: "weekend" });
  await deliver({ notBeforeMs: T0 + 9_000, heldBy: "nights", sink: "chat" });
  await deliver({ notBeforeMs: T0 + 9_000, heldBy: "nights" });
  const nights = { cause: "held", untilMs: T0 + 9_000, about: "nights" };
  const weekend = { cause: "held", untilMs: T0 + 20_000, about: "weekend" };
  expect([await waitOf(held), await waitOf(later)]).toEqual([nights, weekend]);
  expect(await counts()).toEqual([
    { sink: "chat", count: 1, ...nights },
    { sink: "hook", count: 2, ...nights },
    { sink: "hook", count: 1, ...weekend },
  ]);
});

test("what is held without a name of what holds it says none", async () => {
  const held = await deliver({ notBeforeMs: T0 + 9_000 });
  expect(await waitOf(held)).toEqual({ cause: "held", untilMs: T0 + 9_000, about: "" });
  expect(await counts()).toEqual([
    { sink: "hook", count: 1, cause: "held", untilMs: T0 + 9_000, about: "" },
  ]);
});

test("what is due waits for those before it, from the very moment on, alone, in a group or sealed", async () => {
  const queued = { cause: "queued", untilMs: null, about: "" };
  const alone = await deliver({ notBeforeMs: NOW });
  const grouped = await deliver({ groupKey: "team" });
  const sealed = await deliver({ sink: "chat" });
  await seal("chat");
  for (const subject of [alone, grouped, sealed]) expect(await waitOf(subject)).toEqual(queued);
  expect(await counts()).toEqual([
    { sink: "chat", count: 1, ...queued },
    { sink: "hook", count: 1, ...queued },
    { sink: "hook", count: 1, ...queued },
  ]);
});

test("a group, a throttle's digest and the digest of a return say until when others may join", async () => {
  const team = await deliver({ groupKey: "team", groupWaitMs: 5_000 });
  await deliver({ groupKey: "team", groupWaitMs: 5_000 });
  const back = await deliver({ groupKey: RETURN, groupWaitMs: 7_000 });
  const gathered = await deliver({ throttleKey: THROTTLE, sink: "chat" });
  const digestKey = digestGroup("throttle", THROTTLE);
  await store.gather({
    sink: "chat",
    throttleKey: THROTTLE,
    nowMs: NOW,
    digestKey,
    digestDueAtMs: T0 + 60_000,
  });
  const ofTeam = { cause: "grouped", untilMs: T0 + 5_000, about: "team" };
  const ofReturn = { cause: "returning", untilMs: T0 + 7_000, about: "w" };
  const ofThrottle = { cause: "throttled", untilMs: T0 + 60_000, about: THROTTLE };
  expect([await waitOf(team), await waitOf(back), await waitOf(gathered)]).toEqual([
    ofTeam,
    ofReturn,
    ofThrottle,
  ]);
  expect(await counts()).toEqual([
    { sink: "chat", count: 1, ...ofThrottle },
    { sink: "hook", count: 2, ...ofTeam },
    { sink: "hook", count: 1, ...ofReturn },
  ]);
});

test("a message whose last attempt failed says why, and when the next one is, of several the first", async () => {
  const subjects = [await deliver(), await deliver(), await deliver(), await deliver()];
  const [first = "", second = "", third = ""] = await seal("hook");
  await retry(first, NOW + 8_000);
  await retry(second, NOW + 4_000);
  await retry(third, NOW, "504");
  const waits = await Promise.all(subjects.map(waitOf));
  expect(waits).toEqual([
    { cause: "retrying", untilMs: NOW + 8_000, about: "503" },
    { cause: "retrying", untilMs: NOW + 4_000, about: "503" },
    { cause: "retrying", untilMs: null, about: "504" },
    { cause: "queued", untilMs: null, about: "" },
  ]);
  expect(await counts()).toEqual([
    { sink: "hook", count: 1, cause: "queued", untilMs: null, about: "" },
    { sink: "hook", count: 2, cause: "retrying", untilMs: NOW + 4_000, about: "503" },
    { sink: "hook", count: 1, cause: "retrying", untilMs: null, about: "504" },
  ]);
});

test("what was sent, given up or muted waits for nothing", async () => {
  const muted = await deliver({ mutedBy: "nights" });
  const sent = await deliver();
  const dead = await deliver();
  const [first = "", second = ""] = await seal("hook");
  await store.record([{ messageId: first, kind: "sent", atMs: NOW }]);
  await store.record([
    {
      messageId: second,
      kind: "dead",
      atMs: NOW,
      error: "no",
      cause: "refused 400",
      countAttempt: true,
    },
  ]);
  for (const subject of [muted, sent, dead]) expect(await waitOf(subject)).toBeNull();
  expect(await counts()).toEqual([]);
});

test("what waits for the first message of its thread, which is not sent yet waits for that, and says which it is", async () => {
  const first = await deliver();
  const second = await deliver();
  const thread = { key: "conversation", windowMs: 60_000 };
  const { groups } = await store.dueWork({
    nowMs: NOW,
    sinks: ["hook"],
    busy: new Set(),
    limit: 100,
  });
  await store.seal(
    groups.map(({ groupKey, members }, index) => ({
      ...{
        id: `m${index + 1}`,
        sink: "hook",
        groupKey,
        throttleKey: null,
        sealedAtMs: NOW,
        body: "text",
        thread,
      },
      deliveryIds: members.map(({ deliveryId }) => deliveryId),
    })),
  );
  const placeOf = async (subject: string) =>
    (await store.explainItem(subject))[0]?.deliveries[0]?.thread;
  expect(await placeOf(first)).toEqual({ firstMessageId: "m1", isFirst: true, ref: null });
  expect(await placeOf(second)).toEqual({ firstMessageId: "m1", isFirst: false, ref: null });
  expect(await waitOf(second)).toEqual({ cause: "threaded", untilMs: null, about: "" });
  await retry("m1", NOW + 5_000);
  expect(await counts()).toEqual([
    { sink: "hook", count: 1, cause: "retrying", untilMs: NOW + 5_000, about: "503" },
    { sink: "hook", count: 1, cause: "threaded", untilMs: null, about: "" },
  ]);
  await store.record([{ messageId: "m1", kind: "sent", atMs: NOW, ref: "1.5" }]);
  expect(await placeOf(second)).toEqual({ firstMessageId: "m1", isFirst: false, ref: "1.5" });
  expect(await waitOf(second)).toMatchObject({ cause: "queued" });
});
