/**
 * A restored state that is to stay quiet: nothing that waited is sent, and what came since the
 * backup raises no alert.
 */
import { beforeEach, expect, test } from "vitest";
import { digestGroup } from "../../../src/model/digest.ts";
import type { NewDelivery } from "../../../src/model/poll-store.ts";
import { loadDriver } from "../../../src/state/db/driver.ts";
import type { OpenedStore } from "../../../src/state/open.ts";
import { makeEvent } from "../../support/make-event.ts";
import { openTemp, START_MS as T0, memoryStatePath } from "../temp-state.ts";

const Database = loadDriver();
const SPAN = { fromMs: T0 + 1_000, atMs: T0 + 9_000 };
const LATER = T0 + 90_000_000;

let path: string;
let store: OpenedStore;
beforeEach(async () => {
  path = memoryStatePath();
  store = await openTemp(path);
});

const nothing = { atMs: T0, targets: [], verdicts: [], events: [], deliveries: [] } as const;

async function commit(subject: string, changes: Partial<NewDelivery> = {}): Promise<void> {
  const event = makeEvent(subject, { id: `event ${subject}` });
  const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: T0 };
  const delivery = { eventId: event.id, sink: "hook", groupKey: event.id, ...timing, ...changes };
  await store.commitPoll({ ...nothing, events: [event], deliveries: [delivery] });
}

/** Seals all that is due, each group as one message, and answers the messages' ids. */
async function seal(): Promise<readonly string[]> {
  const { groups } = await store.dueWork({
    nowMs: T0,
    sinks: ["hook"],
    busy: new Set(),
    limit: 100,
  });
  const sealed = groups.map(({ groupKey, members }) => ({
    id: `m ${members[0]?.event.subject}`,
    sink: "hook",
    groupKey,
    throttleKey: null,
    sealedAtMs: T0,
    body: "text",
    deliveryIds: members.map(({ deliveryId }) => deliveryId),
  }));
  await store.seal(sealed);
  return sealed.map(({ id }) => id);
}

const deliveriesOf = async (subject: string) =>
  (await store.explainItem(subject))[0]?.deliveries ?? [];

test("sends nothing that waited in it, alone, in a group, held or sealed, and counts those alerts", async () => {
  await commit("1");
  await commit("2");
  await seal();
  const waiting = ["3", "4", "5", "6", "7"];
  await commit("3");
  await commit("4", { notBeforeMs: T0 + 60_000 });
  await commit("5", { groupKey: "team", groupWaitMs: 60_000 });
  await commit("6", { groupKey: "team", groupWaitMs: 60_000 });
  await commit("7", { groupKey: digestGroup("return", "w"), groupWaitMs: 60_000 });
  expect(await store.quieten(SPAN)).toBe(7);
  expect(
    await store.dueWork({ nowMs: LATER, sinks: ["hook"], busy: new Set(), limit: 100 }),
  ).toEqual({ messages: [], groups: [] });
  expect(await store.nextDueAt(["hook"])).toBeNull();
  expect(await store.countWaiting(SPAN.atMs)).toEqual([]);
  for (const subject of ["1", "2", ...waiting])
    expect(await deliveriesOf(subject)).toMatchObject([
      { state: "muted", messageId: null, detail: "the state was restored with --quiet" },
    ]);
});

test("leaves alone what was sent and what was given up", async () => {
  await commit("1");
  await commit("2");
  const [sent = "", dead = ""] = await seal();
  await store.record([{ messageId: sent, kind: "sent", atMs: T0 }]);
  await store.record([
    {
      messageId: dead,
      kind: "dead",
      atMs: T0,
      error: "no",
      cause: "refused 400",
      countAttempt: true,
    },
  ]);
  expect(await store.quieten(SPAN)).toBe(0);
  expect([...(await deliveriesOf("1")), ...(await deliveriesOf("2"))]).toMatchObject([
    { state: "sent" },
    { state: "dead" },
  ]);
  expect(await store.groupDead(0)).toMatchObject([{ messageIds: [dead] }]);
});

test("sends what comes afterwards, also in a group of which something waited", async () => {
  await commit("1", { groupKey: "team" });
  await store.quieten(SPAN);
  await commit("2", { groupKey: "team" });
  const { groups } = await store.dueWork({
    nowMs: LATER,
    sinks: ["hook"],
    busy: new Set(),
    limit: 100,
  });
  expect(groups.map(({ members }) => members.map(({ event }) => event.subject))).toEqual([["2"]]);
});

test("publishes no message to followers that waited for it, and reports none of them", async () => {
  await commit("1");
  const [messageId = ""] = await seal();
  await store.record([{ messageId, kind: "sent", atMs: T0, ref: "r", crosspost: true }]);
  await store.quieten(SPAN);
  expect(await store.dueCrosspost("hook", LATER)).toBeUndefined();
  expect(await store.crosspostOutlook("hook")).toMatchObject({
    dueAtMs: null,
    unreported: 0,
    reportedAtMs: SPAN.atMs,
  });
  const crosspost = {
    sink: "hook crosspost",
    state: "not_published",
    detail: "the state was restored with --quiet",
  };
  expect(await deliveriesOf("1")).toMatchObject([{ state: "sent" }, crosspost]);
});

test("has every target go on from now: one that was read as if it had been away, one that never was as if it were new", async () => {
  const targets = ["read", "unread"].map((key) => ({ key, name: key }));
  const [watch] = await store.registerWatches([{ id: "w", type: "search", targets }], T0);
  const refs = targets.map(({ key }) => ({ watchKey: watch?.key ?? "", targetKey: key }));
  const [read = { watchKey: "", targetKey: "" }] = refs;
  const change = { ...read, expectedRevision: 0, memory: { line: "9" }, baselineAtMs: T0 };
  await store.commitPoll({ ...nothing, targets: [change] });
  const before = (await store.loadTargets(refs)).map(({ revision }) => revision);
  await store.quieten(SPAN);
  const after = await store.loadTargets(refs);
  const away = { from_ms: SPAN.fromMs, to_ms: SPAN.atMs, from_now: true };
  expect(after).toMatchObject([
    { memory: { line: "9", resume_ms: SPAN.fromMs, away }, registeredAtMs: T0, baselineAtMs: T0 },
    { memory: {}, registeredAtMs: SPAN.atMs, baselineAtMs: null },
  ]);
  expect(after.map(({ revision }) => revision)).toEqual(before.map((revision) => revision + 1));
});

test("is written down with what it muted", async () => {
  await commit("1");
  await store.quieten(SPAN);
  const file = new Database(path, { readonly: true });
  const rows = file.prepare("select at, action, detail from audit").all();
  file.close();
  expect(rows).toEqual([
    { at: SPAN.atMs, action: "quiet restore", detail: `{"from":${SPAN.fromMs},"muted":1}` },
  ]);
});

test("sends nothing that waited for its enrichment, and says so", async () => {
  const event = makeEvent("1");
  const enrichments = [{ eventId: event.id, watchKey: event.watchKey, ownSinks: ["hook"] }];
  await store.commitPoll({
    atMs: T0,
    targets: [],
    verdicts: [],
    events: [event],
    deliveries: [],
    enrichments,
  });
  expect(await store.quieten(SPAN)).toBe(1);
  expect(await store.enrichmentBacklog()).toEqual([]);
  expect(await deliveriesOf("1")).toMatchObject([
    { sink: "enrichment", state: "muted", detail: "the state was restored with --quiet" },
  ]);
});
