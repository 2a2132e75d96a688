import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SinkError } from "../../src/model/sink.ts";
import { createHttpAgent, type HttpAgent } from "../../src/runtime/http-agent.ts";
import { chatWebhookSink } from "../../src/sinks/chat-webhook.ts";
import type { SinkDeps } from "../../src/sinks/kind/sink-type.ts";
import { type LoopbackServer, startLoopbackServer } from "../support/loopback-server.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { tweetBatch } from "./chat-batch.ts";

let server: LoopbackServer;
let http: HttpAgent;
beforeAll(async () => {
  server = await startLoopbackServer((_, response) => response.writeHead(200).end("ok"));
  http = createHttpAgent();
});
afterAll(async () => {
  await http.close();
  await server.close();
});

async function send(settings: Record<string, unknown> = {}, text = "@all *come*") {
  const parsed = chatWebhookSink.schema.parse({ webhook_url: `${server.url}/hooks/abc`, allow_private: true, ...settings });
  const sink = await chatWebhookSink.create("team", parsed as never, { http, clock: createVirtualClock(0) } as unknown as SinkDeps);
  const body = sink.render(tweetBatch([{ full_text: text }]));
  const message = { id: "m1", sink: "team", groupKey: "", sealedAtMs: 0, body };
  return sink.send(JSON.parse(JSON.stringify(message)), new AbortController().signal);
}

const sentText = (): string => (JSON.parse(server.received.at(-1)?.body ?? "") as { readonly text: string }).text;

describe("the chat webhook sink", () => {
  it("posts a text with the author, the words and the link, and nothing else", async () => {
    server.answer((_, response) => response.writeHead(200).end("ok"));
    await send();
    const request = server.received.at(-1);
    expect(request?.url).toBe("/hooks/abc");
    expect(request?.headers["content-type"]).toContain("application/json");
    expect(Object.keys(JSON.parse(request?.body ?? ""))).toEqual(["text"]);
    expect(sentText()).toMatch(
      /^ALICE \(@\u200balice\) https:\/\/x\.com\/alice posted\n@\u200ball ∗come∗\nOpen https:\/\/x\.com\/alice\/status\/\d+ /,
    );
  });

  it.each([
    ["- one\n1. two\n    three\n# four", "\u200b- one\n\u200b1. two\nthree\n#\u200b four"],
    ["see https://e.com/a_b?x=*1*~2 and _this_", "see https://e.com/a_b?x=%2A1%2A%7E2 and ˍthisˍ"],
    ["[here](https://evil.example) <https://evil.example|x>", "[here]\u200b(https://evil.example) <\u200bhttps://evil.example%7Cx%3E"],
    ["at 10:30:45 :tada: &amp;lt;b", "at 10:30:45 :\u200btada: &\u200blt;b"],
  ])("takes markup for text: %j", async (written, shown) => {
    await send({}, written);
    expect(sentText()).toContain(shown);
  });

  it.each([
    [400, "destination", "make a new incoming webhook"],
    [401, "destination", "make a new incoming webhook"],
    [403, "destination", "let its owner join the channel"],
    [404, "destination", "make a new incoming webhook"],
    [405, "destination", "check the sink's address"],
    [413, "message", ""],
    [501, "destination", "let an administrator turn them on"],
    [503, "transient", ""],
  ])("takes %i for a failure of kind %s", async (status, kind, hint) => {
    server.answer((_, response) => response.writeHead(status).end());
    const error: SinkError = await send().then(
      () => expect.unreachable(),
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ kind, status });
    expect(error.hint).toContain(hint);
  });

  it("waits as long as it is asked to", async () => {
    server.answer((_, response) => response.writeHead(429, { "retry-after": "7" }).end());
    await expect(send()).rejects.toMatchObject({ kind: "rate_limited", retry: { afterMs: 7_000 } });
  });

  it("keeps to what Google Chat allows for a space, which no answer says", () => {
    const limits = (url: string) => chatWebhookSink.limits?.({ webhook_url: url, timeout: "30s", allow_private: false });
    expect(limits("https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t")).toEqual([{ count: 1, intervalMs: 1_020 }]);
    expect(limits("https://mattermost.example/hooks/abc")).toEqual([]);
  });
});
