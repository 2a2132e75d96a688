/** Silences in the state: kept, ended, what they hold back, and what is sent after all. */
import { beforeEach, describe, expect, test } from "vitest";
import type { NewDelivery } from "../../../src/model/poll-store.ts";
import type { NewSilence } from "../../../src/model/silence.ts";
import type { OpenedStore } from "../../../src/state/open.ts";
import { loadDriver } from "../../../src/state/db/driver.ts";
import { makeEvent } from "../../support/make-event.ts";
import { memoryStatePath, openTemp, START_MS as T0 } from "../temp-state.ts";

const Database = loadDriver();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let path: string;
let store: OpenedStore;
beforeEach(async () => {
  path = memoryStatePath();
  store = await openTemp(path);
});

const silence = (changes: Partial<NewSilence> = {}): NewSilence => ({
  ...{ kind: "silence", sinks: [], eventId: null },
  matchers: ['team="comms"', 'lang!="en"'],
  startsAtMs: T0,
  endsAtMs: T0 + HOUR,
  author: "alice",
  comment: "launch",
  ...changes,
});

async function deliver(
  subject: string,
  changes: Partial<NewDelivery> = {},
  atMs = T0,
): Promise<void> {
  const event = makeEvent(subject);
  const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: atMs };
  const delivery = { eventId: event.id, sink: "hook", groupKey: event.id, ...timing, ...changes };
  await store.commitPoll({
    atMs,
    targets: [],
    verdicts: [],
    events: [event],
    deliveries: [delivery],
  });
}

const due = async (nowMs: number) =>
  (await store.dueWork({ nowMs, sinks: ["hook", "other"], busy: new Set(), limit: 10 })).groups;
const subjectsDue = async (nowMs: number) =>
  (await due(nowMs)).flatMap(({ members }) => members.map(({ event }) => event.subject));
const stateOf = async (subject: string) =>
  (await store.explainItem(subject))[0]?.deliveries.map(({ state, detail }) => [state, detail]);
const audited = () =>
  (
    new Database(path, { readonly: true })
      .prepare("select at, action, detail from audit order by id")
      .all() as any[]
  ).map(({ at, action, detail }) => [at, action, JSON.parse(detail)]);

describe("a silence", () => {
  test("gets an id of its own, is kept, and its author stands in the audit", async () => {
    expect(await store.addSilence(silence())).toEqual({ id: "1", ...silence() });
    await store.addSilence(silence({ author: "", comment: "second" }));
    expect((await store.listSilences()).map(({ id, comment }) => [id, comment])).toEqual([
      ["1", "launch"],
      ["2", "second"],
    ]);
    expect(audited()[0]).toEqual([
      T0,
      "silence add",
      { silence: "1", matchers: silence().matchers, author: "alice" },
    ]);
  });

  test("ends when asked to; one that has ended, or that there never was, is left alone", async () => {
    await store.addSilence(silence());
    await store.addSilence(silence({ comment: "second" }));
    expect(await store.expireSilence("1", T0 + 5)).toEqual({
      id: "1",
      ...silence({ endsAtMs: T0 + 5 }),
    });
    expect(await store.expireSilence("1", T0 + 9)).toMatchObject({ endsAtMs: T0 + 5 });
    expect((await store.listSilences()).map(({ endsAtMs }) => endsAtMs)).toEqual([
      T0 + 5,
      T0 + HOUR,
    ]);
    for (const id of ["3", "", "x", "1 or 1"])
      expect(await store.expireSilence(id, T0)).toBeUndefined();
    expect(audited().slice(2)).toEqual([[T0 + 5, "silence expire", { silence: "1" }]]);
  });

  test("is forgotten when it ended before the retention begins, and its number is not used again", async () => {
    await store.addSilence(silence());
    await store.addSilence(silence({ endsAtMs: T0 + 2 * HOUR }));
    await store.prune(T0 + HOUR + DAY + 1, DAY, new Set());
    expect((await store.listSilences()).map(({ id }) => id)).toEqual(["2"]);
    await store.prune(T0 + 2 * HOUR + DAY + 1, DAY, new Set());
    expect(await store.addSilence(silence())).toMatchObject({ id: "3" });
  });

  test("that was added before the clock was set back by an hour lasts no longer for it", async () => {
    await store.addSilence(silence());
    await store.setTimesBack(HOUR);
    expect(await store.listSilences()).toMatchObject([{ startsAtMs: T0 - HOUR, endsAtMs: T0 }]);
  });
});

describe("a delivery that was silenced when it was made", () => {
  test("is never due, also in a group that waits, and counts for its silence and sink", async () => {
    await deliver("1", { silencedBy: "1" });
    await deliver("2", { silencedBy: "1", groupKey: "g", groupWaitMs: HOUR });
    await deliver("3", { silencedBy: "2", sink: "other" });
    await deliver("4", { groupKey: "g" });
    expect(await subjectsDue(T0 + DAY)).toEqual(["4"]);
    expect(await store.nextDueAt(["hook", "other"])).toBe(T0);
    expect(await store.countSilenced()).toEqual([
      { silenceId: "1", sink: "hook", alerts: 2 },
      { silenceId: "2", sink: "other", alerts: 1 },
    ]);
    expect(await stateOf("1")).toEqual([["silenced", "silence 1"]]);
    expect((await store.explainItem("1"))[0]?.verdict).toBe("silenced");
  });

  test("is muted where a mute drops it as well", async () => {
    await deliver("1", { silencedBy: "1", mutedBy: "nights" });
    expect(await stateOf("1")).toEqual([["muted", "nights"]]);
    expect(await store.countSilenced()).toEqual([]);
  });

  test("does not keep another watch from alerting to the same tweet, in the same commit or later", async () => {
    const once = { once: { key: "tweet:1", withinMs: DAY } };
    const [a, b, c] = ["a", "b", "c"].map((watch) => makeEvent("1", { watch })) as any;
    const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: T0, sink: "hook", ...once };
    const of = (event: any, more = {}) => ({
      eventId: event.id,
      groupKey: event.id,
      ...timing,
      ...more,
    });
    const commit = (events: any[], deliveries: any[]) =>
      store.commitPoll({ atMs: T0, targets: [], verdicts: [], events, deliveries });
    await commit([a, b], [of(a, { silencedBy: "1" }), of(b)]);
    await commit([c], [of(c, { silencedBy: "1" })]);
    expect((await due(T0)).map(({ members }) => members[0]?.watches)).toEqual([["b"]]);
    expect(await store.countSilenced()).toMatchObject([{ alerts: 2 }]);
  });

  test("goes with the retention, and what is not silenced decides the verdict of an item", async () => {
    await deliver("1", { silencedBy: "1" });
    const event = makeEvent("2");
    const timing = { groupKey: event.id, groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: T0 };
    const deliveries = [
      { eventId: event.id, sink: "hook", ...timing, silencedBy: "1" },
      { eventId: event.id, sink: "other", ...timing },
    ];
    await store.commitPoll({ atMs: T0, targets: [], verdicts: [], events: [event], deliveries });
    expect((await store.explainItem("2"))[0]?.verdict).toBe("event");
    await store.prune(T0 + DAY + 1, DAY, new Set());
    expect(await store.countSilenced()).toEqual([]);
    expect(await subjectsDue(T0)).toEqual(["2"]);
  });
});

describe("a delivery that waits", () => {
  test("may still be silenced where it waited for a mute, its group or a digest, and not where it was due at once", async () => {
    await deliver("1");
    await deliver("2", { groupKey: "g" });
    await deliver("3", { notBeforeMs: T0 + 5, heldBy: "nights" });
    await deliver("4", { groupKey: "h", groupWaitMs: 5 });
    await deliver("5", { throttleKey: "t" });
    await store.gather({
      sink: "hook",
      throttleKey: "t",
      nowMs: T0,
      digestKey: "digest\nthrottle\nt",
      digestDueAtMs: T0 + 5,
    });
    const members = (await due(T0 + 5)).flatMap((group) => group.members);
    expect(
      Object.fromEntries(members.map(({ event, canBeSilenced }) => [event.subject, canBeSilenced])),
    ).toEqual({
      ...{ 1: false, 2: false, 3: true, 4: true, 5: true },
    });
  });

  test("names the events that joined it", async () => {
    const once = { once: { key: "tweet:1", withinMs: DAY } };
    const [a, b] = ["a", "b"].map((watch) =>
      makeEvent("1", { watch, labels: { team: watch } }),
    ) as any;
    const timing = { groupWaitMs: 0, groupIntervalMs: 0, notBeforeMs: T0, sink: "hook", ...once };
    const deliveries = [a, b].map((event) => ({
      eventId: event.id,
      groupKey: event.id,
      ...timing,
    }));
    await store.commitPoll({ atMs: T0, targets: [], verdicts: [], events: [a, b], deliveries });
    expect((await due(T0)).map(({ members }) => members[0]?.joined)).toMatchObject([
      [{ watchType: "search", labels: { team: "b" } }],
    ]);
  });

  test("is silenced with what joined it; its group goes on with the others, and one without others has no timer", async () => {
    await deliver("1", { groupKey: "g", groupWaitMs: 5 });
    await deliver("2", { groupKey: "g", groupWaitMs: 5 });
    await deliver("3", { groupKey: "h", groupWaitMs: 5 });
    const ids = new Map(
      (await due(T0 + 5)).flatMap(({ members }) =>
        members.map(({ event, deliveryId }) => [event.subject, deliveryId]),
      ),
    );
    const mark = (subject: string, silenceId: string) => ({
      deliveryId: ids.get(subject) ?? "",
      silenceId,
    });
    await store.silenceDeliveries([mark("1", "1"), mark("3", "2")]);
    expect(await subjectsDue(T0 + 5)).toEqual(["2"]);
    expect(await stateOf("3")).toEqual([["silenced", "silence 2"]]);
    await store.silenceDeliveries([mark("2", "1")]);
    expect(await store.nextDueAt(["hook"])).toBeNull();
  });

  test("is left alone once it is in a message", async () => {
    await deliver("1");
    const [group] = await due(T0);
    const deliveryIds = (group?.members ?? []).map(({ deliveryId }) => deliveryId);
    const message = {
      id: "m",
      sink: "hook",
      groupKey: group?.groupKey ?? "",
      sealedAtMs: T0,
      body: "text",
      throttleKey: null,
    };
    await store.seal([{ ...message, deliveryIds }]);
    await store.silenceDeliveries(
      deliveryIds.map((deliveryId) => ({ deliveryId, silenceId: "1" })),
    );
    expect(await stateOf("1")).toEqual([["sealed", ""]]);
  });
});

describe("what was silenced", () => {
  test("is due at once when it is sent after all, past mutes and silences, in its group, and stands in the audit", async () => {
    await deliver("1", { silencedBy: "1", notBeforeMs: T0 + DAY, heldBy: "nights" });
    await deliver("2", { silencedBy: "1", groupKey: "g", groupWaitMs: HOUR });
    await deliver("3", { silencedBy: "2", groupKey: "g" });
    await deliver("4", { silencedBy: "1", sink: "other" });
    expect(await store.resendSilenced({ sinks: ["hook"], silenceId: "1" }, T0, "alice")).toBe(2);
    const groups = await due(T0);
    expect(
      groups.map(({ groupKey, members }) => [
        groupKey,
        members.map((member) => [member.event.subject, member.canBeSilenced]),
      ]),
    ).toEqual([
      [makeEvent("1").id, [["1", false]]],
      ["g", [["2", false]]],
    ]);
    expect(await stateOf("2")).toEqual([["waiting", ""]]);
    expect(audited()).toEqual([
      [T0, "replay silenced", { sinks: ["hook"], silence: "1", alerts: 2, by: "alice" }],
    ]);
    expect(await store.resendSilenced({ sinks: ["hook", "other"] }, T0 + 1, "alice")).toBe(2);
    expect(await store.resendSilenced({ sinks: ["hook", "other"] }, T0 + 2, "alice")).toBe(0);
    expect(await store.resendSilenced({ sinks: [] }, T0 + 2, "alice")).toBe(0);
    expect(audited()).toHaveLength(2);
  });

  test("finds its group again whose timer was forgotten", async () => {
    await deliver("1", { silencedBy: "1", groupKey: "g", groupWaitMs: HOUR });
    await store.resendSilenced({ sinks: ["hook"] }, T0, "alice");
    expect(await store.nextDueAt(["hook"])).toBe(T0);
  });
});

test("labels of past events come a bounded part at a time, and none from before the time asked for", async () => {
  await deliver("old", {}, T0 - DAY);
  const events = ["1", "2"].map((subject) =>
    makeEvent(subject, { detectedAtMs: T0, labels: { team: subject } }),
  );
  const old = makeEvent("3", { detectedAtMs: T0 - 1 });
  await store.commitPoll({
    atMs: T0,
    targets: [],
    verdicts: [],
    events: [old, ...events],
    deliveries: [],
  });
  const page = await store.labelsSince(T0);
  expect(page.events.map(({ watchType, labels }) => [watchType, labels["team"]])).toContainEqual([
    "search",
    "2",
  ]);
  expect(page.events.filter(({ labels }) => labels["team"] !== undefined)).toHaveLength(2);
  expect(page.next).toBeNull();
  expect(await store.labelsSince(T0, "1")).toEqual({ events: [], next: null });
});

test("that holds alerts of two sinks counts and sends both, alone and in groups, one sink or all", async () => {
  for (const [index, chosen] of [["hook"], ["other"], ["hook", "other"]].entries()) {
    store = await openTemp(memoryStatePath());
    await store.addSilence(silence());
    const group = { groupKey: "shared", groupWaitMs: 1_000, silencedBy: "1" };
    for (const sink of ["hook", "other"])
      for (const [subject, changes] of [
        ["1", { silencedBy: "1" }],
        ["2", group],
        ["3", group],
      ] as const)
        await deliver(`${index}${subject}${sink}`, { ...changes, sink });
    expect(await store.countSilenced()).toEqual([
      { silenceId: "1", sink: "hook", alerts: 3 },
      { silenceId: "1", sink: "other", alerts: 3 },
    ]);
    expect(await store.resendSilenced({ sinks: chosen, silenceId: "1" }, T0 + 5, "bob")).toBe(
      3 * chosen.length,
    );
    expect((await store.countSilenced()).map(({ sink }) => sink)).toEqual(
      ["hook", "other"].filter((sink) => !chosen.includes(sink)),
    );
    for (const sink of chosen) expect(await store.nextDueAt([sink])).toBe(T0 + 5);
    const expected = chosen.flatMap((sink) =>
      ["1", "2", "3"].map((subject) => `${index}${subject}${sink}`),
    );
    expect((await subjectsDue(T0 + 5)).sort()).toEqual(expected.sort());
  }
});
