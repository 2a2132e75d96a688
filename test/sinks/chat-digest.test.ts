/**
 * Tests lists of alerts in the chats: complete, in order, and within every limit of their vendors.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Digest, DigestPart, OutboxEvent } from "../../src/model/sink.ts";
import { renderEmailAnnouncement } from "../../src/sinks/email/email-render.ts";
import { renderAppriseAnnouncement } from "../../src/sinks/apprise.ts";
import {
  renderDiscordAnnouncement,
  renderDiscordDigest,
} from "../../src/sinks/discord/discord-digest.ts";
import { renderSlackAnnouncement } from "../../src/sinks/slack/slack-digest.ts";
import { renderTelegramAnnouncement } from "../../src/sinks/telegram/telegram-render.ts";
import { renderTeamsAnnouncement } from "../../src/sinks/teams/teams-render.ts";
import { renderChatWebhookAnnouncement } from "../../src/sinks/chat-webhook.ts";
import { hostileText } from "../render/hostile-text.ts";
import { makeUser } from "../support/make-event.ts";
import { manyRuns } from "../support/many-runs.ts";
import { teamsText } from "../support/teams-stand-in.ts";
import { listOf, tweetBatch, tweetId } from "./chat-batch.ts";
import { DIGEST_LAYOUTS } from "./digest-layouts.ts";

const PERIOD = { fromMs: Date.UTC(2026, 10, 26, 9), toMs: Date.UTC(2026, 10, 27, 9) };

/**
 * The most rows that one message may hold. Laying this many out takes up to 20 ms, and nothing else
 * runs meanwhile.
 */
const MAX_ROWS = 450;

type Tweets = Parameters<typeof tweetBatch>[0];

function digestOf(tweets: Tweets, changes: Partial<Digest> = {}): Digest {
  const { events, read } = tweetBatch(tweets);
  return { ...listOf(events), cause: "throttle", period: PERIOD, read, ...changes };
}

const posts = (count: number): Tweets =>
  Array.from({ length: count }, (_, i) => ({ full_text: `post ${i} ${"word ".repeat(30)}` }));

describe.each(DIGEST_LAYOUTS)("a digest in $name", (layout) => {
  const { render, renderEach, refusal, ways, live, own } = layout;
  const waysOf = (part: DigestPart | undefined) => ways((part as DigestPart).body as never);

  it.each([2, 10, 11, 68, 595, 1_000])(
    "of %i lists every one with its link, once, whichever way it is shown",
    (count) => {
      const parts = render(digestOf(posts(count)));
      expect(parts.flatMap(({ events }) => events.map(({ event }) => event.subject))).toEqual(
        posts(count).map((_, i) => tweetId(i)),
      );
      for (const part of parts) {
        expect(refusal(part.body as never)).toBeUndefined();
        for (const way of waysOf(part))
          for (const { event } of part.events) expect(way).toContain(`/status/${event.subject}`);
      }
    },
  );

  it("reads the alerts of a message when that message is asked for, and each of them once", () => {
    const { read, ...digest } = digestOf(posts(1_000));
    const reads: string[] = [];
    const counted = (event: OutboxEvent) => {
      reads.push(event.event.id);
      return read(event);
    };
    let listed = 0;
    for (const { events } of renderEach({ ...digest, read: counted })) {
      listed += events.length;
      // At most one row was read too much: the one that did not fit.
      expect(reads.length).toBeLessThanOrEqual(listed + 1);
      expect(events.length).toBeLessThanOrEqual(MAX_ROWS);
    }
    expect(new Set(reads).size).toBe(1_000);
    expect(reads).toHaveLength(1_000);
  });

  it("begins with its title, its period, and the number of alerts of each kind", () => {
    const [first] = render(
      digestOf(posts(595), {
        counts: new Map([
          ["tweet.created", 45],
          ["follower.added", 15],
          ["tweet.threshold", 1],
        ]),
      }),
    );
    for (const way of waysOf(first))
      expect(way).toMatch(
        /brand · 26 Nov 09:00 to 27 Nov 09:00 UTC · 45 posts, 15 new followers, 1 milestone; sent together because there were many at once/,
      );
  });

  it("says in each further message which part it is", () => {
    const [first, second, third] = render(digestOf(posts(595)));
    const [before, count] = [first?.events.length ?? 0, second?.events.length ?? 0];
    for (const way of waysOf(second))
      expect(way).toContain(`${before + 1} to ${before + count} of 595`);
    for (const way of third === undefined ? [] : waysOf(third))
      expect(way).toContain(`${before + count + 1} to `);
  });

  it("stands under the headings of its sections, again where a section goes on, with the numbers that it is sorted by", () => {
    const { events } = tweetBatch(posts(200));
    const sections = [
      { title: "brand", isKind: false, count: 150, items: events.slice(0, 150) },
      { title: "rivals", isKind: false, count: 60, items: events.slice(150) },
    ];
    const parts = render(
      digestOf(posts(200), {
        sections,
        valueText: ({ event }) => (event.subject === tweetId(0) ? "♥ 1.2K" : undefined),
      }),
    );
    const bare = (way: string) => way.replaceAll("\\", "");
    for (const way of waysOf(parts[0])) expect(bare(way)).toContain("brand (150)");
    expect(waysOf(parts[0]).join()).toContain("♥ 1.2K");
    const all = parts.flatMap((part) => waysOf(part).map(bare)).join();
    expect(all.includes("brand (150) (continued)")).toBe((parts[0]?.events.length ?? 0) < 150);
    expect(all).toContain("rivals (60, 50 shown)");
    expect(parts.flatMap((part) => part.events).length).toBe(200);
  });

  it("says of what it only counts where it is: a command that can be copied, or a page", () => {
    const where =
      "chirpwatch events --state summarised --since 2026-07-27T00:02:00Z --until 2026-07-27T00:04:01Z --limit 400";
    const page = "https://cw.example.com/events?state=summarised&since=2026-07-27T00%3A02%3A00Z";
    const said = (to: string) =>
      waysOf(render(digestOf(posts(20), { unlisted: { count: 400, where: to } }))[0]);
    for (const way of said(where)) {
      expect(way).toContain("Another 400 are not listed here:");
      expect(way).toContain(where);
    }
    const one = waysOf(render(digestOf(posts(20), { unlisted: { count: 1, where } }))[0]);
    for (const way of one) expect(way).toContain("Another one is not listed here:");
    for (const way of said(page)) expect(way.replaceAll("&amp;", "&")).toContain(page);
  });

  it("names why it comes", () => {
    for (const way of waysOf(render(digestOf(posts(3), { cause: "return" }))[0]))
      expect(way).toContain("3 posts; they came while the watch was away");
    for (const way of waysOf(render(digestOf(posts(3), { cause: "backfill" }))[0]))
      expect(way).toContain("3 posts; found by a backfill");
  });

  it("of a group is as short as it can be", () => {
    const { events, read } = tweetBatch(posts(12));
    const [only, ...others] = render({ ...listOf(events), read });
    expect(others).toEqual([]);
    expect(waysOf(only)[0]).toMatch(/brand · 12 posts(\*\*)?\n/);
  });

  it("of nothing says so", () => {
    const [only, ...others] = render(
      digestOf([], { cause: "schedule", counts: new Map(), sections: [] }),
    );
    expect(others).toEqual([]);
    expect(refusal(only?.body as never)).toBeUndefined();
    for (const way of waysOf(only))
      expect(way).toContain("26 Nov 09:00 to 27 Nov 09:00 UTC · nothing new");
  });

  it("fault 53, fault 54: of any text stays within every limit, is valid UTF-8 and mentions nobody", () => {
    const user = fc
      .record({ display_name: hostileText, username: hostileText, profile_image_url: hostileText })
      .map((changes) => ({ ...makeUser("7"), ...changes }));
    const wide = fc
      .constantFrom("&", '"', "\\", "*", "(", "👩‍👩‍👧")
      .map((unit) => unit.repeat(400));
    const tweet = fc.record({
      full_text: fc.oneof(hostileText, wide),
      user,
      is_reply: fc.boolean(),
      in_reply_to_username: hostileText,
    });
    const unlisted = fc.option(
      fc.record({
        count: fc.nat(),
        where: fc.constantFrom("chirpwatch events", "https://cw.example.com/events?a=1&b=2"),
      }),
    );
    fc.assert(
      fc.property(
        fc.array(tweet, { maxLength: 120 }),
        unlisted,
        fc.boolean(),
        (tweets, rest, isSplit) => {
          const { events } = tweetBatch(tweets as Tweets);
          const title = tweets[0]?.full_text ?? "";
          const sections = [events.slice(0, 30), events.slice(30)].map((items) => ({
            title,
            isKind: false,
            count: 200,
            items,
          }));
          const split = isSplit ? { sections, title, valueText: () => "♥ 12K" } : {};
          const parts = render(
            digestOf(tweets as Tweets, { ...split, unlisted: rest ?? undefined }),
          );
          expect(parts.flatMap((part) => part.events.map(({ event }) => event.subject))).toEqual(
            tweets.map((_, i) => tweetId(i)),
          );
          for (const part of parts) {
            expect(refusal(part.body as never)).toBeUndefined();
            expect(JSON.stringify(part.body)).not.toMatch(/\\ud[89a-f]/i);
            for (const way of waysOf(part))
              expect(way.replaceAll(own, "").replaceAll("\\\\", "\\")).not.toMatch(live);
          }
        },
      ),
      { numRuns: manyRuns(15, 500) },
    );
  });
});

it("publishes no digest in Discord of which every alert follows an earlier one, and starts no thread for it", () => {
  const digest = { ...listOf(tweetBatch([{}]).events), read: tweetBatch([]).read };
  const isLocal = (isFollowUp: boolean) =>
    [...renderDiscordDigest({ ...digest, isFollowUp })].map(({ body }) => (body as any).isLocal);
  expect([isLocal(true), isLocal(false)]).toEqual([[true], [undefined]]);
});

describe("what a channel shows when alerts are gathered", () => {
  const atMs = Date.UTC(2026, 6, 27, 0, 16);

  it("is when the next summary comes, in the reader's own time", () => {
    const slack = renderSlackAnnouncement(atMs);
    expect(slack.text).toBe("Many at once: next summary at 00:16 UTC");
    expect(JSON.stringify(slack.blocks)).toContain(
      "next summary at <!date^1785111360^{time}|00:16 UTC>",
    );
    expect(renderTelegramAnnouncement(atMs).text).toBe("Many at once: next summary at 00:16 UTC");
    expect(teamsText(renderTeamsAnnouncement(atMs))).toBe(
      "Many at once: next summary at 00:16 UTC",
    );
    expect(renderAppriseAnnouncement(atMs)).toMatchObject({
      title: "Many at once: next summary at 00:16 UTC",
    });
    expect(renderChatWebhookAnnouncement(atMs)).toEqual({
      text: "Many at once: next summary at 00:16 UTC",
    });
    expect(renderEmailAnnouncement(atMs).subject).toBe("Many at once: next summary at 00:16 UTC");
    expect(renderDiscordAnnouncement(atMs, undefined).content).toBe(
      "**Many at once**: next summary at <t:1785111360:t>",
    );
  });
});
