import { expect, it } from "vitest";
import { startWatchFixture } from "./watch-fixture.ts";

const COMMUNITY = "1493446837214187523";

it("membership follow: reports who begins to follow and who ceases, each once", async () => {
  const fixture = await startWatchFixture(
    "membership",
    { check: "follow", accounts: ["alice"], account: "acme" },
    { maxPages: 3 },
  );
  const before = await fixture.alerts();
  expect(before).toEqual([]);
  fixture.control("DELETE", "follows", { target: "acme", follower: "alice" });
  await fixture.minutes(2);
  fixture.control("POST", "follows", { target: "acme", follower: "alice" });
  await fixture.minutes(2);
  fixture.control("DELETE", "follows", { target: "acme", follower: "alice" });
  await fixture.minutes(2);
  const alerts = (await fixture.alerts()).slice(-2);
  expect(alerts.map(({ message }) => message.title)).toEqual([
    expect.stringMatching(/\(@alice\) now follows @acme$/),
    expect.stringMatching(/\(@alice\) no longer follows @acme$/),
  ]);
  expect(alerts[0]?.event).toMatchObject({
    type: "membership.changed",
    labels: { target: "alice", author: "alice" },
  });
  expect(alerts[0]?.event.body).toMatchObject({
    user: { username: "alice" },
    membership: { check: "follow", account: "acme", follow: true },
    previous: { follow: false },
    changed: ["follow"],
  });
});

it.each([
  ["comment", { reply_to: true }, /replied to the post$/],
  ["quoted", { quote_of: true }, /quoted the post$/],
  ["retweet", { retweet_of: true }, /reposted the post$/],
] as const)(
  "membership %s: reports what an account did to a tweet, once",
  async (check, deed, title) => {
    let id = "";
    const fixture = await startWatchFixture("membership", (control) => {
      id =
        (
          control("POST", "tweets", { username: "alice", text: "launch day" })[
            "ids"
          ] as readonly string[]
        )[0] ?? "";
      return { check, accounts: ["bob"], tweet: id };
    });
    expect(await fixture.alerts()).toEqual([]);
    fixture.control("POST", "tweets", {
      username: "bob",
      text: "well",
      ...Object.fromEntries(Object.keys(deed).map((name) => [name, id])),
    });
    await fixture.minutes(3);
    const [alerts, ...more] = await fixture.alerts();
    expect(more).toEqual([]);
    expect(alerts?.event.body).toMatchObject({ membership: { check, tweet: id } });
    expect(alerts?.message).toMatchObject({
      title: expect.stringMatching(title),
      url: `https://x.com/i/status/${id}`,
    });
  },
);

it("membership community_member: reports who joins a community and who leaves it, each once", async () => {
  const fixture = await startWatchFixture("membership", (control) => {
    control("DELETE", "members", { group: COMMUNITY, username: "bob" });
    return { check: "community_member", accounts: ["bob"], community: COMMUNITY };
  });
  fixture.control("POST", "members", { group: COMMUNITY, username: "bob" });
  await fixture.minutes(3);
  fixture.control("DELETE", "members", { group: COMMUNITY, username: "bob" });
  await fixture.minutes(3);
  const alerts = await fixture.alerts();
  expect(alerts.map(({ message }) => message.title)).toEqual([
    expect.stringMatching(/\(@bob\) (?:joined|is now a member)/),
    expect.stringMatching(/\(@bob\) (?:left|is no longer a member)/),
  ]);
  expect(alerts[0]?.event.body).toMatchObject({
    user: { username: "bob" },
    membership: { check: "community_member", community: COMMUNITY, is_member: true },
    previous: { is_member: false },
    changed: ["is_member"],
  });
});
