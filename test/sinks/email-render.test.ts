/** Tests the subject of a mail, and that its HTML does not repeat the subject. */
import { describe, expect, it } from "vitest";
import type { OutboxEvent } from "../../src/model/sink.ts";
import { createReader } from "../../src/operate/create-reader.ts";
import { renderEmail, renderEmailDigest } from "../../src/sinks/email/email-render.ts";
import { htmlText } from "../support/html-mail.ts";
import { makeEvent, makeTweet, makeUser } from "../support/make-event.ts";
import { listOf, tweetBatch } from "./chat-batch.ts";

const read = createReader("https://x.com");
const mailOf = (events: readonly OutboxEvent[]) => renderEmail({ events, sample: false, read });
const tweet = { ...makeTweet("7", "The kettle\nboils."), user: makeUser("8", "ann") };
const post = (type: string, changes: object = {}): OutboxEvent => ({
  event: makeEvent("7", { type, watchType: "search", body: { tweet }, ...changes }),
  watches: ["w"],
});

describe("the subject of a mail", () => {
  it("has the first words of a post, so that mails about one account differ", () => {
    const { subject, html } = mailOf([post("tweet.created")]);
    expect(subject).toMatch(/ posted: The kettle boils\.$/);
    expect(htmlText(html)).toContain(" posted");
  });

  it("is cut after 150 characters, however long the post is or the title of a template", () => {
    const long = { ...tweet, full_text: "The kettle boils. ".repeat(20) };
    const wording = { title: ["Read this, ".repeat(20)] };
    for (const event of [
      post("tweet.created", { body: { tweet: long } }),
      { ...post("tweet.created"), wording },
    ]) {
      const { subject } = mailOf([event]);
      expect(subject).toMatch(/…$/);
      expect(subject.length).toBeGreaterThan(130);
      expect(subject.length).toBeLessThanOrEqual(150);
    }
  });

  it("is the title alone where a post is gone, or where a template words the title", () => {
    expect(mailOf([post("tweet.deleted")]).subject).toMatch(
      / is gone: deleted, or no longer public$/,
    );
    const wording = { title: ["Read this"] };
    expect(mailOf([{ ...post("tweet.created"), wording }]).subject).toBe("Read this");
  });

  it("names the digest and its time in each of its mails, and which part a further one is", () => {
    const { events } = tweetBatch(
      Array.from({ length: 1_500 }, () => ({ full_text: "so ".repeat(90) })),
    );
    const period = { fromMs: Date.UTC(2026, 10, 26, 9), toMs: Date.UTC(2026, 10, 27, 9) };
    const parts = renderEmailDigest({ ...listOf(events), cause: "schedule", period, read });
    const [first, second] = [...parts].map(
      ({ body }) => (body as { readonly subject: string }).subject,
    );
    expect(first).toMatch(/^brand · 26 Nov 09:00 to 27 Nov 09:00 UTC · 1,500 posts/);
    expect(second).toMatch(
      /^brand · 26 Nov 09:00 to 27 Nov 09:00 UTC · [\d,]+ to [\d,]+ of 1,500$/,
    );
  });
});

describe("the HTML of a mail", () => {
  it("has only the facts where there is nothing else below the subject", () => {
    const { subject, text, html } = mailOf([post("tweet.deleted")]);
    expect(htmlText(html)).not.toContain(subject);
    expect(htmlText(html).trim()).toMatch(/^Open/);
    expect(text).toContain("is gone");
  });

  it("names who was answered, and the HTML links the answered post beside its own", () => {
    const reply = {
      ...tweet,
      ...{ is_reply: true, in_reply_to_username: "bob", in_reply_to_tweet_id: "5" },
    };
    const { subject, html } = mailOf([post("tweet.created", { body: { tweet: reply } })]);
    expect(subject).toContain("replied to @bob");
    expect(html).toContain('<a href="https://x.com/bob/status/5">Answered post</a>');
    expect(html).not.toContain("blockquote");
  });

  it("does not begin with the line that is the subject, and its plain text does", () => {
    const users = ["ann", "bob"].map((name, n) => makeUser(String(n), name));
    const events = users.map((user) => ({
      event: makeEvent(user.id, {
        ...{ type: "follower.added", watchType: "new_followers" },
        body: { user, target: makeUser("9", "acme") },
      }),
      watches: ["w"],
    }));
    const { subject, text, html } = mailOf(events);
    expect(subject).toBe("2 new followers of @acme");
    expect(text).toContain("2 new followers of @acme");
    expect(htmlText(html)).not.toContain("2 new followers of @acme");
  });
});
