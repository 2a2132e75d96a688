import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SLACK_TEXT_CHARS, type SlackBlock } from "../../src/sinks/slack/slack-blocks.ts";
import { MAX_CARDS, renderSlack } from "../../src/sinks/slack/slack-render.ts";
import { makeTweet, makeUser } from "../support/make-event.ts";
import { manyRuns } from "../support/many-runs.ts";
import { hostileText, LIVE_SLACK } from "../render/hostile-text.ts";
import { tweetBatch, tweetId } from "./chat-batch.ts";

const alice = {
  ...makeUser("7", "alice"),
  display_name: "Alice",
  profile_image_url: "https://pics.example/alice.jpg",
};

/** Expects a message to stay within every limit that Slack names. */
function expectWithinLimits({ text, blocks }: { text: string; blocks: readonly SlackBlock[] }) {
  expect(text.length).toBeGreaterThan(0);
  expect(text.length).toBeLessThanOrEqual(SLACK_TEXT_CHARS);
  expect(blocks.length).toBeGreaterThan(0);
  expect(blocks.length).toBeLessThanOrEqual(50);
  expect(JSON.stringify(blocks).length).toBeLessThanOrEqual(13_000);
  for (const string of strings(blocks)) {
    expect(string.length).toBeGreaterThan(0);
    expect(string.length).toBeLessThanOrEqual(3_000);
  }
}

const strings = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(strings)
      : [];

const withoutDates = (text: string) => text.replaceAll(/<!date\^\d+\^[^|]+\|[^>]+>/g, "");

describe("one tweet in Slack", () => {
  const body = renderSlack(
    tweetBatch([
      {
        full_text: "We love https://acme.example/a_b and *stars* <3",
        user: alice,
        likes_count: 12_345,
        entities: [
          { type: "photo", link: "https://pics.example/l", preview: "https://pics.example/p.jpg" },
        ],
        quoted_status: { ...makeTweet("5", "first"), user: makeUser("8", "bob") },
        is_quote_status: true,
      },
    ]),
  );

  it("shows author with avatar and link, text, quote, picture, counts, time, watch and permalink", () => {
    expect(body.blocks.map(({ type }) => type)).toEqual([
      "context",
      "rich_text",
      "image",
      "context",
    ]);
    const [title, text, picture, footer] = body.blocks as unknown as readonly {
      readonly elements: readonly Record<string, unknown>[];
      readonly [key: string]: unknown;
    }[];
    expect(title?.elements).toEqual([
      { type: "image", image_url: "https://pics.example/alice.jpg", alt_text: "Alice" },
      {
        type: "mrkdwn",
        text: "*<https://x.com/alice|Alice (@alice)>* quoted BOB (@bob)",
        verbatim: true,
      },
    ]);
    expect(text?.elements).toEqual([
      {
        type: "rich_text_section",
        elements: [
          { type: "text", text: "We love " },
          { type: "link", url: "https://acme.example/a_b" },
          { type: "text", text: " and *stars* <3" },
        ],
      },
      {
        type: "rich_text_quote",
        elements: [
          { type: "link", url: "https://x.com/bob/status/5", text: "BOB (@bob)" },
          { type: "text", text: "\nfirst" },
        ],
      },
    ]);
    expect(picture).toMatchObject({
      image_url: "https://pics.example/p.jpg",
      alt_text: "picture posted by Alice",
    });
    expect(footer?.elements[0]?.["text"]).toBe(
      `<https://x.com/alice/status/${tweetId(0)}|Open>  ·  <!date^1768478400^{date_short_pretty} {time}|2026-01-15 12:00 UTC>  ·  Likes 12.3K · Followers 10  ·  brand`,
    );
  });

  it("says the same as escaped text, permalink last", () => {
    expect(body.text).toContain("*stars* &lt;3");
    expect(body.text.endsWith(`\nhttps://x.com/alice/status/${tweetId(0)}`)).toBe(true);
  });
});

describe("pictures in Slack", () => {
  const photos = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      type: "photo",
      link: "",
      preview: `https://pics.example/${i}.jpg`,
    }));
  const shown = (...counts: readonly number[]) => {
    const body = renderSlack(
      tweetBatch(
        counts.map((count) => ({
          user: alice,
          full_text: "x".repeat(200),
          entities: photos(count),
        })),
      ),
    );
    expectWithinLimits(body);
    return body.blocks.filter(({ type }) => type === "image");
  };

  it("are all there, each with words for those who do not see it", () => {
    expect(shown(1).map(({ alt_text: alt }) => alt)).toEqual(["picture posted by Alice"]);
    expect(shown(4).map(({ image_url: url, alt_text: alt }) => [url, alt])).toEqual(
      [0, 1, 2, 3].map((i) => [
        `https://pics.example/${i}.jpg`,
        `picture ${i + 1} of 4 posted by Alice`,
      ]),
    );
    expect(shown(4, 3, 4, 2, 4)).toHaveLength(17);
  });

  it("are also all there when they are more than the platform takes, and counted where Slack has no room", () => {
    expect(shown(47)).toHaveLength(47);
    expect(
      JSON.stringify(renderSlack(tweetBatch([{ entities: photos(47) }])).blocks.at(-1)),
    ).not.toContain("more media");
    expect(shown(48)).toHaveLength(4);
    expect(
      JSON.stringify(renderSlack(tweetBatch([{ entities: photos(48) }])).blocks.at(-1)),
    ).toContain("+44 more media");
  });

  it("give way to the alerts when there is not room for all", () => {
    const long = Array.from({ length: 4 }, () => ({
      type: "photo",
      link: "",
      preview: `https://pics.example/${"x".repeat(900)}`,
    }));
    const body = renderSlack(
      tweetBatch(Array.from({ length: MAX_CARDS }, () => ({ entities: long }))),
    );
    expectWithinLimits(body);
    expect(body.blocks.filter(({ type }) => type === "image")).toHaveLength(MAX_CARDS);
    expect(JSON.stringify(body.blocks)).toContain("+3 more media");
  });
});

describe("many tweets in Slack", () => {
  it("gives a few a card each", () => {
    expect(
      renderSlack(tweetBatch([{}, {}, {}])).blocks.filter(({ type }) => type === "divider"),
    ).toHaveLength(2);
  });

  it("keeps a card each of the longest, with its link", () => {
    const body = renderSlack(
      tweetBatch(Array.from({ length: MAX_CARDS }, () => ({ full_text: '"<&>'.repeat(1_000) }))),
    );
    expectWithinLimits(body);
    for (let index = 0; index < MAX_CARDS; index += 1)
      expect(JSON.stringify(body.blocks)).toContain(`/status/${tweetId(index)}`);
  });

  it("marks a sample", () => {
    const { text, blocks } = renderSlack(tweetBatch([{}], { sample: true }));
    expect(text).toMatch(/^Sample/);
    expect(JSON.stringify(blocks[0])).toContain("Sample");
  });
});

describe("any text in Slack", () => {
  const tweets = fc.array(
    fc.record({
      full_text: fc.oneof(
        hostileText,
        fc.array(hostileText, { minLength: 40, maxLength: 60 }).map((parts) => parts.join(" ")),
      ),
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
        { maxLength: 5 },
      ),
    }),
    { minLength: 1, maxLength: MAX_CARDS },
  );

  it("fault 53, fault 54: stays within every limit, is valid UTF-8 and mentions nobody", () => {
    fc.assert(
      fc.property(tweets, (changes) => {
        const body = renderSlack(tweetBatch(changes));
        expectWithinLimits(body);
        const json = JSON.stringify(body);
        expect(json).not.toMatch(/\\ud[89a-f]/i);
        expect(withoutDates(json)).not.toMatch(LIVE_SLACK);
      }),
      { numRuns: manyRuns(50, 1_000) },
    );
  });
});
