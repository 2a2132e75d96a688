/** Tests what a chat gets once, bundled, or in a digest. */
import { expect, it } from "vitest";
import { bundleKeyOf, isSummaryGroup, onceOf, summariseChanges } from "../../src/route/noise.ts";
import { makeEvent, makeTweet, makeUser } from "../support/make-event.ts";

it("knows a tweet by its id, whatever the event is about; without a tweet, by what the event is about", () => {
  expect(onceOf(makeEvent("mention of 7", { body: { tweet: makeTweet("7") } }))?.key).toBe(
    "tweet:7",
  );
  expect(onceOf(makeEvent("7", { body: {} }))?.key).toBe("tweet:7");
});

it("knows a target by its id, or as the watch writes it where the event does not say", () => {
  const of = (target: string, body = {}) =>
    makeEvent("1", { type: "follower.added", labels: { target }, body });
  const known = { target: makeUser("99") };
  expect(onceOf(of("acme", known))).toEqual(onceOf(of("id:99", known)));
  expect(onceOf(of("acme"))?.key).not.toBe(onceOf(of("rival"))?.key);
  expect(bundleKeyOf(of("acme"))).not.toBe(bundleKeyOf(of("rival")));
});

it("what has no opposite is delivered once and never summed up; what is no change of a list is not bundled", () => {
  expect(onceOf(makeEvent("1", { type: "user.found" }))).toEqual({
    key: "user.found:99:1",
    withinMs: 86_400_000,
  });
  for (const type of ["tweet.created", "profile.changed", "membership.changed"])
    expect(bundleKeyOf(makeEvent("1", { type }))).toBeUndefined();
});

it("the group that sums up is one for all accounts of a target, and is known as such", () => {
  const summaryOf = (subject: string, target = "99") =>
    onceOf(makeEvent(subject, { type: "follower.added", body: { target: makeUser(target) } }))?.undo
      ?.summaryGroup ?? "";
  expect(summaryOf("1")).toBe(summaryOf("2"));
  expect(summaryOf("1")).not.toBe(summaryOf("1", "98"));
  expect(isSummaryGroup(summaryOf("1"))).toBe(true);
  expect(isSummaryGroup(bundleKeyOf(makeEvent("1", { type: "follower.added" })) ?? "")).toBe(false);
});

it("sums up in one line per account, by the last change of each, with the number of changes, in the order of the last ones", () => {
  const event = (subject: string, type: string) => ({
    event: makeEvent(subject, { type }),
    watches: ["brand"],
  });
  const summed = summariseChanges([
    event("1", "follower.added"),
    event("2", "follower.added"),
    event("1", "follower.removed"),
    event("3", "follower.removed"),
    event("1", "follower.added"),
  ]);
  expect(
    summed.map((one) => [one.event.subject, one.event.type, one.changes, one.watches]),
  ).toEqual([
    ["2", "follower.added", 1, ["brand"]],
    ["3", "follower.removed", 1, ["brand"]],
    ["1", "follower.added", 3, ["brand"]],
  ]);
});
