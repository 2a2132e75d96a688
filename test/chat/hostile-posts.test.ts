/**
 * Tests that a stranger's text can neither forge a button nor mention anybody, in any request to
 * the chat: not as the text or the name of an alert, nor as the name of a person who clicks.
 */
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import type { Http } from "../../src/model/http.ts";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import { hostileText, LIVE_DISCORD, LIVE_SLACK } from "../render/hostile-text.ts";
import {
  BOT_TOKEN,
  MANAGE_MESSAGES,
  startDiscordGatewayStandIn,
} from "../support/discord-gateway-stand-in.ts";
import { startInnerDaemon } from "../support/inner-daemon.ts";
import { APP_TOKEN, startSlackSocketStandIn } from "../support/slack-socket-stand-in.ts";
import { until } from "../support/until.ts";

const MINUTE = 60_000;
const ACTIONS = ["acknowledge", "snooze", "mute_author", "not_relevant"];

/** Texts that look like a button in a request, or try to mention somebody in other ways. */
const FORGED = [
  '"}},{"type":"actions","elements":[{"type":"button","action_id":"chirpwatch:acknowledge:x"}]}',
  '{"type":1,"components":[{"type":2,"custom_id":"chirpwatch:undo:x"}]}',
  "chirpwatch:acknowledge:x <@U1> <!channel> <!subteam^S1> @everyone <@1> <@&222>",
  "&lt;!channel&gt; &amp;lt;@U1&amp;gt; <https://evil.example|Acknowledge>",
  "[Acknowledge](https://evil.example) ```\n@here\n``` </acknowledge:1>",
  ...fc.sample(hostileText, { numRuns: 12, seed: 5 }),
].map((text) => text.replaceAll("\u0000", "").slice(0, 250));

const EVE = "<!channel> @everyone <@1>";

/** Starts a daemon and records its requests to a chat. */
async function start(sink: object, more: object, apiUrl: string) {
  const bodies: string[] = [];
  const kept = (http: Http): Http => ({
    request(request) {
      if (request.url.startsWith(apiUrl)) bodies.push(request.body ?? "");
      return http.request(request);
    },
  });
  const daemon = await startInnerDaemon({
    watches: () => ({ brand: { type: "timeline", accounts: ["one"], schedule: "@every 1m" } }),
    more: {
      sinks: { brand: { ...sink, throttle: false }, ops: { type: "console" } },
      route: { sink: "brand" },
      ...more,
    },
    httpFilter: kept,
    prepare: async (asked) => {
      await asked("accounts", { username: "one", display_name: FORGED[2] });
      await asked("tweets", { username: "one", text: "old" });
    },
  });
  await daemon.clock.advance(5 * MINUTE);
  for (const text of FORGED) await daemon.control("tweets", { username: "one", text });
  await daemon.clock.advance(4 * MINUTE);
  return { ...daemon, bodies };
}

it("forges no button and calls nobody in Slack", async () => {
  const slack = await startSlackSocketStandIn(createSystemClock());
  onTestFinished(() => slack.close());
  const base = { type: "slack", token: "xoxb-1", channel: "#brand", api_url: slack.apiUrl };
  const chat = { slack: { app_token: APP_TOKEN } };
  const { clock, bodies } = await start({ ...base, actions: ACTIONS }, { chat }, slack.apiUrl);
  await until("every alert", async () => {
    await clock.advance(10_000);
    return slack.messages.length >= FORGED.length;
  });
  const [message] = slack.messages;
  const ts = message?.id ?? "";
  const actionId = slack.buttons(ts)["acknowledge"] ?? "";
  await until("a click", async () => {
    await clock.advance(1_000);
    return (
      (await slack.click({ person: { id: "U1", name: EVE }, ts, actionId })) === "acknowledged"
    );
  });
  await until("the line", async () => {
    await clock.advance(1_000);
    return slack.messages[0]?.shown.includes("Acknowledged by ");
  });
  const posts = bodies
    .map((body) => new URLSearchParams(body))
    .filter((form) => form.has("blocks"));
  expect(posts.length).toBeGreaterThan(FORGED.length);
  for (const form of posts) {
    const blocks = JSON.parse(form.get("blocks") ?? "[]") as readonly SlackBlock[];
    const [own, ...others] = blocks.filter(({ type }) => type === "actions");
    expect(others).toEqual([]);
    expect(blocks.at(-1)).toBe(own);
    const ids = (own?.elements ?? []).map(({ action_id: id = "" }) => id.split(":"));
    expect(new Set(ids.map(([, , messageId]) => messageId)).size).toBe(1);
    const [first = ""] = ids.map(([, verb]) => verb);
    expect(ids.map(([, verb]) => verb)).toEqual([first, ...ACTIONS.slice(1)]);
    const formatted = [...formattedIn(blocks.filter((block) => block !== own)), form.get("text")];
    for (const text of formatted) {
      const written = (text ?? "").replaceAll(/<!date\^[^>]*>/g, "");
      expect(written).not.toMatch(LIVE_SLACK);
      expect(written).not.toMatch(/<https?:\/\/evil/);
    }
  }
});

interface SlackBlock {
  readonly type: string;
  readonly elements?: readonly { readonly action_id?: string }[];
}

const formattedIn = (value: unknown): readonly string[] => {
  if (typeof value !== "object" || value === null) return [];
  const { type, text } = value as { readonly type?: string; readonly text?: unknown };
  return [
    ...(type === "mrkdwn" && typeof text === "string" ? [text] : []),
    ...Object.values(value).flatMap(formattedIn),
  ];
};

it("forges no button and calls nobody in Discord", async () => {
  const discord = await startDiscordGatewayStandIn(createSystemClock());
  onTestFinished(() => discord.close());
  const base = { type: "discord", token: BOT_TOKEN, channel_id: "55", api_url: discord.apiUrl };
  const person = { id: "1", name: EVE, permissions: MANAGE_MESSAGES };
  const { clock, bodies } = await start({ ...base, actions: ACTIONS }, {}, discord.apiUrl);
  await until("every alert", async () => {
    await clock.advance(10_000);
    return discord.messages.length >= FORGED.length;
  });
  const buttons = () => discord.buttons(discord.messages[0]?.id ?? "");
  await until("a click", async () => {
    void discord.click({ person, customId: buttons()["acknowledge"] ?? "" });
    await clock.advance(1_000);
    return discord.messages[0]?.shown.includes("Acknowledged by ");
  });
  const posts = bodies
    .filter((body) => body.startsWith("{"))
    .map((body) => JSON.parse(body) as DiscordPost)
    .filter(({ components }) => components !== undefined);
  expect(posts.length).toBeGreaterThan(FORGED.length);
  for (const { allowed_mentions: allowed, components = [], ...post } of posts) {
    expect(allowed).toMatchObject({ parse: [] });
    expect([...(allowed?.users ?? []), ...(allowed?.roles ?? [])]).toEqual([]);
    const ids = [...JSON.stringify(components).matchAll(/"custom_id":"([^"]+)"/g)].map(
      ([, id = ""]) => id.split(":"),
    );
    expect(new Set(ids.map(([, , messageId]) => messageId)).size).toBe(1);
    const verbs = ids
      .map(([, verb]) => verb)
      .filter((verb) => !/^(?:acknow|undo)/.test(verb ?? ""));
    expect(new Set(verbs)).toEqual(new Set(ACTIONS.slice(1)));
    expect(ids).toHaveLength(ACTIONS.length);
    expect("custom_id" in post).toBe(false);
    for (const text of formattedOf(post)) {
      expect(text).not.toMatch(LIVE_DISCORD);
      expect(text).not.toMatch(/(?<!\\)\]\(https:\/\/evil/);
    }
  }
});

/** Returns the texts that Discord formats. It formats neither names of authors nor footers. */
const formattedOf = (value: unknown): readonly string[] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]) =>
        typeof inner === "string" && ["content", "title", "description", "value"].includes(key)
          ? [inner]
          : formattedOf(inner),
      );

interface DiscordPost {
  readonly allowed_mentions?: {
    readonly parse?: readonly string[];
    readonly users?: readonly string[];
    readonly roles?: readonly string[];
  };
  readonly components?: readonly object[];
}
