/**
 * Tests lists in files, hours in which nothing is sent, and conditions of routes: how they are
 * read, inherited and refused.
 */
import { describe, expect, it } from "vitest";
import { goodConfig, loadText } from "../load-text.ts";

describe("lists in files", () => {
  const text = (ignore: string, more = "") =>
    `watches: { a: { type: search, query: a${more} }, b: { type: mentions, accounts: [acme], ignore: {} } }\nsinks: { t: { type: console } }\ndefaults: { watch: { ignore: ${ignore} } }`;
  const files = {
    "/etc/chirpwatch/authors.txt": "@Spam_Bot\n# and its owner\nid:44196397\n",
    "/etc/chirpwatch/words.txt": "  giveaway \n\nbuy now\n",
  };

  it("of authors and words to ignore are read where they are named, beside what is written out", async () => {
    const config = await goodConfig(
      text("{ authors: [acme, { file: authors.txt }], words: [{ file: words.txt }, free] }"),
      { files },
    );
    expect(config.watches[0]?.ignore).toEqual({
      authors: ["acme", "spam_bot", "id:44196397"],
      words: ["giveaway", "buy now", "free"],
    });
    expect(config.watches[1]?.ignore).toEqual({ authors: [], words: [] });
    expect(config.files).toEqual(expect.arrayContaining(Object.keys(files)));
  });

  it.each([
    [
      "a file that is not there",
      "{ words: [{ file: none.txt }] }",
      "accounts-file",
      "words: none.txt: there is no such file",
    ],
    [
      "a line that is no account",
      "{ authors: [{ file: words.txt }] }",
      "account",
      /"buy now" is not an account/,
    ],
  ])("refuse %s", async (_, ignore, rule, message) => {
    const loaded = await loadText(text(ignore), { files });
    const errors = loaded.ok ? [] : loaded.issues.filter(({ severity }) => severity === "error");
    expect(errors[0]).toMatchObject({
      rule,
      message: typeof message === "string" ? message : expect.stringMatching(message),
    });
  });
});

describe("hours and conditions of sinks and routes", () => {
  const nights = 'time_intervals: { nights: [{ times: [{ start: "22:00", end: "07:00" }] }] }';
  const withSink = (keys: string, more = "") =>
    `watches: { a: { type: search, query: a } }\nsinks: { chat: { type: console, ${keys} } }\n${nights}\n${more}`;

  it("keeps apart what is not written and what is empty: only the one leaves a sink's hours as they are", async () => {
    const route =
      "route: { sink: chat, routes: [{ matchers: ['kind=reply'], mute_time_intervals: [] }] }";
    const config = await goodConfig(
      withSink("mute_time_intervals: [nights], on_mute: drop", route),
    );
    expect(config.sinks[0]).toMatchObject({ mutes: [{ name: "nights" }], onMute: "drop" });
    expect(config.route?.mutes).toBeUndefined();
    expect(config.route?.routes[0]?.mutes).toEqual([]);
  });

  it("takes them from the defaults of the type", async () => {
    const text = `${withSink("")}defaults: { sink: { console: { active_time_intervals: [nights] } } }`;
    expect((await goodConfig(text)).sinks[0]).toMatchObject({ actives: [{ name: "nights" }] });
  });

  it.each([
    [
      "a sink's interval that is not defined",
      withSink("active_time_intervals: [night]"),
      "unknown-interval",
      /no time interval "night"; did you mean `nights`/,
    ],
    [
      "a condition on a field that no event has",
      withSink("", "route: { sink: chat, routes: [{ where: 'tweet.likes > 3', sink: chat }] }"),
      "where-unknown",
      /`where`: no such name: tweet.likes; did you mean `tweet.likes_count`/,
    ],
    [
      "a condition on the root",
      withSink("", "route: { sink: chat, where: 'tweet.likes_count > 3' }"),
      "root-matchers",
      /move `where` into one of its `routes`/,
    ],
  ])("refuses %s", async (_, text, rule, message) => {
    const loaded = await loadText(text);
    expect(
      loaded.ok ? [] : loaded.issues.filter(({ severity }) => severity === "error"),
    ).toMatchObject([{ rule, message: expect.stringMatching(message) }]);
  });

  it("asks a route's condition of events of every type", async () => {
    const where = "where: 'tweet.likes_count > 3 && labels.watch == \"a\"'";
    const route = (
      await goodConfig(withSink("", `route: { sink: chat, routes: [{ ${where}, sink: chat }] }`))
    ).route?.routes[0];
    const ask = (body: object, labels = { watch: "a" }) =>
      route?.where?.({ body, labels } as never);
    expect([
      ask({ tweet: { likes_count: 4 } }),
      ask({ tweet: { likes_count: 3 } }),
      ask({ tweet: { likes_count: 4 } }, { watch: "b" }),
    ]).toEqual([true, false, false]);
    expect(ask({ user: { username: "a" } })).toBe(false);
  });
});
