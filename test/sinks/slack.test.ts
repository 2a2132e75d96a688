import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Log } from "../../src/model/log.ts";
import type { SealedMessage, SinkError } from "../../src/model/sink.ts";
import { createHttpAgent, type HttpAgent } from "../../src/runtime/http-agent.ts";
import { createOutputs } from "../../src/runtime/outputs.ts";
import { sinkPlace } from "../../src/sinks/kind/sink-secrets.ts";
import type { SinkDeps } from "../../src/sinks/kind/sink-type.ts";
import type { SlackBody } from "../../src/sinks/slack/slack-blocks.ts";
import { slackSink } from "../../src/sinks/slack/slack.ts";
import { json, startLoopbackServer, type LoopbackServer } from "../support/loopback-server.ts";
import { EVENT_TIME_MS } from "../support/make-event.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { tweetBatch } from "./chat-batch.ts";

const silent: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silent,
};
const never = new AbortController().signal;

let slack: LoopbackServer;
let http: HttpAgent;
let deps: SinkDeps;

beforeEach(async () => {
  slack = await startLoopbackServer(json({ ok: true, ts: "1700000000.000100", channel: "C1" }));
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
  await slack.close();
});

const botSettings = () => ({ token: "xoxb-1", channel: "#brand", api_url: `${slack.url}/api/` });
const webhookSettings = () => ({ webhook_url: `${slack.url}/services/T/B/x` });
type Settings = Parameters<typeof slackSink.create>[1];

async function send(
  settings: Settings,
  text = "hello <!channel>",
  signal = never,
  more: Partial<SealedMessage> = {},
) {
  const sink = await slackSink.create("brand", settings, deps);
  const message: SealedMessage = {
    id: "msg-1",
    sink: "brand",
    groupKey: "g",
    sealedAtMs: EVENT_TIME_MS,
    body: JSON.parse(JSON.stringify(sink.render(tweetBatch([{ full_text: text }])))),
    ...more,
  };
  return sink.send(message, signal);
}

const refusal = (settings: Settings): Promise<SinkError> =>
  send(settings).then(
    () => Promise.reject(new Error("was accepted")),
    (error: SinkError) => error,
  );

const form = (index: number) => new URLSearchParams(slack.received[index]?.body);

describe("a Slack bot", () => {
  it("posts form-encoded with blocks as JSON, text beside them and nothing unfurled", async () => {
    expect(await send(botSettings())).toEqual({
      ref: "1700000000.000100",
      channel: expect.any(String) as string,
    });
    const [request] = slack.received;
    expect(request).toMatchObject({ method: "POST", url: "/api/chat.postMessage" });
    expect(request?.headers).toMatchObject({
      authorization: "Bearer xoxb-1",
      "content-type": "application/x-www-form-urlencoded",
    });
    expect(Object.fromEntries(form(0))).toMatchObject({
      channel: "#brand",
      mrkdwn: "false",
      unfurl_links: "false",
      unfurl_media: "false",
    });
    expect(form(0).get("text")).toContain("hello &lt;\u200b!channel&gt;");
    expect(JSON.parse(form(0).get("blocks") ?? "")[0].type).toBe("context");
    expect(JSON.parse(form(0).get("metadata") ?? "").event_payload).toEqual({ id: "msg-1" });
  });

  it("posts what belongs below a message in its thread, also where its blocks are refused, and beside it where it is gone", async () => {
    const answers = [
      { ok: false, error: "invalid_blocks" },
      { ok: true, ts: "2" },
      { ok: false, error: "thread_not_found" },
      { ok: true, ts: "3" },
    ];
    slack.answer((request, response) =>
      json(answers[slack.received.length - 1] ?? {})(request, response),
    );
    const receipts: unknown[] = [];
    for (const _time of [1, 2])
      receipts.push(await send(botSettings(), "hello", never, { threadRef: "1.1" }));
    expect(receipts).toEqual([{ ref: "2" }, { ref: "3", missingThread: "1.1" }]);
    const shown = slack.received.map((_, index) => [
      form(index).get("thread_ts"),
      form(index).has("blocks"),
    ]);
    expect(shown).toEqual([
      ["1.1", true],
      ["1.1", false],
      ["1.1", true],
      [null, true],
    ]);
  });

  it.each([
    ["is in the thread", { thread_ts: "1.1", ts: "2" }, {}],
    ["ignored the thread", { ts: "2" }, { missingThread: "1.1" }],
    ["began one of its own", { thread_ts: "2", ts: "2" }, { missingThread: "1.1" }],
    ["is not in the answer", undefined, {}],
  ])(
    "says that a thread is gone by the message that was posted: it %s",
    async (_case, message, more) => {
      slack.answer(json({ ok: true, ts: "2", message }));
      expect(await send(botSettings(), "hello", never, { threadRef: "1.1" })).toEqual({
        ref: "2",
        ...more,
      });
      expect(await send(botSettings())).toEqual({ ref: "2" });
    },
  );

  it("shows in the channel, too, what it posts in a thread, where the settings say so; but no part of a list", async () => {
    const settings = { ...botSettings(), thread_by: "conversation", broadcast: "always" } as const;
    await send(settings);
    await send(settings, "hello", never, { threadRef: "1.1" });
    await send(settings, "hello", never, {
      threadRef: "1.1",
      body: { text: "more", blocks: [], isPart: true },
    });
    await send({ ...settings, broadcast: "never" }, "hello", never, { threadRef: "1.1" });
    const shown = slack.received.map((_, index) => [
      form(index).get("thread_ts"),
      form(index).get("reply_broadcast"),
    ]);
    expect(shown).toEqual([
      [null, null],
      ["1.1", "true"],
      ["1.1", null],
      ["1.1", null],
    ]);
  });

  it("puts messages into threads of its channel, for a day unless said otherwise", async () => {
    const threads = async (more: Partial<Settings>) =>
      (await slackSink.create("brand", { ...botSettings(), ...more }, deps)).threads;
    expect(await threads({})).toBeUndefined();
    expect(await threads({ thread_by: "watch" })).toEqual({
      by: "watch",
      windowMs: 86_400_000,
      place: "#brand",
    });
    expect(await threads({ thread_by: "group", thread_window: "2h" })).toMatchObject({
      by: "group",
      windowMs: 7_200_000,
    });
  });

  it("posts under the name and icon of its settings", async () => {
    await send({ ...botSettings(), username: "news", icon_emoji: ":bird:" });
    await send({ ...botSettings(), icon_url: "https://pics.example/a.png" });
    expect(Object.fromEntries(form(0))).toMatchObject({ username: "news", icon_emoji: ":bird:" });
    expect(Object.fromEntries(form(1))).toMatchObject({ icon_url: "https://pics.example/a.png" });
    expect(form(1).has("username")).toBe(false);
  });

  it("mentions the people named by the batch before any foreign text, with and without blocks", async () => {
    const sink = await slackSink.create("brand", botSettings(), deps);
    const body = sink.render({
      ...tweetBatch([{ full_text: "<!channel>" }]),
      mentions: ["<!here>", "<@U1>"],
    }) as unknown as SlackBody;
    expect(body.text).toMatch(/^<!here> <@U1> \S/);
    expect(body.blocks[0]).toEqual({
      type: "section",
      text: { type: "mrkdwn", text: "<!here> <@U1>", verbatim: true },
    });
    expect(JSON.stringify(body).match(/<[!@]/g)).toHaveLength(4 + 1);
  });

  it.each([
    ["channel_not_found", /invite @chirpwatch to #brand/],
    ["not_in_channel", /invite @chirpwatch to #brand/],
    ["is_archived", /unarchive #brand/],
    ["missing_scope", /chat:write/],
  ])(
    "fault 42: %s closes the destination with its cure, after one request",
    async (error, cure) => {
      slack.answer(json({ ok: false, error }));
      expect(await refusal(botSettings())).toMatchObject({
        kind: "destination",
        hint: expect.stringMatching(cure),
      });
      expect(slack.received).toHaveLength(1);
    },
  );

  it.each(["invalid_auth", "token_revoked", "account_inactive"])(
    "fault 43: %s closes the destination and asks for a token",
    async (error) => {
      slack.answer(json({ ok: false, error }));
      expect(await refusal(botSettings())).toMatchObject({
        kind: "destination",
        hint: expect.stringContaining("token"),
      });
    },
  );

  it("fault 41: a 429 hands its Retry-After on, unretried", async () => {
    slack.answer(json({ ok: false, error: "ratelimited" }, 429, { "retry-after": "30" }));
    expect(await refusal(botSettings())).toMatchObject({
      kind: "rate_limited",
      status: 429,
      retry: { afterMs: 30_000 },
    });
    slack.answer(json({ ok: false, error: "ratelimited" }, 429));
    expect(await refusal(botSettings())).toMatchObject({ kind: "rate_limited", retry: "later" });
    for (const [header, afterMs] of [
      ["0", 0],
      ["-5", -5_000],
      ["0.5", 500],
      ["9999999", 9_999_999_000],
    ] as const) {
      slack.answer(json({ ok: false, error: "ratelimited" }, 429, { "retry-after": header }));
      expect(await refusal(botSettings())).toMatchObject({
        kind: "rate_limited",
        retry: { afterMs },
      });
    }
    expect(slack.received).toHaveLength(6);
  });

  it.each(["invalid_blocks", "msg_blocks_too_long", "msg_too_long"])(
    "fault 53: %s falls back to plain text once, in the same attempt",
    async (error) => {
      slack.answer((request, response) => {
        const hasBlocks = new URLSearchParams(request.body).has("blocks");
        json(hasBlocks ? { ok: false, error } : { ok: true, ts: "2.0" })(request, response);
      });
      expect(await send(botSettings())).toEqual({ ref: "2.0" });
      expect(slack.received).toHaveLength(2);
      expect(form(1).has("blocks")).toBe(false);
      expect(form(1).get("text")).toBe(form(0).get("text"));
    },
  );

  it("fault 53: a text refused as well is a dead letter after two requests", async () => {
    slack.answer(json({ ok: false, error: "msg_too_long" }));
    expect(await refusal(botSettings())).toMatchObject({ kind: "message", retry: "no" });
    expect(slack.received).toHaveLength(2);
  });

  it.each([
    ["a 500", 500, "oops"],
    ["fatal_error", 200, { ok: false, error: "fatal_error" }],
    ["a page instead of an answer", 502, "<html>"],
  ])("fault 48: %s is transient, and one request only", async (_name, status, body) => {
    slack.answer(json(body, status));
    expect(await refusal(botSettings())).toMatchObject({ kind: "transient" });
    expect(slack.received).toHaveLength(1);
  });

  it("is transient when nobody listens, and when the attempt is aborted", async () => {
    const abort = new AbortController();
    slack.answer(() => abort.abort());
    await expect(send(botSettings(), "x", abort.signal)).rejects.toMatchObject({
      kind: "transient",
    });
    await slack.close();
    expect(await refusal(botSettings())).toMatchObject({ kind: "transient" });
  });

  it("proves its token at start with auth.test", async () => {
    await slackSink.check?.(botSettings(), deps);
    expect(slack.received[0]?.url).toBe("/api/auth.test");
    slack.answer(json({ ok: false, error: "invalid_auth" }));
    await expect(slackSink.check?.(botSettings(), deps)).rejects.toMatchObject({
      kind: "destination",
    });
  });
});

describe("a Slack webhook", () => {
  beforeEach(() => slack.answer((_, response) => response.writeHead(200).end("ok")));

  it("posts the same as JSON", async () => {
    expect(await send(webhookSettings())).toEqual({});
    expect(slack.received[0]).toMatchObject({ method: "POST", url: "/services/T/B/x" });
    const body = JSON.parse(slack.received[0]?.body ?? "");
    expect(body).toMatchObject({
      unfurl_links: false,
      unfurl_media: false,
      text: expect.stringContaining("hello"),
    });
    expect(body.blocks.length).toBeGreaterThan(0);
  });

  it.each([
    [404, "no_service", "destination"],
    [403, "action_prohibited", "destination"],
    [410, "channel_is_archived", "destination"],
    [404, "channel_not_found", "destination"],
    [302, "", "destination"],
    [500, "rollup_error", "transient"],
  ])("takes %i %s for %s, after one request", async (status, text, kind) => {
    slack.answer((_, response) => response.writeHead(status).end(text));
    const error = await refusal(webhookSettings());
    expect(error).toMatchObject({ kind, status });
    if (kind === "destination") expect(error.hint).not.toBe("");
    expect(slack.received).toHaveLength(1);
  });

  it("fault 53: invalid_payload falls back to plain text once, then is a dead letter", async () => {
    slack.answer((request, response) =>
      response.writeHead("blocks" in JSON.parse(request.body) ? 400 : 200).end("invalid_payload"),
    );
    await send(webhookSettings());
    expect(JSON.parse(slack.received[1]?.body ?? "")).not.toHaveProperty("blocks");
    slack.answer((_, response) => response.writeHead(400).end("invalid_blocks"));
    expect(await refusal(webhookSettings())).toMatchObject({ kind: "message" });
  });

  it("fault 41: waits as asked", async () => {
    slack.answer((_, response) => response.writeHead(429, { "retry-after": "7" }).end());
    expect(await refusal(webhookSettings())).toMatchObject({
      kind: "rate_limited",
      retry: { afterMs: 7_000 },
    });
  });

  it("never shows its address", async () => {
    slack.answer((_, response) => response.writeHead(404).end("no_service"));
    const error = await refusal(webhookSettings());
    expect(
      `${error.message} ${error.hint} ${sinkPlace(slackSink, webhookSettings())}`,
    ).not.toContain("/services/");
  });
});

describe("Slack settings", () => {
  const problems = (settings: object) =>
    slackSink.schema
      .safeParse(settings)
      .error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

  it("are a token and a channel, or a webhook", () => {
    expect(problems({ token: "x", channel: "#brand" })).toEqual([]);
    expect(problems({ webhook_url: "https://hooks.slack.com/services/T/B/x" })).toEqual([]);
    expect(problems({})).toEqual([": needs `token` and `channel`, or `webhook_url`"]);
    expect(problems({ token: "x" })).toEqual([": needs a `channel` with `token`"]);
    expect(problems({ webhook_url: "https://e.com/x", channel: "#a" })[0]).toMatch(
      /^channel: an incoming webhook always posts to its own channel/,
    );
  });

  it("take plain http on loopback, or for a webhook beside its api_url, and nowhere else", () => {
    expect(problems({ token: "x", channel: "c", api_url: "http://127.0.0.1:1/api/" })).toEqual([]);
    expect(problems({ webhook_url: "http://[::1]:1/x" })).toEqual([]);
    expect(problems({ webhook_url: "http://e.com/x" })).toEqual([
      "webhook_url: must start with https:// (http:// is for loopback only)",
    ]);
    expect(
      problems({ token: "x", channel: "c", api_url: "http://127.0.0.1.evil.example/api/" })[0],
    ).toContain("api_url: must start with https://");
  });

  it("say where they send", () => {
    expect(slackSink.destinations({ token: "x", channel: "c" })).toEqual([
      { kind: "url", url: "https://slack.com/api/" },
    ]);
    expect(slackSink.destinations({ webhook_url: "https://e.com/x" })).toEqual([
      { kind: "url", url: "https://e.com/x" },
    ]);
    expect(sinkPlace(slackSink, { token: "x", channel: "#brand" })).toBe("#brand");
  });
});
