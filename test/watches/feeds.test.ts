/**
 * Tests watches of tweets beside search and timeline, against the sandbox: a silent baseline, then
 * each new tweet once.
 */
import { expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { type WatchFixture, startWatchFixture } from "./watch-fixture.ts";

type Control = WatchFixture["control"];

const post = (control: Control, order: JsonObject): string => {
  const [id] = control("POST", "tweets", order)["ids"] as readonly string[];
  if (id === undefined) throw new Error("nothing was posted");
  return id;
};

/** Returns the only alert, its event with its message. */
async function theOnlyOne({ minutes, alerts }: WatchFixture) {
  await minutes(2);
  const all = await alerts();
  expect(all).toHaveLength(1);
  await minutes(3);
  expect(await alerts()).toHaveLength(1);
  const [only] = all;
  if (only === undefined) throw new Error("no alert");
  return only;
}

/** Starts with a post of a silent account that was answered before the watch began. */
async function startAnswered(type: string, kind: "reply_to" | "quote_of") {
  let id = "";
  const fixture = await startWatchFixture(type, (control) => {
    id = post(control, { username: "golden_one", text: "The post." });
    post(control, { username: "golden_two", text: "Old answer.", [kind]: id });
    return { tweet: `https://x.com/golden_one/status/${id}` };
  });
  return { fixture, id };
}

it("replies reports a new reply to the tweet", async () => {
  const { fixture, id } = await startAnswered("replies", "reply_to");
  post(fixture.control, { username: "golden_three", text: "A quote.", quote_of: id });
  const fresh = post(fixture.control, {
    username: "golden_three",
    text: "Fresh answer.",
    reply_to: id,
  });
  const { event, message } = await theOnlyOne(fixture);
  expect(event).toMatchObject({
    type: "tweet.created",
    subject: fresh,
    labels: {
      watch: "w",
      type: "replies",
      event: "tweet.created",
      target: id,
      author: "golden_three",
      kind: "reply",
      conversation: id,
    },
    body: {
      tweet: {
        id: fresh,
        full_text: "Fresh answer.",
        in_reply_to_tweet_id: id,
        user: { username: "golden_three" },
      },
    },
  });
  expect(message.title).toMatch(/\(@golden_three\) replied to @golden_one$/);
  expect(message.url).toBe(`https://x.com/golden_three/status/${fresh}`);
});

it("quotes reports a new quote of the tweet", async () => {
  const { fixture, id } = await startAnswered("quotes", "quote_of");
  post(fixture.control, { username: "golden_three", text: "A reply.", reply_to: id });
  const fresh = post(fixture.control, {
    username: "golden_three",
    text: "See here.",
    quote_of: id,
  });
  const { event, message } = await theOnlyOne(fixture);
  expect(event).toMatchObject({
    type: "tweet.created",
    subject: fresh,
    labels: { kind: "quote", target: id },
  });
  expect(event.body).toMatchObject({
    tweet: { full_text: "See here.", quoted_status: { id, full_text: "The post." } },
  });
  expect(message.title).toMatch(/\(@golden_three\) quoted .*\(@golden_one\)$/);
  expect(message.context?.body).toBe("The post.");
});

it("retweets reports what an account reposts, and nothing else it does", async () => {
  let original = "";
  const fixture = await startWatchFixture("retweets", (control) => {
    original = post(control, { username: "golden_one", text: "The post." });
    post(control, { username: "golden_two", retweet_of: original });
    return { accounts: ["@golden_two"] };
  });
  post(fixture.control, { username: "golden_two", text: "A post of its own." });
  const other = post(fixture.control, { username: "golden_three", text: "Another." });
  const fresh = post(fixture.control, { username: "golden_two", retweet_of: other });
  const { event, message } = await theOnlyOne(fixture);
  expect(event).toMatchObject({
    type: "tweet.created",
    subject: fresh,
    labels: { kind: "retweet", author: "golden_two" },
  });
  expect(event.body).toMatchObject({
    tweet: { retweeted_status: { id: other, full_text: "Another." } },
  });
  expect(message.title).toMatch(/\(@golden_two\) reposted .*\(@golden_three\)$/);
});

const LIST = "1388742069157900291";

it("list_tweets reports what a member of the list posts", async () => {
  const fixture = await startWatchFixture(
    "list_tweets",
    { list: `https://x.com/i/lists/${LIST}` },
    { where: { text: "", matches: isFixture } },
  );
  post(fixture.control, { username: "golden_one", text: "golden, but not on the list" });
  const fresh = post(fixture.control, { username: "acme", text: "golden news" });
  const { event, message } = await theOnlyOne(fixture);
  expect(event).toMatchObject({
    type: "tweet.created",
    subject: fresh,
    labels: { target: LIST, author: "acme", kind: "post" },
  });
  expect(message).toMatchObject({
    title: "Acme Corp (@acme) posted",
    body: "golden news",
    url: `https://x.com/acme/status/${fresh}`,
  });
});

const isFixture = ({ tweet }: { readonly tweet?: { readonly full_text: string } }): boolean =>
  tweet?.full_text.startsWith("golden") === true;

it("community_search reports a post of the community that matches", async () => {
  const community_id = "1493446837214187523";
  const fixture = await startWatchFixture("community_search", (control) => {
    post(control, { username: "acme", text: "golden launch of before", community_id });
    return {
      community: `https://x.com/i/communities/${community_id}`,
      query: "golden (launch OR release)",
    };
  });
  post(fixture.control, { username: "acme", text: "golden launch elsewhere" });
  post(fixture.control, { username: "acme", text: "golden silence", community_id });
  const fresh = post(fixture.control, { username: "acme", text: "golden release", community_id });
  const { event, message } = await theOnlyOne(fixture);
  expect(event).toMatchObject({
    type: "tweet.created",
    subject: fresh,
    labels: { target: "golden (launch OR release)", author: "acme" },
  });
  expect(message).toMatchObject({ title: "Acme Corp (@acme) posted", body: "golden release" });
});

it("search reports a tweet that matches", async () => {
  const fixture = await startWatchFixture("search", (control) => {
    post(control, { username: "acme", text: "golden launch of before" });
    return { query: "golden (launch OR release) -from:golden_one" };
  });
  post(fixture.control, { username: "golden_one", text: "golden release of its own" });
  const fresh = post(fixture.control, { username: "acme", text: "golden release" });
  const { event, message } = await theOnlyOne(fixture);
  expect(event).toMatchObject({
    type: "tweet.created",
    subject: fresh,
    labels: { type: "search", author: "acme", kind: "post" },
  });
  expect(message).toMatchObject({
    title: "Acme Corp (@acme) posted",
    body: "golden release",
    url: `https://x.com/acme/status/${fresh}`,
  });
});

it("community_tweets reports a post of the community, and its pinned one never", async () => {
  const community_id = "1493446837214187523";
  const fixture = await startWatchFixture(
    "community_tweets",
    { community: community_id },
    { where: { text: "", matches: isFixture } },
  );
  post(fixture.control, { username: "acme", text: "golden post elsewhere" });
  const fresh = post(fixture.control, { username: "acme", text: "golden post", community_id });
  const { event, message } = await theOnlyOne(fixture);
  expect(event).toMatchObject({
    type: "tweet.created",
    subject: fresh,
    labels: { type: "community_tweets", target: community_id },
  });
  expect(message).toMatchObject({ title: "Acme Corp (@acme) posted", body: "golden post" });
});
