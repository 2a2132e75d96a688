/** Tests the stored way of a delivery in the words of `explain`. */
import { expect, it } from "vitest";
import { createPathReader } from "../../../src/operate/views/delivery-path.ts";
import type { Config } from "../../../src/config/config.ts";
import { digestGroup } from "../../../src/model/digest.ts";
import type { DeliveryPath } from "../../../src/model/history.ts";
import { makeEvent } from "../../support/make-event.ts";

const event = makeEvent("1");
const THROTTLE = { limit: 20, intervalMs: 600_000, onExceed: "digest", digestIntervalMs: 120_000 };

const pathOf = (changes: Partial<DeliveryPath>) => {
  const sinks = [{ name: "brand", type: "console", settings: {}, throttle: THROTTLE }];
  const config = { sinks, watches: [], ops: { sinks: [] }, route: undefined } as unknown as Config;
  return createPathReader(config, [])(event, {
    ...{
      sink: "brand",
      state: "waiting",
      messageId: null,
      attempts: 0,
      sentAtMs: null,
      ref: null,
      detail: "",
      wait: null,
    },
    ...{
      groupKey: event.id,
      throttleKey: null,
      silencedBy: null,
      replayedAtMs: null,
      joinedEventId: null,
      channel: null,
    },
    ...{ routed: { route: "route", by: "route", matchers: [], groupBy: ["team"] } },
    ...{ thread: null, wording: null, repeat: null, edit: null, failures: [] },
    escalation: null,
    ...changes,
  } as DeliveryPath);
};

it.each([
  [event.id, []],
  [digestGroup("throttle", "sink:brand"), ["a digest of alerts above the throttle's limit"]],
  [digestGroup("backfill", "w"), ["the digest of a backfill"]],
  [digestGroup("schedule", "sink:brand"), ["the scheduled digest"]],
  [digestGroup("return", "w"), ["the digest of items from while the watch was away"]],
  ["summary\nw", ["one line a day, because the account came and went"]],
  ["w\nfollower.added\n7", ["one message for each target and poll"]],
  ['["route.routes[0]","brand","comms","x"]', ['team="comms"', 'label 2="x"']],
])("names what an alert of the group %j is gathered by", (groupKey, group) => {
  expect(pathOf({ groupKey }).group).toEqual(group);
});

it("names the throttle that counts it", () => {
  expect(pathOf({ throttleKey: "sink:brand" }).throttle).toBe("20 messages in 10m");
  expect(pathOf({ throttleKey: "sink:other" }).throttle).toBeNull();
});

it("says when an edit is due only while it waits", () => {
  const edit = { dueAtMs: 0, editedAtMs: 60_000, error: "" };
  expect(pathOf({ edit: { ...edit, state: "waiting" } }).edit).toMatchObject({
    due_at: "1970-01-01T00:00:00.000Z",
  });
  expect(pathOf({ edit: { ...edit, state: "done" } }).edit).toMatchObject({
    due_at: null,
    edited_at: "1970-01-01T00:01:00.000Z",
  });
});
