import { expect, it } from "vitest";
import { type WatchFixture, startWatchFixture } from "./watch-fixture.ts";

const post = (control: WatchFixture["control"]): string =>
  (
    control("POST", "tweets", { username: "alice", text: "launch day" })["ids"] as readonly string[]
  )[0] ?? "";

it("tweet reports a count that crossed, once, with what it was", async () => {
  let id = "";
  const fixture = await startWatchFixture("tweet", (control) => ({
    tweets: [(id = post(control))],
    when: { reply_count: ">= 2" },
  }));
  for (const text of ["one", "two", "three"]) {
    fixture.control("POST", "tweets", { username: "bob", reply_to: id, text });
    await fixture.minutes(2);
  }
  const [alerts, ...more] = await fixture.alerts();
  expect(more).toEqual([]);
  expect(alerts?.event).toMatchObject({
    type: "tweet.threshold",
    subject: id,
    labels: { author: "alice", kind: "post", target: id },
  });
  expect(alerts?.event.body).toMatchObject({
    tweet: { id, reply_count: 2 },
    previous: { reply_count: 1 },
    crossed: ["reply_count"],
  });
  expect(alerts?.message).toMatchObject({
    title: expect.stringMatching(/^A post by .*\(@alice\) reached 2 replies$/),
    body: "launch day",
    url: `https://x.com/alice/status/${id}`,
  });
  expect(alerts?.message.facts).toContainEqual({ name: "Before", value: "1 reply" });
});

it("tweet reports the end of a tweet once, after two answers without it", async () => {
  let id = "";
  const fixture = await startWatchFixture("tweet", (control) => ({
    tweets: [(id = post(control)), post(control)],
  }));
  fixture.control("DELETE", `tweets/${id}`);
  await fixture.minutes(1);
  expect(await fixture.alerts()).toEqual([]);
  await fixture.minutes(5);
  const [alerts, ...more] = await fixture.alerts();
  expect(more).toEqual([]);
  expect(alerts?.event).toMatchObject({
    type: "tweet.deleted",
    subject: id,
    body: { tweet: { id, full_text: "launch day" } },
  });
  expect(alerts?.message.title).toMatch(
    /^A post by .*\(@alice\) of \d{4}-\d\d-\d\d \d\d:\d\d UTC is gone: deleted, or no longer public$/,
  );
  const asked = fixture.billed();
  expect(asked).toEqual({ "tweet-info-bulk": asked["tweet-info-bulk"] });
  fixture.control("POST", "restore", { id });
  await fixture.minutes(3);
  expect(await fixture.alerts()).toHaveLength(1);
});
