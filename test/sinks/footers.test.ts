/**
 * Tests the line below messages: it stays within the limits of each vendor, and its text takes no
 * effect.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import type { SealedMessage } from "../../src/model/sink.ts";
import { appriseSink } from "../../src/sinks/apprise.ts";
import { chatWebhookSink } from "../../src/sinks/chat-webhook.ts";
import { consoleSink } from "../../src/sinks/console.ts";
import { withEmailFooter } from "../../src/sinks/email/email-render.ts";
import type { SinkDeps, SinkType } from "../../src/sinks/kind/sink-type.ts";
import { SINK_TYPES } from "../../src/sinks/registry.ts";
import { withTeamsFooter } from "../../src/sinks/teams/teams-render.ts";
import type { HttpRequest } from "../../src/model/http.ts";
import type { DiscordBody } from "../../src/sinks/discord/discord-render.ts";
import { withDiscordFooter } from "../../src/sinks/discord/discord-footer.ts";
import type { SlackBody } from "../../src/sinks/slack/slack-blocks.ts";
import { withSlackFooter } from "../../src/sinks/slack/slack-footer.ts";
import {
  editTelegramMessage,
  withTelegramFooter,
} from "../../src/sinks/telegram/telegram-footer.ts";
import { acknowledgedLine } from "../../src/render/text/acknowledged-text.ts";
import { telegramRefusal } from "../support/telegram-stand-in.ts";

const AT = Date.UTC(2026, 0, 15, 12, 4);
const mark = (by: string, atMs = AT) => ({ by, from: "page", atMs });

describe("the line", () => {
  it.each([
    [[], 2, ""],
    [["Ada"], 1, "Acknowledged by Ada at 12:04 UTC"],
    [["Ada"], 3, "Acknowledged: 1 of 3 by Ada"],
    [["Ada", "Ada"], 2, "All 2 acknowledged by Ada at 12:04 UTC"],
    [["Bob", "Ada", "Ada"], 3, "Acknowledged: 2 of 3 by Ada, 1 by Bob"],
    [["A", "B", "C", "D", "E"], 5, "Acknowledged: 1 of 5 by A, 1 by B, 1 by C, some by 2 more"],
  ] as const)("for marks by %j of %i alerts", (people, alerts, line) => {
    expect(acknowledgedLine({ marks: people.map((by) => mark(by)), alerts })).toBe(line);
  });

  it("has the time of the sink's readers", () => {
    const region = { timezone: "Europe/Berlin" };
    expect(acknowledgedLine({ marks: [mark("Ada")], alerts: 1 }, region)).toBe(
      "Acknowledged by Ada at 13:04",
    );
  });
});

const texts = (max: number) => fc.string({ maxLength: max, unit: "grapheme" });
const lines = fc.array(texts(300), { maxLength: 40 }).map((all) => all.join("\n"));

describe("the line below a message", () => {
  it("leaves a Discord message within its limit, and stands last in it", () => {
    fc.assert(
      fc.property(
        lines,
        texts(400).filter((text) => text.trim() !== ""),
        (above, footer) => {
          const cut = above.slice(0, 2_000);
          const body: DiscordBody = { content: cut, embeds: [], plain: cut, threadName: "t" };
          const { content, plain } = withDiscordFooter(body, footer);
          expect(Math.max(content.length, plain.length)).toBeLessThanOrEqual(2_000);
        },
      ),
    );
  });

  it("leaves a Telegram message within its limits, with entities inside its text", () => {
    fc.assert(
      fc.property(lines, fc.nat(4_000), (above, at) => {
        const text = `x${above}`.slice(0, 4_096);
        const offset = Math.min(at, text.length - 1);
        const entities = [{ type: "bold" as const, offset, length: text.length - offset }];
        const body = withTelegramFooter({ text, entities }, "Acknowledged by Ada at 12:04");
        expect(telegramRefusal(body)).toBeUndefined();
        expect(body.text.endsWith("\nAcknowledged by Ada at 12:04")).toBe(true);
      }),
    );
  });

  it("leaves a Slack message within fifty blocks and their size", () => {
    const block = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });
    for (const [count, chars] of [
      [1, 10],
      [50, 10],
      [20, 700],
      [49, 260],
    ] as const) {
      const blocks = Array.from({ length: count }, () => block("x".repeat(chars)));
      const body: SlackBody = withSlackFooter({ text: "x", blocks }, "Acknowledged by Ada");
      expect(body.blocks.length).toBeLessThanOrEqual(50);
      expect(JSON.stringify(body.blocks).length).toBeLessThanOrEqual(13_000);
      expect(JSON.stringify(body.blocks.at(-1))).toContain("Acknowledged by Ada");
    }
  });

  it("lets no name take effect in a message", () => {
    const name = "<!channel> @everyone <@U1> [x](https://evil.example)";
    const line = `Acknowledged by ${name} at 12:04`;
    const slack = withSlackFooter({ text: "x", blocks: [{ type: "divider" }] }, line);
    expect(JSON.stringify(slack)).not.toMatch(/<[!@]/);
    const discord = withDiscordFooter({ content: "", embeds: [], plain: "", threadName: "" }, line);
    expect(discord.content).not.toMatch(/@everyone|<@|\[x\]\(/);
  });
});

describe("an edit of a Telegram message", () => {
  const body = { text: "news", entities: [] };
  const edit = async (status: number, answer: object) => {
    const requests: HttpRequest[] = [];
    const http = {
      request: async (request: HttpRequest) => {
        requests.push(request);
        return { status, headers: {}, body: JSON.stringify(answer) };
      },
    };
    const place = { url: "http://127.0.0.1/bot1:x/editMessageText", chat: "-1001", timeoutMs: 1 };
    const given = { http, clock: { now: () => AT } };
    const result = await editTelegramMessage(
      given,
      { ...place, reach: {} as never },
      { id: "m", ref: "7", channel: null, body },
      new AbortController().signal,
    ).catch((error: unknown) => error);
    return { requests, result };
  };

  it("names the message and has its whole text", async () => {
    const { requests, result } = await edit(200, { ok: true, result: { message_id: 7 } });
    expect(result).toBeUndefined();
    expect(JSON.parse(String(requests[0]?.body))).toEqual({
      ...{ chat_id: "-1001", message_id: 7, text: "news", entities: [] },
      link_preview_options: { is_disabled: true },
    });
  });

  it("counts as done where the message says so already, and is final where there is none", async () => {
    const same = "Bad Request: message is not modified: specified new message content …";
    expect((await edit(400, { ok: false, description: same })).result).toBeUndefined();
    const gone = { ok: false, description: "Bad Request: message to edit not found" };
    expect((await edit(400, gone)).result).toMatchObject({ kind: "message" });
    expect((await edit(502, {})).result).toMatchObject({ kind: "transient" });
  });
});

describe("the line at sinks that cannot edit", () => {
  const HOSTILE = "Acknowledged by <b>&{{DATE(x)}} @everyone at 12:04";
  it("stands last in a mail, escaped", () => {
    const mail = {
      subject: "s",
      text: "alert\n",
      html: "<html><body>\n<p>a</p>\n</body></html>\n",
    };
    const { text, html } = withEmailFooter(mail, HOSTILE);
    expect(text).toBe(`alert\n\n${HOSTILE}\n`);
    expect(html).toMatch(
      /<p>a<\/p>\n<p [^>]*>Acknowledged by &lt;b&gt;&amp;.*<\/p>\n<\/body><\/html>\n$/,
    );
  });

  it("stands last in a card of Teams, and gives way where there is no room", () => {
    const card = (body: readonly JsonObject[]): JsonObject => ({
      attachments: [{ content: { body } }],
    });
    const bodyOf = (message: JsonObject) => (message as any).attachments[0].content.body;
    const [, line] = bodyOf(withTeamsFooter(card([{ type: "x" }]), HOSTILE));
    expect(line.inlines[0].text).toContain("Acknowledged by");
    expect(line.inlines[0].text).not.toContain("{{");
    const full = card([{ type: "x".repeat(20_000) }]);
    expect(withTeamsFooter(full, HOSTILE)).toBe(full);
  });

  it.each([
    ["apprise", appriseSink, { url: "http://a:8000" }, { title: "t", body: "alert", type: "info" }],
    ["chat_webhook", chatWebhookSink, { webhook_url: "https://a.example/x" }, { text: "alert" }],
    ["console", consoleSink, {}, { heading: "", lines: [] }],
  ] as const)("is part of what %s sends", async (_, type, settings, body) => {
    const written: string[] = [];
    const deps = { write: async (text: string) => void written.push(text) };
    const sink = await (type as SinkType<any>).create("s", settings, deps as unknown as SinkDeps);
    const shown = sink.footer?.add(body, "Acknowledged by Ada at 12:04");
    expect(JSON.stringify(shown)).toContain("Acknowledged by Ada at 12:04");
    if (type !== consoleSink) return;
    const message = { id: "m", sink: "s", groupKey: "g", sealedAtMs: AT, body: shown };
    await sink.send(message as unknown as SealedMessage, new AbortController().signal);
    expect(written.join("")).toContain("Acknowledged by Ada at 12:04");
  });

  it.each([
    ["apprise", appriseSink, { url: "http://a:8000" }, { title: "t", body: "alert", type: "info" }],
    ["chat_webhook", chatWebhookSink, { webhook_url: "https://a.example/x" }, { text: "alert" }],
  ] as const)("mentions nobody in what %s sends", async (_, type, settings, body) => {
    const sink = await (type as SinkType<any>).create("s", settings, {} as unknown as SinkDeps);
    const shown = JSON.stringify(sink.footer?.add(body, "Acknowledged by <!channel> @here @ada"));
    expect(shown).toContain("Acknowledged by ");
    expect(shown).not.toMatch(/@\w|<!/);
  });

  it("is shown by every sink that shows alerts to people", async () => {
    const forPrograms = ["exec", "file", "webhook"];
    const sources = SINK_TYPES.filter(({ type }) => !forPrograms.includes(type));
    expect(sources.map(({ type }) => type).sort()).toEqual([
      "apprise",
      "chat_webhook",
      "console",
      "discord",
      "email",
      "slack",
      "teams",
      "telegram",
    ]);
  });
});
