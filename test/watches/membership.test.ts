import { expect, it } from "vitest";
import { startGolden } from "./golden-rig.ts";

const COMMUNITY = "1493446837214187523";

it("membership follow: tells who begins to follow and who ceases, each once", async () => {
  const golden = await startGolden("membership", { check: "follow", accounts: ["alice"], account: "acme" }, { maxPages: 3 });
  const before = await golden.told();
  expect(before).toEqual([]);
  golden.control("DELETE", "follows", { target: "acme", follower: "alice" });
  await golden.minutes(2);
  golden.control("POST", "follows", { target: "acme", follower: "alice" });
  await golden.minutes(2);
  golden.control("DELETE", "follows", { target: "acme", follower: "alice" });
  await golden.minutes(2);
  const told = (await golden.told()).slice(-2);
  expect(told.map(({ message }) => message.title)).toEqual([
    expect.stringMatching(/\(@alice\) now follows @acme$/),
    expect.stringMatching(/\(@alice\) no longer follows @acme$/),
  ]);
  expect(told[0]?.event).toMatchObject({ type: "membership.changed", labels: { target: "alice", author: "alice" } });
  expect(told[0]?.event.body).toMatchObject({
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
] as const)("membership %s: tells what an account did to a tweet, once", async (check, deed, title) => {
  let id = "";
  const golden = await startGolden("membership", (control) => {
    id = (control("POST", "tweets", { username: "alice", text: "launch day" })["ids"] as readonly string[])[0] ?? "";
    return { check, accounts: ["bob"], tweet: id };
  });
  expect(await golden.told()).toEqual([]);
  golden.control("POST", "tweets", { username: "bob", text: "well", ...Object.fromEntries(Object.keys(deed).map((name) => [name, id])) });
  await golden.minutes(3);
  const [told, ...more] = await golden.told();
  expect(more).toEqual([]);
  expect(told?.event.body).toMatchObject({ membership: { check, tweet: id } });
  expect(told?.message).toMatchObject({ title: expect.stringMatching(title), url: `https://x.com/i/status/${id}` });
});

it("membership community_member: tells who joins a community and who leaves it, each once", async () => {
  const golden = await startGolden("membership", (control) => {
    control("DELETE", "members", { group: COMMUNITY, username: "bob" });
    return { check: "community_member", accounts: ["bob"], community: COMMUNITY };
  });
  golden.control("POST", "members", { group: COMMUNITY, username: "bob" });
  await golden.minutes(3);
  golden.control("DELETE", "members", { group: COMMUNITY, username: "bob" });
  await golden.minutes(3);
  const told = await golden.told();
  expect(told.map(({ message }) => message.title)).toEqual([
    expect.stringMatching(/\(@bob\) (?:joined|is now a member)/),
    expect.stringMatching(/\(@bob\) (?:left|is no longer a member)/),
  ]);
  expect(told[0]?.event.body).toMatchObject({
    user: { username: "bob" },
    membership: { check: "community_member", community: COMMUNITY, is_member: true },
    previous: { is_member: false },
    changed: ["is_member"],
  });
});
