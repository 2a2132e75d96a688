/** Tests Slack and Discord through their stand-ins, and what happens when a sink refuses. */
import { describe, expect, it } from "vitest";
import {
  json,
  type LoopbackServer,
  type Received,
  startLoopbackServer,
} from "../support/loopback-server.ts";
import { runCommand } from "../support/run-command.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, hookSink, keep, morePolls, noted, createFixture } from "./fixture.ts";

cleanUpAfterwards();

const HOSTILE =
  "@everyone <!channel> <@U123> **bold** [link](https://evil.example) *x* `y` <https://evil.example|good.example> & done";

const slackStandIn = () =>
  startLoopbackServer((request, response) => {
    json(
      request.url.endsWith("auth.test")
        ? { ok: true, user: "chirpwatch", team: "T" }
        : { ok: true, ts: "1700000000.000100", channel: "C1" },
    )(request, response);
  }).then(keep);

const discordStandIn = () => startLoopbackServer(json({ id: "1128374650192837465" })).then(keep);

const posts = (server: LoopbackServer): readonly Received[] =>
  server.received.filter(({ url }) => !url.endsWith("auth.test"));
const form = (request: Received | undefined) =>
  Object.fromEntries(new URLSearchParams(request?.body));

/** Starts a search whose alerts go to a Slack bot, with ops alerts to the fixture's webhook. */
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
  it("Slack and Discord, as bots and by webhooks: what the vendors ask for, no mention takes effect, and no secret is shown", async () => {
    const fixture = await createFixture();
    const [slack, slackHook, discord] = [
      await slackStandIn(),
      await slackStandIn(),
      await discordStandIn(),
    ];
    const channel = "1128374650192837465";
    fixture.configure({
      watches: { w: { type: "search", query: "acme" } },
      sinks: {
        slack: {
          type: "slack",
          token: "${SLACK_BOT_TOKEN}",
          channel: "#brand",
          api_url: `${slack.url}/api/`,
        },
        slack_hook: {
          type: "slack",
          webhook_url: `${slackHook.url}/services/T0/B0/hidden-part`,
          api_url: `${slackHook.url}/api/`,
        },
        discord: {
          type: "discord",
          token: "bot-token-secret",
          channel_id: channel,
          api_url: `${discord.url}/api`,
        },
        discord_hook: {
          type: "discord",
          webhook_url: `${discord.url}/api/webhooks/1/hidden-part`,
          api_url: `${discord.url}/api`,
        },
      },
      route: { sink: ["slack", "slack_hook", "discord", "discord_hook"] },
    });
    const daemon = await fixture.start({ SLACK_BOT_TOKEN: "xoxb-very-secret-token" });
    await noted(daemon, "w");
    const [id = ""] = fixture.api.post("search:acme", 1, {
      author: fixture.api.account("alice"),
      text: HOSTILE,
    });
    const link = `https://x.com/alice/status/${id}`;

    const bySlackBot = await until("Slack's bot", () => posts(slack)[0]);
    expect(bySlackBot.url).toBe("/api/chat.postMessage");
    expect(bySlackBot.headers.authorization).toBe("Bearer xoxb-very-secret-token");
    const { text = "", blocks = "[]", channel: named, unfurl_links: unfurl } = form(bySlackBot);
    expect({ named, unfurl }).toEqual({ named: "#brand", unfurl: "false" });
    expect(text).not.toBe("");
    expect(JSON.parse(blocks)).not.toHaveLength(0);
    for (const said of [text, blocks]) {
      expect(said).toContain("alice");
      expect(said).not.toMatch(/<!(?!date)|<@U|<https:\/\/evil/);
    }
    expect(blocks).toContain(link);

    const bySlackHook = JSON.parse(
      (await until("Slack's webhook", () => posts(slackHook)[0])).body,
    );
    expect(bySlackHook.text).not.toBe("");
    expect(bySlackHook.blocks.length).toBeGreaterThan(0);

    const sentTo = (part: string) =>
      until(part, () =>
        discord.received.find(({ url, method }) => method === "POST" && url.includes(part)),
      );
    const byHook = await sentTo("/webhooks/");
    expect(byHook.url).toMatch(/^\/api\/webhooks\/1\/hidden-part\?.*wait=true/);
    const hookBody = JSON.parse(byHook.body);
    expect(hookBody.allowed_mentions).toEqual({ parse: [] });
    expect(JSON.stringify(hookBody.embeds)).toContain(link);
    expect(byHook.body).not.toContain("@everyone");

    const byBot = await sentTo(`/channels/${channel}/messages`);
    expect(byBot.url).toMatch(/^\/api\/v\d+\/channels\/\d+\/messages$/);
    expect(byBot.headers.authorization).toBe("Bot bot-token-secret");
    const botBody = JSON.parse(byBot.body);
    expect(botBody).toMatchObject({ allowed_mentions: { parse: [] }, enforce_nonce: true });
    expect(String(botBody.nonce)).toMatch(/^.{1,25}$/);

    const said = `${daemon.out()}${daemon.err()}${await daemon.get("/")}${await daemon.get("/api/v1/status")}`;
    expect(said).not.toMatch(/very-secret|hidden-part|bot-token-secret/);
  });

  it("fault 42: a sink that is gone alerts ops once, keeps its backlog, and drains it when it is back", async () => {
    const fixture = await createFixture();
    let isGone = true;
    const slack = await startLoopbackServer((request, response) => {
      if (request.url.endsWith("auth.test")) return json({ ok: true })(request, response);
      json(isGone ? { ok: false, error: "is_archived" } : { ok: true, ts: "1.1" })(
        request,
        response,
      );
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
    expect((await daemon.status()).sinks.find(({ name }) => name === "chat")).toMatchObject({
      breaker: "open",
      waiting: 3,
    });
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
      const isRefusal =
        isRefused &&
        !request.url.endsWith("auth.test") &&
        (form(request)["text"] ?? "").includes("odd");
      json(isRefusal ? { ok: false, error: "invalid_blocks" } : { ok: true, ts: "1.1" })(
        request,
        response,
      );
    }).then(keep);
    const daemon = await startWithSlack(fixture, slack.url);
    const [id = ""] = fixture.api.post("search:acme", 1, { text: "odd one" });
    fixture.api.post("search:acme", 1, { text: "good one" });
    const alerted = await until("an ops alert", () =>
      fixture.hook.events().find(({ type }) => type === "delivery.dead"),
    );
    expect(alerted.data.message).toBe(
      "1 alert for chat was refused for good: Slack refuses the message: invalid_blocks",
    );
    expect(alerted.data.hint).toContain(`/status/${id}`);
    expect((await daemon.status()).state).toBe("degraded");
    const run = (...args: string[]) =>
      runCommand([...args, "-c", "watches.yaml"], { cwd: fixture.folder });
    expect((await run("dead", "list", "--sink", "chat")).out).toContain(id);
    expect((await run("explain", id)).out).toContain(
      "verdict  not delivered: it became an alert, which was given up",
    );
    isRefused = false;
    const before = posts(slack).length;
    expect((await run("replay", "--dead", "--sink", "chat", "--yes")).out).toContain(
      "1 alert goes out again now",
    );
    // The good alert may arrive only now.
    const isOdd = (request: Received): boolean => (form(request)["text"] ?? "").includes("odd one");
    const again = await until("the alert", () => posts(slack).slice(before).find(isOdd));
    const messageIdOf = (request: Received | undefined) =>
      JSON.parse(form(request)["metadata"] ?? "{}").event_payload?.id as string;
    expect(messageIdOf(again)).not.toBe(messageIdOf(posts(slack).find(isOdd)));
    await until("all well", async () => (await daemon.status()).state === "running");
  });

  it("fault 51: refuses a private address unless it is allowed, and says so", async () => {
    const fixture = await createFixture();
    const { allow_private: _, ...sink } = hookSink(fixture.hook);
    fixture.configure({
      watches: { w: { type: "search", query: "acme" } },
      sinks: { inner: sink },
    });
    const daemon = await fixture.start();
    await noted(daemon, "w");
    fixture.api.post("search:acme", 1);
    expect(await daemon.logged("a sink takes no messages")).toMatchObject({
      sink: "inner",
      hint: expect.stringContaining("allow_private: true"),
    });
    await until(
      "the reason on the status page",
      async () => /private or loopback/.test(await daemon.get("/api/v1/status")),
      daemon.err,
    );
    expect(fixture.hook.messages()).toEqual([]);
  });

  it("fault 50: never follows a redirect", async () => {
    const fixture = await createFixture();
    const elsewhere = await startLoopbackServer().then(keep);
    fixture.configure({ watches: { w: { type: "search", query: "acme" } } });
    const daemon = await fixture.start();
    await noted(daemon, "w");
    fixture.hook.answer((_, response) =>
      response.writeHead(302, { location: `${elsewhere.url}/` }).end(),
    );
    fixture.api.post("search:acme", 1);
    await until("a word about it", async () =>
      /redirect|302/.test(`${daemon.err()}${await daemon.get("/api/v1/status")}`),
    );
    expect(elsewhere.received).toEqual([]);
    expect(fixture.hook.messages().length).toBeLessThanOrEqual(2);
  });
});
