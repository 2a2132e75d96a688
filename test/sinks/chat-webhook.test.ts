import { describe, expect, it } from "vitest";
import { chatWebhookSink } from "../../src/sinks/chat-webhook.ts";
import { tweetBatch } from "./chat-batch.ts";
import { errorOf, useReceiver } from "./receiver.ts";

const receiver = useReceiver();

const send = (settings: object = {}, text = "@all *come*") =>
  receiver.send(
    "chat_webhook",
    { webhook_url: `${receiver.url}/hooks/abc`, allow_private: true, ...settings },
    tweetBatch([{ full_text: text }]),
  );

const sentText = (): string =>
  (JSON.parse(receiver.received.at(-1)?.body ?? "") as { readonly text: string }).text;

describe("the chat webhook sink", () => {
  it("posts a text with the author, the words and the link, and nothing else", async () => {
    receiver.answer((_, response) => response.writeHead(200).end("ok"));
    await send();
    const request = receiver.received.at(-1);
    expect(request?.url).toBe("/hooks/abc");
    expect(request?.headers["content-type"]).toContain("application/json");
    expect(Object.keys(JSON.parse(request?.body ?? ""))).toEqual(["text"]);
    expect(sentText()).toMatch(
      /^ALICE \(@\u200balice\) posted\n@\u200ball ∗come∗\n\nOpen https:\/\/x\.com\/alice\/status\/\d+ /,
    );
  });

  it.each([
    ["- one\n1. two\n    three\n# four", "\u200b- one\n\u200b1. two\nthree\n#\u200b four"],
    ["see https://e.com/a_b?x=*1*~2 and _this_", "see https://e.com/a_b?x=%2A1%2A%7E2 and ˍthisˍ"],
    [
      "[here](https://evil.example) <https://evil.example|x>",
      "[here]\u200b(https://evil.example) <\u200bhttps://evil.example%7Cx%3E",
    ],
    ["at 10:30:45 :tada: &lt;b", "at 10:30:45 :\u200btada: &\u200blt;b"],
  ])("takes markup for text: %j", async (written, shown) => {
    await send({}, written);
    expect(sentText()).toContain(shown);
  });

  it.each([
    [400, "destination", "make a new incoming webhook"],
    [401, "destination", "make a new incoming webhook"],
    [403, "destination", "ask its owner to join the channel"],
    [404, "destination", "make a new incoming webhook"],
    [405, "destination", "check the sink's address"],
    [413, "message", ""],
    [501, "destination", "ask an administrator to turn them on"],
    [503, "transient", ""],
  ])("takes %i for a failure of kind %s", async (status, kind, hint) => {
    receiver.answer((_, response) => response.writeHead(status).end());
    const error = await errorOf(send());
    expect(error).toMatchObject({ kind, status });
    expect(error.hint).toContain(hint);
  });

  it("waits as long as it is asked to", async () => {
    receiver.answer((_, response) => response.writeHead(429, { "retry-after": "7" }).end());
    await expect(send()).rejects.toMatchObject({ kind: "rate_limited", retry: { afterMs: 7_000 } });
  });

  it("stays within Google Chat's limit for a space, which no answer states", () => {
    const limits = (url: string) =>
      chatWebhookSink.limits?.({ webhook_url: url, timeout: "30s", allow_private: false });
    expect(limits("https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t")).toEqual([
      { count: 1, intervalMs: 1_020 },
    ]);
    expect(limits("https://mattermost.example/hooks/abc")).toEqual([]);
  });
});
