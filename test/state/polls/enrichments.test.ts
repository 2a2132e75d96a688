/** Events in the state that wait for their enrichment, and what becomes of them. */
import { beforeEach, expect, test } from "vitest";
import type { EnrichedEvent, EnrichmentRound } from "../../../src/model/enrichment.ts";
import type { ChirpEvent } from "../../../src/model/event.ts";
import type { OpenedStore } from "../../../src/state/open.ts";
import { makeEvent } from "../../support/make-event.ts";
import { memoryStatePath, openTemp, START_MS as T0 } from "../temp-state.ts";

const DAY = 86_400_000;

let store: OpenedStore;
beforeEach(async () => {
  store = await openTemp(memoryStatePath());
});

const event = (subject: string, watchKey = "w1"): ChirpEvent =>
  makeEvent(subject, { id: `e${subject}`, watchKey });

async function wait(events: readonly ChirpEvent[], atMs = T0, gatherMs?: number): Promise<void> {
  const enrichments = events.map(({ id, watchKey }) => ({
    ...{ eventId: id, watchKey, ownSinks: ["hook"] },
    ...(gatherMs === undefined ? {} : { gatherMs }),
  }));
  await store.commitPoll({ atMs, targets: [], verdicts: [], events, deliveries: [], enrichments });
}

const due = async (dueAtMs = T0, watchKey = "w1", limit = 10) =>
  (await store.dueEnrichments({ watchKey, dueAtMs, limit })).map((one) => one.event.subject);

const deliveryOf = ({ id }: ChirpEvent) => ({
  ...{
    eventId: id,
    sink: "hook",
    groupKey: id,
    groupWaitMs: 0,
    groupIntervalMs: 0,
    notBeforeMs: T0,
  },
});

const enriched = (of: ChirpEvent, changes: Partial<EnrichedEvent> = {}): EnrichedEvent => ({
  ...{ event: of, deliveries: [deliveryOf(of)], result: "ok", error: "", attempts: 1 },
  ...changes,
});

const settled = (round: Partial<EnrichmentRound>) =>
  store.storeEnrichments({ atMs: T0 + 1_000, enriched: [], postponed: [], ...round });

const alerts = async () =>
  (
    await store.dueWork({ nowMs: T0 + DAY, sinks: ["hook"], busy: new Set(), limit: 10 })
  ).groups.map(({ members }) => members[0]?.event);

test("wait oldest first, each watch for itself, with all that is known of them; and have no deliveries", async () => {
  await wait([event("1"), event("2"), event("3", "w2")]);
  await wait([event("4")], T0, 60_000);
  expect([await due(), await due(T0, "w2"), await due(T0, "w1", 2), await due(T0 - 1)]).toEqual([
    ["1", "2", "4"],
    ["3"],
    ["1", "2"],
    [],
  ]);
  const [first, , last] = await store.dueEnrichments({ watchKey: "w1", dueAtMs: T0, limit: 10 });
  expect(first).toEqual({
    event: event("1"),
    watchKey: "w1",
    ownSinks: ["hook"],
    sinceMs: T0,
    attempts: 0,
    error: "",
  });
  expect(last).toMatchObject({ gatherMs: 60_000 });
  expect(await alerts()).toEqual([]);
});

test("are news to other replicas, of which one asks for all, and so are their deliveries", async () => {
  const arrivals = async () => (await store.shareNews()).arrivals;
  const none = await arrivals();
  await wait([event("1")]);
  const waiting = await arrivals();
  expect(waiting).toBeGreaterThan(none);
  await settled({ enriched: [enriched(event("1"))] });
  expect(await arrivals()).toBeGreaterThan(waiting);
});

test("are not made to wait by a repeat of the event", async () => {
  await wait([event("1")]);
  await settled({ enriched: [enriched(event("1"))] });
  await wait([event("1")]);
  expect(await due()).toEqual([]);
});

test("get their deliveries and are stored as they are then, once", async () => {
  await wait([event("1"), event("2")]);
  const one = {
    ...event("1"),
    watch: "renamed",
    labels: { sentiment: "good" },
    body: { enrichment: { a: 1 } },
  };
  expect(await settled({ enriched: [enriched(one)] })).toEqual(new Set(["e1"]));
  expect(await settled({ enriched: [enriched({ ...one, labels: {} })] })).toEqual(new Set());
  expect(await alerts()).toEqual([one]);
  expect(await due()).toEqual(["2"]);
});

test("that are postponed wait until then, and say why", async () => {
  await wait([event("1"), event("2")]);
  await settled({
    postponed: [{ eventId: "e1", nextAtMs: T0 + 5_000, attempts: 3, error: "503" }],
  });
  expect([await due(T0 + 4_999), await due(T0 + 5_000)]).toEqual([["2"], ["1", "2"]]);
  expect(await store.enrichmentBacklog()).toEqual([
    { watchKey: "w1", waiting: 2, oldestAtMs: T0, nextAtMs: T0, error: "503" },
  ]);
  expect((await store.explainItem("1"))[0]?.deliveries).toEqual([
    expect.objectContaining({ sink: "enrichment", state: "waiting", attempts: 3, detail: "503" }),
  ]);
});

test("wait behind older ones of their watch about the same subject", async () => {
  const [added, removed] = [event("1"), { ...event("1"), id: "e1 removed" }];
  await wait([added, removed, event("2"), { ...event("1", "w2"), id: "e1 of w2" }]);
  await settled({
    postponed: [{ eventId: "e1", nextAtMs: T0 + 5_000, attempts: 1, error: "503" }],
  });
  expect([await due(), await due(T0, "w2"), await due(T0 + 5_000)]).toEqual([
    ["2"],
    ["1"],
    ["1", "1", "2"],
  ]);
});

test("that were done with are not postponed", async () => {
  await wait([event("1")]);
  await settled({ enriched: [enriched(event("1"), { result: "failed", error: "503" })] });
  await settled({
    postponed: [{ eventId: "e1", nextAtMs: T0 + 5_000, attempts: 3, error: "504" }],
  });
  expect(await store.enrichmentBacklog()).toEqual([]);
  expect((await store.explainItem("1"))[0]?.deliveries).toMatchObject([
    { sink: "enrichment", state: "not_enriched", attempts: 1, detail: "503", wait: null },
    { sink: "hook", state: "waiting" },
  ]);
});

test("are distinguished in explain: one that is enriched has its sinks alone, and nothing waits for its next attempt but until then", async () => {
  await wait([event("1"), event("2")]);
  await settled({
    enriched: [enriched(event("1"))],
    postponed: [{ eventId: "e2", nextAtMs: Date.now() + DAY, attempts: 1, error: "503" }],
  });
  expect((await store.explainItem("1"))[0]?.deliveries.map(({ sink }) => sink)).toEqual(["hook"]);
  expect((await store.explainItem("2"))[0]?.deliveries[0]?.wait).toMatchObject({
    cause: "enriching",
    about: "503",
  });
});

test("are not forgotten while they wait, and are afterwards", async () => {
  await wait([event("1"), event("2")]);
  await settled({ enriched: [enriched(event("1"), { deliveries: [] })] });
  await store.prune(T0 + 10 * DAY, DAY, new Set());
  expect(await due()).toEqual(["2"]);
  expect(await store.eventsById(["e1", "e2"])).toHaveLength(1);
});

test("are set back with the clock", async () => {
  await wait([event("1")]);
  await store.setTimesBack(1_000);
  expect(await store.enrichmentBacklog()).toMatchObject([
    { oldestAtMs: T0 - 1_000, nextAtMs: T0 - 1_000 },
  ]);
});

test("have the time at which they were routed, once they have an answer and a delivery", async () => {
  const events = ["1", "2", "3", "4"].map((subject) => event(subject));
  await wait(events);
  const [one, two, three] = events as [ChirpEvent, ChirpEvent, ChirpEvent];
  await settled({ enriched: [enriched(one), enriched(two, { deliveries: [] })] });
  await settled({ atMs: T0 + 5_000, enriched: [enriched(three, { result: "failed" })] });
  await store.replay({
    ...{
      deliveryIds: [],
      added: [{ ...deliveryOf(one), sink: "later" }],
      atMs: T0 + DAY,
      detail: {},
    },
  });
  expect(await store.enrichedAt(["e1", "e2", "e3", "e4", "none"])).toEqual(
    new Map([
      ["e1", T0 + 1_000],
      ["e3", T0 + 5_000],
    ]),
  );
});
