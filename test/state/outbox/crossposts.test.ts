/** What the state knows of messages that are to be published to followers. */
import { beforeEach, expect, test } from "vitest";
import type { OpenedStore } from "../../../src/state/open.ts";
import { makeEvent } from "../../support/make-event.ts";
import { openTemp, START_MS as T0, memoryStatePath } from "../temp-state.ts";

let store: OpenedStore;
beforeEach(async () => {
  store = await openTemp(memoryStatePath());
});

/** Sends alerts "1", "2" … as messages m1, m2 …, a second after each other. */
async function send(count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, i) =>
    makeEvent(String(i + 1), { id: `e${i + 1}` }),
  );
  const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: T0 };
  const deliveries = events.map(({ id }) => ({
    eventId: id,
    sink: "hook",
    groupKey: id,
    ...timing,
  }));
  await store.commitPoll({ atMs: T0, targets: [], verdicts: [], events, deliveries });
  const { groups } = await store.dueWork({
    nowMs: T0,
    sinks: ["hook"],
    busy: new Set(),
    limit: count,
  });
  for (const [i, { groupKey, members }] of groups.entries()) {
    const id = `m${i + 1}`;
    const deliveryIds = members.map(({ deliveryId }) => deliveryId);
    await store.seal([
      { id, sink: "hook", groupKey, throttleKey: null, sealedAtMs: T0, body: "text", deliveryIds },
    ]);
    await store.record([
      { messageId: id, kind: "sent", atMs: T0 + i * 1_000, ref: `ref ${id}`, crosspost: true },
    ]);
  }
}

const crosspostOf = async (subject: string) =>
  (await store.explainItem(subject))[0]?.deliveries.find(({ sink }) => sink === "hook crosspost");

test("an attempt that does not count is none, one that does is one, each time", async () => {
  await send(1);
  const attempts: (number | undefined)[] = [];
  for (const countAttempt of [false, true, true, false]) {
    await store.recordCrosspost({
      messageId: "m1",
      kind: "retry",
      nextAttemptAtMs: T0,
      error: "429",
      countAttempt,
    });
    attempts.push((await store.dueCrosspost("hook", T0))?.attempts);
  }
  expect(attempts).toEqual([0, 1, 2, 2]);
});

test("one that is published at last has no error any more, and says when", async () => {
  await send(1);
  await store.recordCrosspost({
    messageId: "m1",
    kind: "retry",
    nextAttemptAtMs: T0,
    error: "429",
    countAttempt: true,
  });
  expect(await crosspostOf("1")).toMatchObject({
    state: "waiting",
    attempts: 1,
    sentAtMs: null,
    detail: "429",
  });
  await store.recordCrosspost({ messageId: "m1", kind: "published", atMs: T0 + 5_000 });
  expect(await crosspostOf("1")).toMatchObject({
    state: "published",
    attempts: 2,
    sentAtMs: T0 + 5_000,
    detail: "",
  });
  await store.recordCrosspost({
    messageId: "m1",
    kind: "not_published",
    atMs: T0 + 6_000,
    error: "no",
  });
  expect(await crosspostOf("1")).toMatchObject({ state: "published", detail: "" });
});

test("the report says why the last of them was not published, and when the last report was", async () => {
  await send(4);
  await store.recordCrosspost({
    messageId: "m2",
    kind: "not_published",
    atMs: T0 + 9_000,
    error: "the last",
  });
  await store.recordCrosspost({
    messageId: "m1",
    kind: "not_published",
    atMs: T0 + 8_000,
    error: "the first",
  });
  expect(await store.crosspostOutlook("hook")).toEqual({
    dueAtMs: T0 + 2_000,
    oldestAtMs: T0 + 2_000,
    unreported: 2,
    reason: "the last",
    reportedAtMs: null,
  });
  await store.markCrosspostsReported("hook", T0 + 10_000);
  await store.recordCrosspost({
    messageId: "m3",
    kind: "not_published",
    atMs: T0 + 11_000,
    error: "another",
  });
  await store.markCrosspostsReported("hook", T0 + 20_000);
  expect(await store.crosspostOutlook("hook")).toMatchObject({
    unreported: 0,
    reason: "",
    reportedAtMs: T0 + 20_000,
  });
  await store.recordCrosspost({ messageId: "m4", kind: "published", atMs: T0 + 21_000 });
  const none = { dueAtMs: null, oldestAtMs: null, unreported: 0, reason: "" };
  expect(await store.crosspostOutlook("hook")).toEqual({ ...none, reportedAtMs: T0 + 20_000 });
  expect(await store.crosspostOutlook("other")).toEqual({ ...none, reportedAtMs: null });
});
