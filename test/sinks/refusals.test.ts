/** Tests that every refusal that closes a sink says what to do about it. */
import { describe, expect, it } from "vitest";
import { SinkError } from "../../src/model/sink.ts";
import { tweetBatch } from "./chat-batch.ts";
import { errorOf, useReceiver } from "./receiver.ts";

const receiver = useReceiver();

const usual = new Set(
  (["message", "destination", "rate_limited", "transient"] as const).map(
    (kind) => new SinkError(kind, "").hint,
  ),
);

const refusal = (type: string, settings: object): Promise<SinkError> =>
  errorOf(receiver.send(type, settings, tweetBatch([{}])));

const local = { allow_private: true };
const SINKS: readonly (readonly [name: string, type: string, settings: (url: string) => object])[] =
  [
    ["a webhook", "webhook", (url) => ({ url, secret: "a secret", ...local })],
    ["a chat's webhook", "chat_webhook", (url) => ({ webhook_url: url, ...local })],
    ["a Teams workflow", "teams", (url) => ({ webhook_url: url, ...local })],
    ["Apprise", "apprise", (url) => ({ url, ...local })],
    ["Telegram", "telegram", (url) => ({ token: "1:abc", chat_id: "-1001", api_url: url })],
    ["a Discord webhook", "discord", (url) => ({ webhook_url: `${url}/api/webhooks/1/x` })],
    ["a Discord bot", "discord", (url) => ({ token: "t", channel_id: "5", api_url: `${url}/api` })],
    ["a Slack webhook", "slack", (url) => ({ webhook_url: `${url}/services/x` })],
  ];

describe.each(SINKS)("%s", (_, type, settings) => {
  it.each([301, 302, 401, 403, 404])("that is answered with %i says what to do", async (status) => {
    receiver.answer((_request, response) =>
      response.writeHead(status, { location: "https://elsewhere.example/" }).end(),
    );
    const error = await refusal(type, settings(receiver.url));
    expect(error).toMatchObject({ kind: "destination", status });
    expect(usual).not.toContain(error.hint);
  });

  it.each([400, 413, 429, 500, 503])(
    "that is answered with %i leaves nobody without advice",
    async (status) => {
      receiver.answer((_request, response) => response.writeHead(status).end());
      expect((await refusal(type, settings(receiver.url))).hint).toMatch(/\w{3}.*\.$/);
    },
  );

  it("that asks to wait says how long", async () => {
    const limited = JSON.stringify({ retry_after: 7, parameters: { retry_after: 7 } });
    receiver.answer((_request, response) =>
      response.writeHead(429, { "retry-after": "7" }).end(limited),
    );
    expect((await refusal(type, settings(receiver.url))).message).toMatch(/asks to wait 7/);
  });
});

describe("an address where nobody answers", () => {
  it.each([
    [
      "webhook",
      { url: "http://127.0.0.1:9/x", secret: "a secret", ...local },
      "something listens there",
    ],
    ["exec", { command: ["/nowhere/at-all"] }, "CHIRPWATCH_ALLOW_EXEC"],
    [
      "email",
      { host: "127.0.0.1", port: 9, from: "a@example.com", to: "b@example.com" },
      "Check `host`, `port` and `security`",
    ],
    ["file", { path: "/dev/full" }, "may write to"],
  ])("of a sink of type %s is the one to check", async (type, settings, hint) => {
    expect((await refusal(type, settings)).hint).toContain(hint);
  });
});
