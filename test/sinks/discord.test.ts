import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Log } from "../../src/model/log.ts";
import type { Batch, OutboxEvent, SinkError } from "../../src/model/sink.ts";
import { createHttpAgent, type HttpAgent } from "../../src/runtime/http-agent.ts";
import { createOutputs } from "../../src/runtime/outputs.ts";
import { discordColor } from "../../src/sinks/discord/discord-colors.ts";
import { renderDiscord, type DiscordBody } from "../../src/sinks/discord/discord-render.ts";
import { discordSink } from "../../src/sinks/discord/discord.ts";
import type { DiscordSettings } from "../../src/sinks/discord/discord-settings.ts";
import type { Matches, SinkDeps } from "../../src/sinks/kind/sink-type.ts";
import { hostileText, LIVE_DISCORD } from "../render/hostile-text.ts";
import { json, startLoopbackServer, type LoopbackServer } from "../support/loopback-server.ts";
import { EVENT_TIME_MS, makeUser } from "../support/make-event.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { manyRuns } from "../support/many-runs.ts";
import { listOf, tweetBatch, tweetId } from "./chat-batch.ts";

const warnings: string[] = [];
const silent: Log = {
  debug: () => {},
  info: () => {},
  warn: (text) => void warnings.push(text),
  error: () => {},
  child: () => silent,
};

let discord: LoopbackServer;
let http: HttpAgent;
let deps: SinkDeps;

beforeEach(async () => {
  warnings.length = 0;
  discord = await startLoopbackServer(json({ id: "900" }));
  http = createHttpAgent();
  deps = {
    http,
    clock: createVirtualClock(EVENT_TIME_MS),
    log: silent,
    write: () => {},
    outputs: createOutputs(),
    linksHost: "https://x.com",
  };
});

afterEach(async () => {
  await http.close();
  await discord.close();
});

const base = { crosspost: false, style: "embed" } as const;
const webhook = (changes: Partial<DiscordSettings> = {}): DiscordSettings => ({
  ...base,
  webhook_url: `${discord.url}/api/webhooks/1/secret`,
  ...changes,
});
const bot = (changes: Partial<DiscordSettings> = {}): DiscordSettings => ({
  ...base,
  token: "t0k",
  channel_id: "55",
  api_url: `${discord.url}/api`,
  ...changes,
});

async function send(
  settings: DiscordSettings,
  batch: Batch = tweetBatch([{ full_text: "hello @everyone" }]),
) {
  const sink = await discordSink.create("feed", settings, deps);
  const body = JSON.parse(JSON.stringify(sink.render(batch)));
  return sink.send(
    { id: "msg-1", sink: "feed", groupKey: "g", sealedAtMs: EVENT_TIME_MS, body },
    new AbortController().signal,
  );
}

const refusal = (settings: DiscordSettings): Promise<SinkError> =>
  send(settings).then(
    () => Promise.reject(new Error("was accepted")),
    (error: SinkError) => error,
  );

const posted = (index = 0) => JSON.parse(discord.received[index]?.body ?? "null");

describe("a Discord webhook", () => {
  it("posts an embed, waits for the message's id, and lets nothing ping", async () => {
    expect(await send(webhook({ username: "chirps" }))).toEqual({ ref: "900" });
    expect(discord.received[0]).toMatchObject({
      method: "POST",
      url: "/api/webhooks/1/secret?wait=true",
    });
    expect(posted()).toMatchObject({ username: "chirps", allowed_mentions: { parse: [] } });
    expect(posted().embeds[0]).toMatchObject({
      author: { name: "ALICE (@alice)", url: "https://x.com/alice" },
      url: `https://x.com/alice/status/${tweetId(0)}`,
      footer: { text: "brand" },
      timestamp: "2026-01-15T12:00:00.000Z",
    });
    // The name above says who posted, and the text says what. A title would only say "Posted".
    expect(posted().embeds[0].title).toBeUndefined();
    expect(posted().embeds[0].description).toBe(
      `hello @\u200beveryone\n\n[Open](<https://x.com/alice/status/${tweetId(0)}>) · Followers 10`,
    );
  });

  it("says how long to wait where this was the last message of its limit", async () => {
    const answer = (left: string, reset: string) =>
      discord.answer((_, response) => {
        response.writeHead(200, {
          "content-type": "application/json",
          "x-ratelimit-remaining": left,
          "x-ratelimit-reset-after": reset,
        });
        response.end('{"id":"900"}');
      });
    answer("0", "1.25");
    expect(await send(webhook({}))).toEqual({ ref: "900", holdMs: 1_250 });
    expect(await send(bot())).toEqual({ ref: "900", holdMs: 1_250 });
    answer("1", "1.25");
    expect(await send(webhook({}))).toEqual({ ref: "900" });
    answer("0", "never");
    expect(await send(webhook({}))).toEqual({ ref: "900" });
  });

  it("posts in a thread, or opens a forum post", async () => {
    await send(webhook({ thread: "77", username: "chirps" }));
    expect(discord.received[0]?.url).toContain("thread_id=77");
    expect(posted()).toMatchObject({ username: "chirps" });
    await send(webhook({ forum: { tags: ["5"] } }));
    expect(posted(1)).toMatchObject({ thread_name: "hello", applied_tags: ["5"] });
  });
});

describe("a Discord bot", () => {
  it("fault 47: posts with a nonce that Discord enforces", async () => {
    expect(await send(bot())).toEqual({ ref: "900" });
    expect(discord.received[0]).toMatchObject({
      method: "POST",
      url: "/api/v10/channels/55/messages",
      headers: { authorization: "Bot t0k" },
    });
    expect(posted()).toMatchObject({
      nonce: "msg-1",
      enforce_nonce: true,
      allowed_mentions: { parse: [] },
    });
  });

  it("says of what it posts whether it is to be published, and publishes it", async () => {
    expect(await send(bot({ crosspost: true }))).toEqual({ ref: "900", crosspost: true });
    expect(await send(bot({ crosspost: true, thread: "77" }))).toEqual({ ref: "900" });
    const sink = await discordSink.create("feed", bot({ crosspost: true }), deps);
    await sink.crosspost?.("900", new AbortController().signal);
    expect(discord.received.at(-1)?.url).toBe("/api/v10/channels/55/messages/900/crosspost");
    expect((await discordSink.create("feed", bot(), deps)).crosspost).toBeUndefined();
    const about = {
      id: "m",
      sink: "feed",
      groupKey: "g",
      sealedAtMs: EVENT_TIME_MS,
      body: sink.lists?.announce?.(EVENT_TIME_MS) ?? null,
    };
    expect(await sink.send(about, new AbortController().signal)).toEqual({ ref: "900" });
  });

  it("does not wait for the end of a limit that is past on the clock", async () => {
    const clock = createVirtualClock(EVENT_TIME_MS);
    // The SDK reads the time behind the port's back.
    const now = vi.spyOn(Date, "now").mockImplementation(() => clock.now());
    const limit = {
      "x-ratelimit-limit": "5",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset-after": "0.2",
    };
    discord.answer(json({ id: "900" }, 200, limit));
    const sink = await discordSink.create("feed", bot(), { ...deps, clock });
    const body = JSON.parse(JSON.stringify(sink.render(tweetBatch([{}]))));
    const sendNow = () =>
      sink.send(
        { id: "msg-1", sink: "feed", groupKey: "g", sealedAtMs: 0, body },
        new AbortController().signal,
      );
    try {
      await sendNow();
      await expect(sendNow()).rejects.toMatchObject({ kind: "rate_limited" });
      clock.jump(-3_600_000);
      expect(await sendNow()).toMatchObject({ ref: "900" });
    } finally {
      now.mockRestore();
    }
  });

  describe("below the first message of a digest", () => {
    const below = async (settings: DiscordSettings, refs: readonly string[] = ["900"]) => {
      const sink = await discordSink.create("feed", settings, deps);
      const body = JSON.parse(JSON.stringify(sink.render(tweetBatch([{}]))));
      const message = { id: "msg-2", sink: "feed", groupKey: "g", sealedAtMs: EVENT_TIME_MS, body };
      for (const threadRef of refs)
        await sink.send({ ...message, threadRef }, new AbortController().signal);
      return discord.received.map(({ url }) => url.replace("/api/v10/channels/", ""));
    };

    it("starts a thread once, and posts in it", async () => {
      const ofDigest = (ref: string) => [
        `55/messages/${ref}/threads`,
        `${ref}/messages`,
        `${ref}/messages`,
      ];
      expect(await below(bot(), ["900", "900", "901", "901"])).toEqual([
        ...ofDigest("900"),
        ...ofDigest("901"),
      ]);
    });

    it("starts the thread of a later digest when the first message of one is gone", async () => {
      discord.answer((request, response) =>
        (request.url.endsWith("/900/threads") ? json({ code: 10_008 }, 404) : json({ id: "902" }))(
          request,
          response,
        ),
      );
      expect(await below(bot(), ["900", "901"])).toEqual([
        "55/messages/900/threads",
        "55/messages",
        "55/messages/901/threads",
        "901/messages",
      ]);
    });

    it("goes on in a thread that was started before a crash", async () => {
      discord.answer((request, response) =>
        (request.url.endsWith("/threads") ? json({ code: 160_004 }, 400) : json({ id: "901" }))(
          request,
          response,
        ),
      );
      expect(await below(bot())).toEqual(["55/messages/900/threads", "900/messages"]);
    });

    it("posts in the channel where it may not start threads, and asks for none again", async () => {
      discord.answer((request, response) =>
        (request.url.endsWith("/threads") ? json({ code: 50_013 }, 403) : json({ id: "901" }))(
          request,
          response,
        ),
      );
      expect(await below(bot(), ["900", "901"])).toEqual([
        "55/messages/900/threads",
        "55/messages",
        "55/messages",
      ]);
    });

    it("posts in the channel when the thread is gone, and waits when Discord asks for it", async () => {
      discord.answer((request, response) =>
        (request.url.includes("/900/messages") ? json({ code: 10_003 }, 404) : json({ id: "901" }))(
          request,
          response,
        ),
      );
      expect((await below(bot())).at(-1)).toBe("55/messages");
      discord.answer(json({ retry_after: 2 }, 429));
      await expect(below(bot())).rejects.toMatchObject({ kind: "rate_limited" });
    });

    it("posts in the post of a forum, or in the thread of the settings", async () => {
      expect(await below(bot({ forum: { tags: [] } }))).toEqual(["900/messages"]);
      expect((await below(bot({ thread: "77" }))).slice(1)).toEqual(["77/messages"]);
      await below(webhook({ forum: { tags: [] } }));
      expect(discord.received.at(-1)?.url).toContain("thread_id=900");
      await below(webhook());
      expect(discord.received.at(-1)?.url).toBe("/api/webhooks/1/secret?wait=true");
    });
  });

  describe("that starts a thread of its own for every message", () => {
    const NEW = { thread: "new" } as const;

    it("posts in the channel and names the thread by the alert", async () => {
      expect(await send(bot(NEW))).toEqual({ ref: "900" });
      expect(discord.received.map(({ url }) => url.replace("/api/v10/channels/", ""))).toEqual([
        "55/messages",
        "55/messages/900/threads",
      ]);
      expect(posted(1)).toEqual({ name: "hello" });
      expect(await send(bot({ ...NEW, crosspost: true }))).toEqual({ ref: "900", crosspost: true });
    });

    it("keeps the message without the permission, says so once and asks no more", async () => {
      discord.answer((request, response) =>
        (request.url.endsWith("/threads") ? json({ code: 50_013 }, 403) : json({ id: "901" }))(
          request,
          response,
        ),
      );
      const sink = await discordSink.create("feed", bot(NEW), deps);
      const body = JSON.parse(JSON.stringify(sink.render(tweetBatch([{}]))));
      const message = { id: "msg-2", sink: "feed", groupKey: "g", sealedAtMs: EVENT_TIME_MS, body };
      for (let i = 0; i < 2; i += 1)
        expect(await sink.send(message, new AbortController().signal)).toEqual({ ref: "901" });
      expect(discord.received).toHaveLength(3);
      expect(warnings).toEqual([expect.stringContaining("Create Public Threads")]);
    });

    it("keeps the message where Discord fails, says so without blaming the permission, and tries with the next", async () => {
      discord.answer((request, response) =>
        (request.url.endsWith("/threads")
          ? json({}, discord.received.length > 2 ? 201 : 503)
          : json({ id: "901" }))(request, response),
      );
      const sink = await discordSink.create("feed", bot(NEW), deps);
      const body = JSON.parse(JSON.stringify(sink.render(tweetBatch([{}]))));
      const message = { id: "msg-2", sink: "feed", groupKey: "g", sealedAtMs: EVENT_TIME_MS, body };
      for (let i = 0; i < 2; i += 1)
        expect(await sink.send(message, new AbortController().signal)).toEqual({ ref: "901" });
      expect(discord.received).toHaveLength(4);
      expect(warnings).toEqual(["a message on Discord got no thread"]);
    });

    it("waits for whichever limit ends later, that of messages or that of threads", async () => {
      discord.answer((request, response) => {
        const reset = request.url.endsWith("/threads") ? "0.5" : "2";
        const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": reset };
        json({ id: "900" }, 200, headers)(request, response);
      });
      expect(await send(bot(NEW))).toEqual({ ref: "900", holdMs: 2_000 });
    });

    it("starts none below a note that alerts are gathered from now on", async () => {
      const sink = await discordSink.create("feed", bot(NEW), deps);
      const about = {
        id: "m",
        sink: "feed",
        groupKey: "g",
        sealedAtMs: EVENT_TIME_MS,
        body: sink.lists?.announce?.(EVENT_TIME_MS) ?? null,
      };
      await sink.send(about, new AbortController().signal);
      expect(discord.received).toHaveLength(1);
    });
  });

  it("opens a forum post", async () => {
    discord.answer(json({ id: "901", message: { id: "902" } }));
    expect(await send(bot({ forum: { tags: [] } }))).toEqual({ ref: "902", channel: "901" });
    expect(discord.received[0]?.url).toBe("/api/v10/channels/55/threads");
  });

  it("gives the post that says alerts are gathered the tags that every post has, as a forum may want one", async () => {
    discord.answer(json({ id: "901", message: { id: "902" } }));
    const forum = { tags: ["5", { tag: "6", when: "tweet.likes_count > 1" }] };
    const sink = await discordSink.create("feed", bot({ forum }), deps);
    const body = sink.lists?.announce?.(EVENT_TIME_MS) ?? null;
    const message = { id: "m", sink: "feed", groupKey: "g", sealedAtMs: EVENT_TIME_MS, body };
    await sink.send(message, new AbortController().signal);
    expect(JSON.parse(discord.received[0]?.body ?? "{}")).toMatchObject({ applied_tags: ["5"] });
  });

  it("keeps its token after a 401", async () => {
    const sink = await discordSink.create("feed", bot(), deps);
    const message = {
      id: "m",
      sink: "feed",
      groupKey: "g",
      sealedAtMs: 0,
      body: JSON.parse(JSON.stringify(sink.render(tweetBatch([{}])))),
    };
    discord.answer(json({ message: "401: Unauthorized", code: 0 }, 401));
    await expect(sink.send(message, new AbortController().signal)).rejects.toMatchObject({
      kind: "destination",
    });
    discord.answer(json({ id: "903" }));
    expect(await sink.send(message, new AbortController().signal)).toEqual({ ref: "903" });
  });
});

describe.each([
  ["webhook", webhook],
  ["bot", bot],
])("what a Discord %s is answered", (_kind, settings) => {
  it.each([401, 403, 404])(
    "fault 45: %i closes the destination after one request, with a cure",
    async (status) => {
      discord.answer(json({ message: "no", code: 10015 }, status));
      const error = await refusal(settings());
      expect(error).toMatchObject({ kind: "destination", status });
      expect(error.hint).not.toBe("");
      expect(`${error.message}${error.hint}`).not.toContain("secret");
      expect(discord.received).toHaveLength(1);
    },
  );

  it("fault 44: a 429 waits by the body's seconds and reports its scope", async () => {
    discord.answer(
      json({ message: "slow", retry_after: 1.337, global: false }, 429, {
        "retry-after": "2",
        "x-ratelimit-scope": "shared",
      }),
    );
    expect(await refusal(settings())).toMatchObject({
      kind: "rate_limited",
      retry: { afterMs: 1_337 },
      fields: { scope: "shared", global: false },
    });
    discord.answer(
      json({ message: "slow", retry_after: 64.57, global: true }, 429, {
        "retry-after": "65",
        "x-ratelimit-global": "true",
      }),
    );
    expect(await refusal(settings())).toMatchObject({
      retry: { afterMs: 64_570 },
      fields: { global: true },
    });
    discord.answer(
      json({ message: "slow", retry_after: 3, global: true }, 429, { "retry-after": "3" }),
    );
    expect(await refusal(settings())).toMatchObject({
      retry: { afterMs: 3_000 },
      fields: { global: true },
    });
    for (const [asked, retry] of [
      [0, { afterMs: 0 }],
      [-7, { afterMs: -7_000 }],
      ["soon", "later"],
      [9_999_999, { afterMs: 9_999_999_000 }],
    ] as const) {
      discord.answer(json({ message: "slow", retry_after: asked }, 429));
      expect(await refusal(settings())).toMatchObject({ kind: "rate_limited", retry });
    }
    expect(discord.received).toHaveLength(7);
  });

  it("a limit that is said to end in months holds nothing for longer than a minute", async () => {
    discord.answer(
      json({ id: "1" }, 200, {
        "x-ratelimit-remaining": "0",
        "x-ratelimit-limit": "5",
        "x-ratelimit-reset-after": "9999999",
      }),
    );
    const sink = await discordSink.create("feed", settings(), deps);
    const body = JSON.parse(JSON.stringify(sink.render(tweetBatch([{}]))));
    const post = () =>
      sink.send(
        { id: "m", sink: "feed", groupKey: "g", sealedAtMs: EVENT_TIME_MS, body },
        new AbortController().signal,
      );
    expect(await post()).toMatchObject({ holdMs: 60_000 });
    // The SDK may refuse a second post by itself.
    const again: unknown = await post().catch((error: SinkError) => error.retry);
    expect(
      "afterMs" in Object(again) ? Number((again as { afterMs: number }).afterMs) : 0,
    ).toBeLessThan(61_000);
  });

  it("fault 53: a 400 falls back to plain text once, then is a dead letter", async () => {
    discord.answer((request, response) =>
      json({ id: "1", code: 50035 }, "embeds" in JSON.parse(request.body) ? 400 : 200)(
        request,
        response,
      ),
    );
    expect(await send(settings())).toEqual({ ref: "1" });
    expect(posted(1).content).toContain(`https://x.com/alice/status/${tweetId(0)}`);
    discord.answer(json({ code: 50035 }, 400));
    expect(await refusal(settings())).toMatchObject({ kind: "message" });
    expect(discord.received).toHaveLength(4);
  });

  it("fault 48: a 5xx, a page, and no answer are transient, one request each", async () => {
    discord.answer((_, response) =>
      response.writeHead(502, { "content-type": "text/html" }).end("<html>"),
    );
    expect(await refusal(settings())).toMatchObject({ kind: "transient" });
    expect(discord.received).toHaveLength(1);
    await discord.close();
    expect(await refusal(settings())).toMatchObject({ kind: "transient" });
  });
});

describe("a role's mention", () => {
  const call = (more: Partial<Batch> = { mentions: ["<@&42>"] }) =>
    send(webhook({ mention: { role: "42" } }), tweetBatch([{}], more));

  it("stands in the content, and is the only one allowed, where the message has it", async () => {
    await call();
    expect(posted()).toMatchObject({
      content: "<@&42>",
      allowed_mentions: { parse: [], roles: ["42"] },
    });
    await call({});
    expect(posted(1)).not.toHaveProperty("content");
    expect(posted(1).allowed_mentions).toEqual({ parse: [] });
  });

  it("waits for its condition, which is false until it is compiled", async () => {
    const mentionsWith = async (mention: DiscordSettings["mention"]) =>
      (await discordSink.create("feed", webhook({ mention }), deps)).mentions?.map(
        ({ text, minIntervalMs, matches }) => [text, minIntervalMs, matches({})],
      );
    expect(await mentionsWith(undefined)).toBeUndefined();
    expect(await mentionsWith({ role: "42" })).toEqual([["<@&42>", 0, true]]);
    expect(await mentionsWith({ role: "42", when: "x" })).toEqual([["<@&42>", 0, false]]);
    expect(
      await mentionsWith({ role: "42", when: "x", min_interval: "10m", matches: () => true }),
    ).toEqual([["<@&42>", 600_000, true]]);
    expect(await mentionsWith({ role: "42", when: "x", matches: () => false })).toEqual([
      ["<@&42>", 0, false],
    ]);
  });

  it("stands in the first message of a digest alone", async () => {
    const sink = await discordSink.create("feed", webhook({ mention: { role: "42" } }), deps);
    const { read, events } = tweetBatch(Array.from({ length: 60 }, () => ({})));
    const parts = [
      ...(sink.lists?.render({ ...listOf(events), mentions: ["<@&42>"], read }) ?? []),
    ];
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.map(({ body }) => JSON.stringify(body).includes("<@&42>"))).toEqual(
      parts.map((_, index) => index === 0),
    );
  });

  it("reaches the role also where Discord refuses the embeds", async () => {
    discord.answer((request, response) =>
      json({ id: "1" }, "embeds" in JSON.parse(request.body) ? 400 : 200)(request, response),
    );
    await call();
    expect(posted(1)).toMatchObject({
      content: expect.stringContaining("<@&42>"),
      allowed_mentions: { parse: [], roles: ["42"] },
    });
  });
});

function expectWithinLimits({ content, embeds, plain, threadName }: DiscordBody) {
  expect(content.length).toBeLessThanOrEqual(2_000);
  expect(plain.length).toBeLessThanOrEqual(2_000);
  expect(plain.length).toBeGreaterThan(0);
  expect(threadName.length).toBeLessThanOrEqual(100);
  expect(embeds.length).toBeLessThanOrEqual(10);
  let total = 0;
  for (const { title = "", description = "", author, footer } of embeds) {
    expect(title.length).toBeLessThanOrEqual(256);
    expect(description.length).toBeLessThanOrEqual(4_096);
    expect(author?.name.length ?? 0).toBeLessThanOrEqual(256);
    total +=
      title.length + description.length + (author?.name.length ?? 0) + (footer?.text.length ?? 0);
  }
  expect(total).toBeLessThanOrEqual(6_000);
}

describe("pictures in Discord", () => {
  const photos = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      type: "photo",
      link: "",
      preview: `https://pics.example/${i}.jpg`,
    }));
  const galleries = (...counts: readonly number[]) => {
    const body = renderDiscord(tweetBatch(counts.map((count) => ({ entities: photos(count) }))), {
      style: "embed",
    });
    expectWithinLimits(body);
    const urls = [...new Set(body.embeds.map(({ url }) => url))];
    return urls.map(
      (url) => body.embeds.filter((embed) => embed.url === url && embed.image !== undefined).length,
    );
  };

  it("are a gallery: up to four embeds of one address, of which the first is the alert", () => {
    expect(galleries(4)).toEqual([4]);
    expect(galleries(6)).toEqual([4]);
    expect(galleries(2, 0, 3)).toEqual([2, 0, 3]);
    const { embeds } = renderDiscord(tweetBatch([{ entities: photos(6) }]), { style: "embed" });
    expect(embeds.slice(1).map((embed) => Object.keys(embed))).toEqual(
      [1, 2, 3].map(() => ["url", "image"]),
    );
    expect(embeds[0]?.footer?.text).toContain("+2 more media");
  });

  it("leave room for every alert", () => {
    expect(galleries(4, 4, 4, 4)).toEqual([4, 4, 1, 1]);
    expect(galleries(...Array.from({ length: 10 }, () => 4))).toEqual(
      Array.from({ length: 10 }, () => 1),
    );
  });
});

it("an embed in Discord has the colour of what happened, or of the severity that its watch gives it", () => {
  const types = ["tweet.created", "follower.added", "follower.removed", "tweet.deleted", "made.up"];
  const colors = types.map((type) => discordColor(type, "info"));
  expect(new Set(colors).size).toBe(3);
  expect(colors[2]).toBe(colors[3]);
  expect(types.map((type) => discordColor(type, "critical"))).toEqual(types.map(() => 0xef4444));
  expect(renderDiscord(tweetBatch([{}]), { style: "embed" }).embeds[0]?.color).toBe(
    discordColor("tweet.created", "info"),
  );
});

describe("the name of a forum post in Discord", () => {
  const nameOf = (full_text: string, changes: Partial<Batch> = {}) =>
    renderDiscord(tweetBatch([{ full_text }], changes), { style: "embed" }).threadName;

  it("is the first words of the post, without markup, mentions and links", () => {
    expect(
      nameOf("@acme **Great** news: `v2` of snake_case is _out_ https://t.co/abc\n\nmore"),
    ).toBe("Great news: v2 of snake_case is out more");
    expect(nameOf("# A heading\n> and a quote by @bob!")).toBe("A heading and a quote by !");
  });

  it("has at most 90 characters and keeps emoji whole", () => {
    const name = nameOf(`${"a".repeat(86)}👩‍👩‍👧 and more`);
    expect(name).toBe(`${"a".repeat(86)}…`);
    expect(nameOf(`${"a".repeat(80)}👩‍👩‍👧`)).toBe(`${"a".repeat(80)}👩‍👩‍👧`);
  });

  it("is the kind and the author where there is no text, and the title of a template where one is written", () => {
    expect(nameOf("https://t.co/abc")).toBe("Post by ALICE");
    const { events, ...batch } = tweetBatch([{ full_text: "words" }]);
    const worded = {
      ...batch,
      events: events.map((event) => ({ ...event, wording: { title: ["Ours"] } })),
    };
    const read = (event: OutboxEvent) => ({ ...batch.read(event), title: "Ours" });
    expect(renderDiscord({ ...worded, read }, { style: "embed" }).threadName).toBe("Ours");
  });
});

describe("settings of Discord with conditions", () => {
  const isBig: Matches = (body) => (body.tweet?.user.followers_count ?? 0) > 100;
  const isHigh: Matches = (_body, labels) => labels?.["severity"] === "high";
  const style = {
    style: "embed" as const,
    forum: {
      tags: [
        "1",
        { tag: "big", when: "x", matches: isBig },
        { tag: "high", when: "y", matches: isHigh },
      ],
    },
    color: [
      { color: "#d00", when: "y", matches: isHigh },
      { color: "#00ff7f", when: "x", matches: isBig },
    ],
  };
  const bodyOf = (followers: number, severity: string) => {
    const { events, ...batch } = tweetBatch([
      { user: { ...makeUser("7"), followers_count: followers } },
    ]);
    const labelled = events.map((one) => ({
      ...one,
      event: { ...one.event, labels: { severity } },
    }));
    return renderDiscord({ ...batch, events: labelled }, style);
  };

  it("tag posts and colour embeds by the first that an event fulfils", () => {
    expect(bodyOf(500, "high")).toMatchObject({
      tags: ["1", "big", "high"],
      embeds: [{ color: 0xdd0000 }],
    });
    expect(bodyOf(500, "info")).toMatchObject({
      tags: ["1", "big"],
      embeds: [{ color: 0x00ff7f }],
    });
    expect(bodyOf(5, "info")).toMatchObject({
      tags: ["1"],
      embeds: [{ color: discordColor("tweet.created", "info") }],
    });
  });

  it("call roles and users, each by its own condition", async () => {
    const mention = [
      { role: "42", when: "x", matches: isBig },
      { user: "7", min_interval: "10m" },
    ];
    const sink = await discordSink.create("feed", webhook({ mention }), deps);
    expect(sink.mentions?.map(({ text, minIntervalMs }) => [text, minIntervalMs])).toEqual([
      ["<@&42>", 0],
      ["<@7>", 600_000],
    ]);
    const body = sink.render({ ...tweetBatch([{}]), mentions: ["<@&42>", "<@7>"] });
    await sink.send(
      { id: "m", sink: "feed", groupKey: "g", sealedAtMs: EVENT_TIME_MS, body },
      new AbortController().signal,
    );
    expect(posted()).toMatchObject({
      content: "<@&42> <@7>",
      allowed_mentions: { parse: [], roles: ["42"], users: ["7"] },
    });
  });

  it("name a forum's tags, which are read once", async () => {
    const settings = {
      token: "t",
      channel_id: "55",
      api_url: `${discord.url}/api`,
      forum: { tags: ["news", "9", "gone"] },
    } as never;
    const sink = await discordSink.create(
      "feed",
      discordSink.schema.parse(settings) as never,
      deps,
    );
    discord.answer((request, response) =>
      json(
        request.method === "GET"
          ? { available_tags: [{ id: "11", name: "news" }] }
          : { id: "900", message: { id: "900" } },
      )(request, response),
    );
    const message = {
      id: "m",
      sink: "feed",
      groupKey: "g",
      sealedAtMs: EVENT_TIME_MS,
      body: sink.render(tweetBatch([{}])),
    };
    await sink.send(message, new AbortController().signal);
    expect(JSON.parse(discord.received.at(-1)?.body ?? "{}")).toMatchObject({
      applied_tags: ["11", "9"],
    });
  });
});

describe("many tweets in Discord", () => {
  it("get embeds of distinct addresses, up to ten", () => {
    const { embeds } = renderDiscord(
      tweetBatch(Array.from({ length: 10 }, () => ({ full_text: "x".repeat(4_000) }))),
      { style: "embed" },
    );
    expect(new Set(embeds.map(({ url }) => url)).size).toBe(10);
  });

  it("fault 53, fault 54: any text stays within every limit, is valid UTF-8 and mentions nobody", () => {
    const user = fc
      .record({ display_name: hostileText, username: hostileText, profile_image_url: hostileText })
      .map((changes) => ({ ...makeUser("7"), ...changes }));
    const full_text = fc.oneof(
      hostileText,
      fc.array(hostileText, { minLength: 40, maxLength: 60 }).map((parts) => parts.join(" ")),
    );
    const tweet = fc.record({
      full_text,
      user,
      is_reply: fc.boolean(),
      in_reply_to_username: hostileText,
      in_reply_to_tweet_id: hostileText,
    });
    fc.assert(
      fc.property(
        fc.array(tweet, { minLength: 1, maxLength: 10 }),
        fc.constantFrom("embed" as const, "link" as const),
        (changes, style) => {
          const body = renderDiscord(tweetBatch(changes), { style });
          expectWithinLimits(body);
          const shown = JSON.stringify(body);
          expect(shown).not.toMatch(/\\ud[89a-f]/i);
          expect(shown.replaceAll(/<t:\d+:R>/g, "").replaceAll("\\\\", "\\")).not.toMatch(
            LIVE_DISCORD,
          );
        },
      ),
      { numRuns: manyRuns(30, 500) },
    );
  });
});

describe("Discord settings", () => {
  const problems = (settings: object) =>
    discordSink.schema.safeParse(settings).error?.issues.map(({ message }) => message) ?? [];

  it("are a webhook, or a token and a channel", () => {
    expect(problems({ webhook_url: "https://discord.com/api/webhooks/1/x" })).toEqual([]);
    expect(problems({ token: "t", channel_id: "5", crosspost: true })).toEqual([]);
    expect(problems({})).toEqual(["needs `webhook_url`, or `token` and `channel_id`"]);
    expect(problems({ token: "t" })).toEqual(["needs a `channel_id` with `token`"]);
    expect(problems({ webhook_url: "http://e.com/x" })[0]).toContain("must start with https://");
    expect(problems({ webhook_url: "https://e.com/x", crosspost: true })[0]).toContain(
      "only a bot",
    );
  });
});

it("says what is wrong where its front end refuses this machine: no webhook would help", async () => {
  discord.answer((_, response) =>
    response
      .writeHead(403, { "content-type": "text/html" })
      .end("<!doctype html><title>Access denied"),
  );
  for (const settings of [webhook(), bot()]) {
    const error = await refusal(settings);
    expect(error).toMatchObject({
      kind: "destination",
      message: "Discord answered 403: a page of its front end",
    });
    expect(error.hint).toContain("front end refuses this machine");
  }
});
