import { describe, expect, it } from "vitest";
import { digestGroup } from "../../src/model/digest.ts";
import type { Route, ScheduledDigest, TimeInterval } from "../../src/route/route.ts";
import { routeEvent, type RoutingContext, type SinkFacts } from "../../src/route/route-event.ts";
import { digestsByName } from "../../src/route/scheduled-digest.ts";
import { EVENT_TIME_MS as T0, makeEvent, makeOpsAlert } from "../support/make-event.ts";

const HOUR = 3_600_000;
const at = (atMs: number): ScheduledDigest => ({
  nextAtMs: () => atMs,
  maxItems: 10,
  whenEmpty: "nothing",
});
const daily = at(T0 + 9 * HOUR);
const hourly = at(T0 + HOUR);

const root: Route = {
  path: "0",
  sinks: ["mail"],
  matchers: [],
  continues: false,
  groupBy: [],
  groupWaitMs: 0,
  groupIntervalMs: 0,
  routes: [],
};
const until = (fromMs: number, toMs: number): TimeInterval => ({
  name: "nights",
  endsAt: (atMs) => (fromMs <= atMs && atMs < toMs ? toMs : undefined),
  startsAt: () => fromMs + 24 * HOUR,
});

function deliver(
  facts: SinkFacts,
  route: Partial<Route> | undefined,
  changes: Partial<RoutingContext> = {},
  event = makeEvent("1"),
) {
  const context = {
    ownSinks: route === undefined ? ["mail"] : [],
    tree: route === undefined ? undefined : { ...root, ...route },
    sinks: new Map([["mail", facts]]),
    nowMs: T0,
    ...changes,
  };
  return routeEvent(event, context)[0];
}

describe("which digest takes an alert", () => {
  it("is the sink's, also for a watch's own sink and for a route that says nothing", () => {
    const facts = { chat: true, digest: daily };
    const expected = { groupKey: digestGroup("schedule", "sink:mail"), digestAtMs: T0 + 9 * HOUR };
    expect(deliver(facts, undefined)).toMatchObject(expected);
    expect(deliver(facts, { groupBy: ["watch"], groupWaitMs: HOUR })).toMatchObject({
      ...expected,
      groupWaitMs: 0,
    });
  });

  it("is the route's where it has one, and none where it says false", () => {
    const facts = { chat: false, digest: daily };
    expect(deliver(facts, { digest: hourly })).toMatchObject({
      groupKey: digestGroup("schedule", "route:0:mail"),
      digestAtMs: T0 + HOUR,
    });
    expect(deliver(facts, { digest: false })).toMatchObject({ groupKey: makeEvent("1").id });
    expect(deliver(facts, { digest: false })?.digestAtMs).toBeUndefined();
  });

  it("is none for an ops alert", () => {
    expect(
      deliver({ chat: true, digest: daily }, undefined, {}, makeOpsAlert("watch.gap"))?.digestAtMs,
    ).toBeUndefined();
  });

  it("takes what came while a watch was away, too", () => {
    expect(deliver({ chat: true, digest: daily }, undefined, { gatherMs: HOUR })?.groupKey).toBe(
      digestGroup("schedule", "sink:mail"),
    );
  });

  it("is found by the name in its group key", () => {
    const names = digestsByName(
      { ...root, routes: [{ ...root, path: "0.0", digest: hourly }] },
      new Map([["mail", { digest: daily }]]),
    );
    expect([...names.keys()]).toEqual(["sink:mail", "route:0.0:mail"]);
  });
});

describe("a digest and muted hours", () => {
  it("goes out at its time, though alerts were found in muted hours", () => {
    const mutes = [until(T0 - HOUR, T0 + HOUR)];
    expect(deliver({ chat: true, digest: daily, mutes }, undefined)).toMatchObject({
      notBeforeMs: T0,
    });
  });

  it.each(["hold", "drop"] as const)(
    "waits for the end of muted hours in which it is due (%s)",
    (onMute) => {
      const mutes = [until(T0 + 8 * HOUR, T0 + 10 * HOUR)];
      const delivery = deliver({ chat: true, digest: daily, mutes, onMute }, undefined);
      expect(delivery).toMatchObject({ notBeforeMs: T0 + 10 * HOUR, heldBy: "nights" });
      expect(delivery?.mutedBy).toBeUndefined();
    },
  );

  it("leaves out what is found in muted hours that drop", () => {
    const mutes = [until(T0 - HOUR, T0 + HOUR)];
    expect(deliver({ chat: true, digest: daily, mutes, onMute: "drop" }, undefined)).toMatchObject({
      mutedBy: "nights",
    });
  });
});
