import { describe, expect, it } from "vitest";
import { digestGroup } from "../../src/model/digest.ts";
import type { DueEscalation, EscalatedMessage, TakenStep } from "../../src/model/escalation.ts";
import {
  commonLabels,
  decideEscalation,
  escalatingSinks,
  reasonOf,
  shortestAfterMs,
} from "../../src/route/escalate.ts";
import type { EscalationStep, Route } from "../../src/route/route.ts";
import { escalationOf } from "../../src/route/place-again.ts";
import { escalationDelivery } from "../../src/route/route-event.ts";
import { makeEvent } from "../support/make-event.ts";

const MINUTE = 60_000;
const T0 = Date.UTC(2026, 0, 15, 12);

const sent: EscalatedMessage = {
  ...{ id: "m1", error: "", ref: null, channel: null, heldUntilMs: null },
  state: "sent",
};

const dueOf = (changes: Partial<DueEscalation> = {}): DueEscalation => ({
  ...{ deliveryId: "1", sink: "chat", revision: 1, event: makeEvent("1"), routed: { by: "watch" } },
  ...{ baseAtMs: T0, begunAtMs: T0, isAtOnce: false, plan: undefined, taken: [], ended: "" },
  ...{ dueAtMs: T0, groupKey: "e1", isOnItsWay: true, waitsUntilMs: null, isReplayed: false },
  ...{ isFollowUp: false, isAcknowledged: false, isGone: false, message: sent, sentElsewhere: [] },
  ...changes,
});

const pager = (minutes: number, when?: boolean): EscalationStep => ({
  ...{ sink: "pager", afterMs: minutes * MINUTE },
  ...(when === undefined ? {} : { when: () => when }),
});
const phone = (minutes: number): EscalationStep => ({ sink: "phone", afterMs: minutes * MINUTE });

const decide = (
  due: DueEscalation,
  steps: readonly EscalationStep[],
  minutes: number,
  more: { readonly isSilenced?: boolean; readonly sentNow?: readonly TakenStep[] } = {},
) =>
  decideEscalation(due, {
    ...{ steps, nowMs: T0 + minutes * MINUTE, isSilenced: false, sentNow: [] },
    ...more,
  });

const taken = (sink: string, nth = 1, kind: TakenStep["kind"] = "sent"): TakenStep => ({
  ...{ sink, nth, afterMs: 15 * MINUTE, kind, atMs: T0 + 15 * MINUTE },
  ...(kind === "sent" ? { eventId: "x" } : {}),
});

describe("the steps of an escalation", () => {
  it("wait for `after` from the alert, are sent at that moment, and the next counts from then", () => {
    const steps = [pager(15), phone(30)];
    expect(decide(dueOf(), steps, 1)).toMatchObject({
      kind: "wait",
      progress: { dueAtMs: T0 + 15 * MINUTE, plan: [{ sink: "pager", nth: 1 }, { sink: "phone" }] },
    });
    expect(decide(dueOf(), steps, 15)).toMatchObject({
      kind: "send",
      step: { sink: "pager", nth: 1, afterMs: 15 * MINUTE },
      progress: { baseAtMs: T0 + 15 * MINUTE, dueAtMs: T0 + 45 * MINUTE, ended: "" },
    });
    const late = decide(dueOf(), [pager(15)], 90);
    expect(late).toMatchObject({ kind: "send", progress: { dueAtMs: null, ended: "done" } });
  });

  it("are passed over at their time where `when` is false, and the next counts from then", () => {
    expect(decide(dueOf(), [pager(15, false), phone(30)], 14)).toMatchObject({ kind: "wait" });
    expect(decide(dueOf(), [pager(15, false), phone(30)], 16)).toMatchObject({
      kind: "wait",
      progress: {
        baseAtMs: T0 + 16 * MINUTE,
        dueAtMs: T0 + 46 * MINUTE,
        taken: [{ sink: "pager", kind: "passed", atMs: T0 + 16 * MINUTE }],
      },
    });
    expect(decide(dueOf(), [pager(15, false)], 16)).toMatchObject({ progress: { ended: "done" } });
  });

  it("are known by sink and number in another configuration: none is sent twice, and one that is gone is dropped for good", () => {
    const due = dueOf({
      taken: [taken("pager")],
      plan: [
        { sink: "pager", nth: 2, afterMs: 5 * MINUTE },
        { sink: "phone", nth: 1, afterMs: 30 * MINUTE },
      ],
    });
    expect(decide(due, [phone(10), pager(20)], 20)).toMatchObject({
      kind: "send",
      step: { sink: "phone", nth: 1 },
      progress: { taken: [{ kind: "sent" }, { sink: "pager", nth: 2, kind: "dropped" }], plan: [] },
    });
    const dropped = dueOf({ taken: [taken("pager", 1, "dropped")] });
    expect(decide(dropped, [pager(15)], 60)).toMatchObject({ progress: { ended: "done" } });
    expect(decide(dueOf({ plan: [taken("phone")] }), [], 1)).toMatchObject({
      progress: { ended: "done", taken: [{ sink: "phone", kind: "dropped" }], dueAtMs: null },
    });
  });

  it("are not sent again because another sink has the alert, too", () => {
    const elsewhere = dueOf({ sentElsewhere: [taken("pager")] });
    for (const decision of [
      decide(elsewhere, [pager(15)], 15),
      decide(dueOf(), [pager(15)], 15, { sentNow: [taken("pager")] }),
    ])
      expect(decision).toMatchObject({
        kind: "wait",
        progress: { ended: "done", taken: [{ kind: "sent", eventId: "x" }] },
      });
    expect(decide(elsewhere, [pager(1), pager(15)], 30)).toMatchObject({ kind: "wait" });
  });

  it("do not wait for an alert that was given up, but for one whose sink is not tried yet", () => {
    const dead = dueOf({ isAtOnce: true, message: { ...sent, state: "dead", error: "400" } });
    expect(decide(dead, [pager(15), phone(30)], 0)).toMatchObject({
      kind: "send",
      progress: { isAtOnce: false, dueAtMs: T0 + 30 * MINUTE },
    });
    const untilMs = T0 + 60 * MINUTE;
    for (const held of [
      dueOf({ message: undefined, waitsUntilMs: untilMs }),
      dueOf({ message: { ...sent, state: "open", heldUntilMs: untilMs } }),
    ])
      expect(decide(held, [pager(15)], 20)).toMatchObject({
        kind: "wait",
        progress: { baseAtMs: untilMs, dueAtMs: untilMs },
      });
  });
});

describe("what is not escalated", () => {
  const steps = [pager(15)];
  it.each<[string, Partial<DueEscalation>]>([
    ["an alert that does not go out", { isOnItsWay: false }],
    ["a follow-up of the sink's alert", { isFollowUp: true }],
    ["a follow-up", { event: makeEvent("1", { type: "tweet.deleted", watchType: "search" }) }],
    ["an ops alert", { event: makeEvent("1", { watchType: "daemon" }) }],
    ["what a backfill found", { routed: { by: "watch", isBackfilled: true } }],
    ["a part of a digest", { groupKey: digestGroup("schedule", "sink chat") }],
  ])("%s leaves nothing behind", (_, changes) => {
    expect(decide(dueOf(changes), steps, 20)).toEqual({ kind: "forget" });
  });

  it("is an alert without steps", () => {
    expect(decide(dueOf(), [], 20)).toEqual({ kind: "forget" });
  });

  it("is what somebody acknowledged, sent again or silenced, of which only the first can resume", () => {
    expect(decide(dueOf({ isAcknowledged: true }), steps, 20)).toMatchObject({
      progress: { ended: "acknowledged", dueAtMs: null, plan: undefined, taken: [] },
    });
    expect(decide(dueOf({ isReplayed: true }), steps, 20)).toMatchObject({
      progress: { ended: "replayed", dueAtMs: null, plan: [] },
    });
    expect(decide(dueOf(), steps, 20, { isSilenced: true })).toMatchObject({
      progress: { ended: "silenced", dueAtMs: null, plan: [] },
    });
  });
});

it("the sinks that escalate are those with steps, and those of routes with steps, also inherited ones", () => {
  const route = (changes: Partial<Route>): Route => ({
    ...{ path: "0", sinks: [], matchers: [], continues: false, groupBy: [], groupWaitMs: 0 },
    ...{ groupIntervalMs: 0, routes: [] },
    ...changes,
  });
  const tree = route({
    sinks: ["a"],
    routes: [route({ escalate: [pager(5)] }), route({ sinks: ["b"], escalate: false })],
  });
  const sinks = new Map([
    ["a", {}],
    ["b", {}],
    ["c", { escalate: [phone(15)] }],
  ]);
  expect([...escalatingSinks(tree, sinks)].sort()).toEqual(["a", "c"]);
  expect(shortestAfterMs(tree, sinks)).toBe(5 * MINUTE);
  expect(shortestAfterMs(undefined, new Map([["a", {}]]))).toBeUndefined();
});

it("an escalation says whether the sink took the alert, and has the labels that all its alerts have", () => {
  expect(reasonOf({ message: sent })).toBe("unacknowledged");
  expect(reasonOf({ message: { ...sent, state: "dead" } })).toBe("dead");
  expect(reasonOf({ message: undefined })).toBe("failing");
  const labelled = (labels: Record<string, string>) => ({ labels });
  expect(commonLabels([labelled({ a: "1", b: "1" }), labelled({ a: "1", b: "2" })])).toEqual({
    a: "1",
  });
});

it("a step that was dropped is not sent when another configuration has it again", () => {
  const due = dueOf({ plan: [], taken: [taken("pager", 1, "dropped")] });
  expect(decide(due, [pager(15)], 15)).toMatchObject({ kind: "wait", progress: { ended: "done" } });
  expect(decide(due, [pager(15), phone(5)], 15)).toMatchObject({
    kind: "send",
    step: { sink: "phone" },
  });
});

it("an escalation waits for the end of the muted hours of a sink that drops other alerts then", () => {
  const nights = {
    name: "nights",
    endsAt: (atMs: number) => (atMs < T0 + MINUTE ? T0 + MINUTE : undefined),
    startsAt: () => T0 + 24 * 60 * MINUTE,
  };
  const facts = { chat: true, onMute: "drop" as const, mutes: [nights] };
  const event = makeEvent("1", { type: "alert.escalated", watchType: "daemon" });
  const sinks = new Map([["pager", facts]]);
  const delivery = escalationDelivery(event, "pager", { sinks, nowMs: T0 });
  expect(delivery).toMatchObject({ sink: "pager", heldBy: "nights", notBeforeMs: T0 + MINUTE });
  expect(delivery?.mutedBy).toBeUndefined();
});

it.each([
  ["the sink's, where the route says nothing", undefined, ["phone"]],
  ["the route's", [pager(15)], ["pager"]],
  ["nobody's, where the route says so", false, []],
] as const)("the steps of an alert are %s", (_, escalate, names) => {
  const route: Route = {
    ...{ path: "0", matchers: [], sinks: ["chat"], groupBy: [], routes: [] },
    ...{ groupWaitMs: 0, groupIntervalMs: 0, continues: false },
    ...(escalate === undefined ? {} : { escalate }),
  };
  const sinks = new Map([["chat", { chat: true, escalate: [phone(30)] }]]);
  const due = { event: makeEvent("1"), sink: "chat" };
  const context = { ownSinks: [], tree: route, sinks, nowMs: T0 };
  expect(escalationOf(due, context).map(({ sink }) => sink)).toEqual(names);
  const own = { ...context, ownSinks: ["chat"] };
  expect(escalationOf(due, own).map(({ sink }) => sink)).toEqual(["phone"]);
});
