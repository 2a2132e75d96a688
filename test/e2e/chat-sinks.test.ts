/** Slack and Discord as their stand-ins see them, and what happens when a sink refuses. */
import { describe, expect, it } from "vitest";
import { json, type LoopbackServer, type Received, startLoopbackServer } from "../support/loopback-server.ts";
import { runCommand } from "../support/run-command.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, hookSink, keep, morePolls, noted, createFixture } from "./fixture.ts";

cleanUpAfterwards();

const HOSTILE = "@everyone <!channel> <@U123> **bold** [link](https://evil.example) *x* `y` <https://evil.example|good.example> & done";

const slackStandIn = () =>
  startLoopbackServer((request, response) => {
    json(
      request.url.endsWith("auth.test")
        ? { ok: true, user: "chirpwatch", team: "T" }
        : { ok: true, ts: "1700000000.000100", channel: "C1" },
    )(request, response);
  }).then(keep);

const discordStandIn = () => startLoopbackServer(json({ id: "1128374650192837465" })).then(keep);

const posts = (server: LoopbackServer): readonly Received[] => server.received.filter(({ url }) => !url.endsWith("auth.test"));
const form = (request: Received | undefined) => Object.fromEntries(new URLSearchParams(request?.body));

async function sendOne(sink: object, text = HOSTILE, env: Record<string, string> = {}) {
  const fixture = await createFixture();
  fixture.configure({ watches: { w: { type: "search", query: "acme" } }, sinks: { chat: sink } });
  const daemon = await fixture.start(env);
  await noted(daemon, "w");
  const [id = ""] = fixture.api.post("search:acme", 1, { author: fixture.api.account("alice"), text });
  return { fixture, daemon, id };
}

/** A search whose alerts go to a Slack bot, and ops alerts to the fixture's webhook. */
async function startWithSlack(fixture: Awaited<ReturnType<typeof createFixture>>, url: string) {
  const chat = { type: "slack", token: "xoxb-1", channel: "#brand", api_url: `${url}/api/` };
  fixture.configure({
    watches: { w: { type: "search", query: "acme", sink: "chat" } },
    sinks: { chat, hook: hookSink(fixture.hook) },
    ops: { sink: "hook" },
  });
  const daemon = await fixture.start();
  await noted(daemon, "w");
  return daemon;
}

describe.concurrent("chat sinks", () => {
  it("Slack as a bot: text, blocks, no mention, no unfurling", async () => {
    const slack = await slackStandIn();
    const { daemon, id } = await sendOne(
      { type: "slack", token: "${SLACK_BOT_TOKEN}", channel: "#brand", api_url: `${slack.url}/api/` },
      HOSTILE,
      {
        SLACK_BOT_TOKEN: "xoxb-very-secret-token",
      },
    );
    const request = await until("a message", () => posts(slack)[0]);
    expect(request.url).toBe("/api/chat.postMessage");
    expect(request.headers.authorization).toBe("Bearer xoxb-very-secret-token");
    const { text = "", blocks = "[]", channel, unfurl_links: unfurl } = form(request);
    expect({ channel, unfurl }).toEqual({ channel: "#brand", unfurl: "false" });
    expect(text).not.toBe("");
    expect(JSON.parse(blocks)).not.toHaveLength(0);
    for (const said of [text, blocks]) {
      expect(said).toContain("alice");
      expect(said).not.toMatch(/<!(?!date)|<@U|<https:\/\/evil/);
    }
    expect(blocks).toContain(`https://x.com/alice/status/${id}`);
    expect(`${daemon.out()}${daemon.err()}${await daemon.get("/")}${await daemon.get("/api/v1/status")}`).not.toContain("very-secret");
  });

  it("Slack through an incoming webhook", async () => {
    const slack = await startLoopbackServer((_, response) => response.end("ok")).then(keep);
    const { daemon } = await sendOne({
      type: "slack",
      webhook_url: `${slack.url}/services/T0/B0/hidden-part`,
      api_url: `${slack.url}/api/`,
    });
    const request = await until("a message", () => posts(slack)[0]);
    const body = JSON.parse(request.body);
    expect(body.text).not.toBe("");
    expect(body.blocks.length).toBeGreaterThan(0);
    expect(`${daemon.out()}${daemon.err()}${await daemon.get("/")}`).not.toContain("hidden-part");
  });

  it("Discord through a webhook: embeds, and no mention takes effect", async () => {
    const discord = await discordStandIn();
    const { daemon, id } = await sendOne({
      type: "discord",
      webhook_url: `${discord.url}/api/webhooks/1/hidden-part`,
      api_url: `${discord.url}/api`,
    });
    const request = await until("a message", () => posts(discord)[0]);
    expect(request.url).toMatch(/^\/api\/webhooks\/1\/hidden-part\?.*wait=true/);
    const body = JSON.parse(request.body);
    expect(body.allowed_mentions).toEqual({ parse: [] });
    expect(JSON.stringify(body.embeds)).toContain(`https://x.com/alice/status/${id}`);
    expect(JSON.stringify(body)).not.toContain("@everyone");
    expect(`${daemon.out()}${daemon.err()}${await daemon.get("/")}`).not.toContain("hidden-part");
  });

  it("Discord as a bot: nonce and enforce_nonce", async () => {
    const discord = await discordStandIn();
    await sendOne({ type: "discord", token: "bot-token-secret", channel_id: "1128374650192837465", api_url: `${discord.url}/api` });
    const request = await until("a message", () => posts(discord)[0]);
    expect(request.url).toMatch(/^\/api\/v\d+\/channels\/1128374650192837465\/messages$/);
    expect(request.headers.authorization).toBe("Bot bot-token-secret");
    const body = JSON.parse(request.body);
    expect(body).toMatchObject({ allowed_mentions: { parse: [] }, enforce_nonce: true });
    expect(String(body.nonce).length).toBeGreaterThan(0);
    expect(String(body.nonce).length).toBeLessThanOrEqual(25);
  });

  it("fault 41: honours Retry-After, and repeats the very same message", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: { w: { type: "search", query: "acme" } } });
    await noted(await fixture.start(), "w");
    const times: number[] = [];
    fixture.hook.answer((_, response) => {
      times.push(performance.now());
      if (times.length === 1) response.writeHead(429, { "retry-after": "3" }).end();
      else response.writeHead(204).end();
    });
    fixture.api.post("search:acme", 1);
    await until("a second attempt", () => times.length >= 2);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(3_000);
    const [first, second] = fixture.hook.messages();
    expect({ id: second?.id, body: second?.body }).toEqual({ id: first?.id, body: first?.body });
  });

  it("fault 42: a sink that is gone alerts ops once, keeps its backlog, and drains it when it is back", async () => {
    const fixture = await createFixture();
    let isGone = true;
    const slack = await startLoopbackServer((request, response) => {
      if (request.url.endsWith("auth.test")) return json({ ok: true })(request, response);
      json(isGone ? { ok: false, error: "is_archived" } : { ok: true, ts: "1.1" })(request, response);
    }).then(keep);
    const daemon = await startWithSlack(fixture, slack.url);
    fixture.api.post("search:acme", 1, { text: "first" });
    await until("a refusal", () => posts(slack).length > 0);
    const isFailing = () => fixture.hook.events().filter(({ type }) => type === "sink.failing");
    await until("an ops alert", () => isFailing().length > 0);
    fixture.api.post("search:acme", 2, { text: "later" });
    await morePolls(fixture.api, "search-tweets", 3);
    expect(posts(slack)).toHaveLength(1);
    expect(isFailing()).toHaveLength(1);
    expect(JSON.stringify(isFailing()[0]?.data)).toMatch(/archived/);
    expect((await daemon.status()).sinks.find(({ name }) => name === "chat")).toMatchObject({ breaker: "open", waiting: 3 });
    isGone = false;
    await daemon.post("/api/v1/reload");
    await until("the backlog", () => posts(slack).length >= 4, daemon.err);
    expect(
      posts(slack)
        .slice(1)
        .map((one) => /first|later \d/.exec(form(one)["text"] ?? "")?.[0]),
    ).toEqual(["first", "later 0", "later 1"]);
  });

  it("fault 53: a message that Slack refuses for its content is reported to ops, listed, and goes out anew when it is sent again", async () => {
    const fixture = await createFixture();
    let isRefused = true;
    const slack = await startLoopbackServer((request, response) => {
      const isRefusal = isRefused && !request.url.endsWith("auth.test") && (form(request)["text"] ?? "").includes("odd");
      json(isRefusal ? { ok: false, error: "invalid_blocks" } : { ok: true, ts: "1.1" })(request, response);
    }).then(keep);
    const daemon = await startWithSlack(fixture, slack.url);
    const [id = ""] = fixture.api.post("search:acme", 1, { text: "odd one" });
    fixture.api.post("search:acme", 1, { text: "good one" });
    const alerted = await until("an ops alert", () => fixture.hook.events().find(({ type }) => type === "delivery.dead"));
    expect(alerted.data.message).toBe("1 alert for chat was refused for good: Slack refuses the message: invalid_blocks");
    expect(alerted.data.hint).toContain(`/status/${id}`);
    expect((await daemon.status()).state).toBe("degraded");
    const run = (...args: string[]) => runCommand([...args, "-c", "watches.yaml"], { cwd: fixture.folder });
    expect((await run("dead", "list", "--sink", "chat")).out).toContain(id);
    expect((await run("explain", id)).out).toContain("verdict  not delivered: it became an alert, which was given up");
    isRefused = false;
    const before = posts(slack).length;
    expect((await run("replay", "--dead", "--sink", "chat", "--yes")).out).toContain("1 alert goes out again now");
    const again = await until("the alert", () => posts(slack)[before]);
    expect(form(again)["text"]).toContain("odd one");
    const messageIdOf = (request: Received | undefined) => JSON.parse(form(request)["metadata"] ?? "{}").event_payload?.id as string;
    expect(messageIdOf(again)).not.toBe(messageIdOf(posts(slack).find((one) => (form(one)["text"] ?? "").includes("odd"))));
    await until("all well", async () => (await daemon.status()).state === "running");
  });

  it("fault 51: refuses a private address unless it is allowed, and says so", async () => {
    const fixture = await createFixture();
    const { allow_private: _, ...sink } = hookSink(fixture.hook);
    fixture.configure({ watches: { w: { type: "search", query: "acme" } }, sinks: { inner: sink } });
    const daemon = await fixture.start();
    await noted(daemon, "w");
    fixture.api.post("search:acme", 1);
    expect(await daemon.logged("a sink takes no messages")).toMatchObject({
      sink: "inner",
      hint: expect.stringContaining("allow_private: true"),
    });
    await until("the reason on the status page", async () => /private or loopback/.test(await daemon.get("/api/v1/status")), daemon.err);
    expect(fixture.hook.messages()).toEqual([]);
  });

  it("fault 50: never follows a redirect", async () => {
    const fixture = await createFixture();
    const elsewhere = await startLoopbackServer().then(keep);
    fixture.configure({ watches: { w: { type: "search", query: "acme" } } });
    const daemon = await fixture.start();
    await noted(daemon, "w");
    fixture.hook.answer((_, response) => response.writeHead(302, { location: `${elsewhere.url}/` }).end());
    fixture.api.post("search:acme", 1);
    await until("a word about it", async () => /redirect|302/.test(`${daemon.err()}${await daemon.get("/api/v1/status")}`));
    expect(elsewhere.received).toEqual([]);
    expect(fixture.hook.messages().length).toBeLessThanOrEqual(2);
  });
});
