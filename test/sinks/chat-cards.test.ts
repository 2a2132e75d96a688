/**
 * Tests alerts as cards in the chats that consist of lines: complete if there is room, and within
 * every limit of their vendors, whatever strangers write.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Batch } from "../../src/model/sink.ts";
import { hostileText } from "../render/hostile-text.ts";
import { makeUser } from "../support/make-event.ts";
import { manyRuns } from "../support/many-runs.ts";
import { tweetBatch, tweetId } from "./chat-batch.ts";
import { expectSafe, longestText, TEXT_LAYOUTS } from "./chat-layouts.ts";

const alice = { ...makeUser("7", "alice"), display_name: "Alice" };

describe.each(TEXT_LAYOUTS)("cards in $name", (layout) => {
  const { most, render, seen } = layout;
  const textOf = (batch: Batch): string => seen(render(batch) as never);

  it("show author, text, quote, counts, time, watch and permalink", () => {
    const text = textOf(
      tweetBatch([
        {
          full_text: "We love acme",
          user: alice,
          likes_count: 12_345,
          is_reply: true,
          in_reply_to_username: "bob",
        },
      ]),
    );
    for (const part of [
      "Alice",
      "https://x.com/alice",
      "We love acme",
      "Likes 12.3K",
      "2026-01-15 12:00 UTC",
      "brand",
      `/status/${tweetId(0)}`,
    ])
      expect(text).toContain(part);
  });

  it("mark a sample, and count where there are several", () => {
    expect(textOf(tweetBatch([{}], { sample: true }))).toContain("Sample, nothing happened");
    expect(textOf(tweetBatch([{}, {}]))).toContain("2 posts");
  });

  it("keep every link of the longest", () => {
    const text = textOf(
      tweetBatch(Array.from({ length: most }, () => ({ full_text: "@a &<👩‍👩‍👧".repeat(3_000) }))),
    );
    for (let index = 0; index < most; index += 1)
      expect(text).toContain(`/status/${tweetId(index)}`);
  });

  it("fault 53, fault 54: of any text stay within every limit, are valid UTF-8 and mention nobody", () => {
    const long = fc
      .array(hostileText, { minLength: 40, maxLength: 60 })
      .map((parts) => parts.join(" "));
    const tweet = fc.record({
      full_text: fc.oneof(hostileText, long, longestText),
      user: fc
        .record({
          display_name: hostileText,
          username: hostileText,
          profile_image_url: hostileText,
        })
        .map((changes) => ({ ...alice, ...changes })),
      in_reply_to_username: hostileText,
      is_reply: fc.boolean(),
      in_reply_to_tweet_id: hostileText,
      entities: fc.array(
        fc.record({
          type: fc.constant("photo"),
          preview: hostileText.map((text) => `https://e.com/${text}`),
          link: hostileText,
        }),
        { maxLength: 2 },
      ),
    });
    fc.assert(
      fc.property(fc.array(tweet, { minLength: 1, maxLength: most }), (tweets) =>
        expectSafe(layout, render(tweetBatch(tweets))),
      ),
      { numRuns: manyRuns(20, 500) },
    );
  });
});
