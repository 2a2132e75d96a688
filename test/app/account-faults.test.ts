/** Faults 27 to 33 of the data service, in the whole daemon: accounts that change, and values that cannot be trusted. */
import { expect, it } from "vitest";
import { HOUR, live, MINUTE, setStage } from "./fault-stage.ts";

it("fault 27: a renamed account is followed by its id, and its rename is told where profiles are watched", async () => {
  const stage = await setStage({ watches: () => ({ who: { type: "profile", accounts: ["fresh_one"], schedule: "@every 1m" } }) });
  const { id } = await stage.control("accounts", { username: stage.author });
  await stage.fault(27, { username: stage.author });
  const { ids } = await stage.control("tweets", { username: "fresh_one_new", text: "a new zebra", count: 2 });
  await stage.clock.advance(10 * MINUTE);
  expect(stage.told("timeline")).toEqual(ids);
  expect(stage.eventsOf("who").map(({ type, subject, data }) => [type, subject, data.user.username])).toEqual([
    ["profile.changed", id, "fresh_one_new"],
  ]);
});

it("fault 28: whoever takes over the handle is not followed, and the operator is told", async () => {
  const stage = await setStage();
  await stage.fault(28, { username: stage.author, text: "I am somebody else" });
  const { ids } = await stage.control("tweets", { username: "fresh_one_old", text: "still the same zebra" });
  await stage.clock.advance(30 * MINUTE);
  expect(stage.told("timeline")).toEqual(ids);
  expect(stage.opsAlerts().map(({ message }) => message)).toEqual([expect.stringMatching(/@fresh_one .*another account/)]);
});

it("fault 29: an account that is protected for a while is told as unavailable, and caught up afterwards", async () => {
  const stage = await setStage();
  await stage.news();
  await stage.clock.advance(2 * MINUTE);
  await stage.fault(29, { username: stage.author });
  await stage.news();
  await stage.clock.advance(8 * MINUTE);
  expect(stage.noticeTypes()).toContain("target.unavailable");
  expect(stage.opsAlerts()[0]?.message).toMatch(/protected/);
  await stage.clock.advance(2 * HOUR);
  stage.expectAllTold();
});

it("fault 30: an account that is suspended and comes back without followers makes no storm", async () => {
  const stage = await setStage({ watches: () => ({ all: { type: "followers", accounts: ["fresh_one"], schedule: "@every 1m" } }) });
  await stage.fault(30, { username: stage.author });
  await stage.clock.advance(25 * MINUTE);
  expect(stage.eventsOf("all").filter(({ type }) => type === "follower.added")).toEqual([]);
  await stage.clock.advance(2 * HOUR);
  await stage.news();
  await stage.clock.advance(5 * MINUTE);
  stage.expectAllTold();
});

it("fault 31: who leaves the 7-day window has not unfollowed, and who comes back is not new", async () => {
  const stage = await setStage();
  await live(stage, 31, {}, 10 * MINUTE);
  await stage.clock.advance(3 * MINUTE);
  stage.expectAllTold();
  expect(stage.eventsOf("followers").map(({ type }) => type)).toEqual(["follower.added", "follower.added", "follower.added"]);
});

it("fault 32: a score without a value crosses nothing, and a true crossing is told once", async () => {
  const stage = await setStage();
  await stage.fault(32, { endpoint: "score-changes", for_ms: 5 * MINUTE });
  await stage.clock.advance(6 * MINUTE);
  expect(stage.eventsOf("score")).toEqual([]);
  await stage.control("scores", { username: stage.author, week_delta: 950 });
  await stage.clock.advance(5 * MINUTE);
  expect(stage.eventsOf("score")).toHaveLength(1);
});

it("fault 33: counts that flap between two replicas cross a threshold once", async () => {
  // Of odd length, so that polls meet either replica.
  const stage = await setStage({ schedule: "@every 31s" });
  await stage.fault(33);
  await stage.control("scores", { username: stage.author, week_delta: 901 });
  await stage.news();
  await stage.clock.advance(20 * MINUTE);
  expect(stage.eventsOf("score")).toHaveLength(1);
});
