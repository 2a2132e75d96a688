/**
 * Tests faults 27 to 33 of the data service in the whole daemon: accounts that change, and values
 * that cannot be trusted.
 */
import { expect, it } from "vitest";
import { HOUR, live, MINUTE, createFixture } from "./fault-fixture.ts";

it("fault 27: a renamed account is followed by its id, and its rename is reported where profiles are watched", async () => {
  const fixture = await createFixture({
    watches: () => ({ who: { type: "profile", accounts: ["fresh_one"], schedule: "@every 1m" } }),
  });
  const { id } = await fixture.control("accounts", { username: fixture.author });
  await fixture.fault(27, { username: fixture.author });
  const { ids } = await fixture.control("tweets", {
    username: "fresh_one_new",
    text: "a new zebra",
    count: 2,
  });
  await fixture.clock.advance(10 * MINUTE);
  expect(fixture.alerted("timeline")).toEqual(ids);
  expect(
    fixture.eventsOf("who").map(({ type, subject, data }) => [type, subject, data.user.username]),
  ).toEqual([["profile.changed", id, "fresh_one_new"]]);
});

it("fault 28: an account that takes over the handle is not followed, and the operator is alerted", async () => {
  const fixture = await createFixture();
  await fixture.fault(28, { username: fixture.author, text: "I am somebody else" });
  const { ids } = await fixture.control("tweets", {
    username: "fresh_one_old",
    text: "still the same zebra",
  });
  await fixture.clock.advance(30 * MINUTE);
  expect(fixture.alerted("timeline")).toEqual(ids);
  expect(fixture.opsAlerts().map(({ message }) => message)).toEqual([
    expect.stringMatching(/@fresh_one .*another account/),
  ]);
});

it("fault 29: an account that is protected for a while is reported as unavailable, and caught up afterwards", async () => {
  const fixture = await createFixture();
  await fixture.news();
  await fixture.clock.advance(2 * MINUTE);
  await fixture.fault(29, { username: fixture.author });
  await fixture.news();
  await fixture.clock.advance(8 * MINUTE);
  expect(fixture.opsAlertTypes()).toContain("target.unavailable");
  expect(fixture.opsAlerts()[0]?.message).toMatch(/protected/);
  await fixture.clock.advance(2 * HOUR);
  fixture.expectAllAlerted();
});

it("fault 30: an account that is suspended and comes back without followers makes no storm", async () => {
  const fixture = await createFixture({
    watches: () => ({ all: { type: "followers", accounts: ["fresh_one"], schedule: "@every 1m" } }),
  });
  await fixture.fault(30, { username: fixture.author });
  await fixture.clock.advance(25 * MINUTE);
  expect(fixture.eventsOf("all").filter(({ type }) => type === "follower.added")).toEqual([]);
  await fixture.clock.advance(2 * HOUR);
  await fixture.news();
  await fixture.clock.advance(5 * MINUTE);
  fixture.expectAllAlerted();
});

it("fault 31: who leaves the 7-day window has not unfollowed, and who comes back is not new", async () => {
  const fixture = await createFixture();
  await live(fixture, 31, {}, 10 * MINUTE);
  await fixture.clock.advance(3 * MINUTE);
  fixture.expectAllAlerted();
  expect(fixture.eventsOf("followers").map(({ type }) => type)).toEqual([
    "follower.added",
    "follower.added",
    "follower.added",
  ]);
});

it("fault 32: a score without a value crosses nothing, and a true crossing is reported once", async () => {
  const fixture = await createFixture();
  await fixture.fault(32, { endpoint: "score-changes", for_ms: 5 * MINUTE });
  await fixture.clock.advance(6 * MINUTE);
  expect(fixture.eventsOf("score")).toEqual([]);
  await fixture.control("scores", { username: fixture.author, week_delta: 950 });
  await fixture.clock.advance(5 * MINUTE);
  expect(fixture.eventsOf("score")).toHaveLength(1);
});

it("fault 33: counts that flap between two replicas cross a threshold once", async () => {
  // An odd interval, so that polls reach both replicas of the service.
  const fixture = await createFixture({ schedule: "@every 31s" });
  await fixture.fault(33);
  await fixture.control("scores", { username: fixture.author, week_delta: 901 });
  await fixture.news();
  await fixture.clock.advance(20 * MINUTE);
  expect(fixture.eventsOf("score")).toHaveLength(1);
});
