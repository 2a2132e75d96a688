import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SinkError } from "../../src/model/sink.ts";
import { createHttpAgent, type HttpAgent } from "../../src/runtime/http-agent.ts";
import type { SinkDeps } from "../../src/sinks/kind/sink-type.ts";
import { teamsSink } from "../../src/sinks/teams/teams.ts";
import { type LoopbackServer, startLoopbackServer } from "../support/loopback-server.ts";
import { teamsText } from "../support/teams-stand-in.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { tweetBatch } from "./chat-batch.ts";

let server: LoopbackServer;
let http: HttpAgent;
beforeAll(async () => {
  server = await startLoopbackServer();
  http = createHttpAgent();
});
afterAll(async () => {
  await http.close();
  await server.close();
});

async function send(settings: Record<string, unknown> = {}) {
  const parsed = teamsSink.schema.parse({ webhook_url: `${server.url}/workflows/1?sig=secret`, allow_private: true, ...settings });
  const sink = await teamsSink.create("news", parsed as never, { http, clock: createVirtualClock(0) } as unknown as SinkDeps);
  const photo = { type: "photo", link: "https://pics.example/l", preview: "https://pics.example/p.jpg" };
  const body = sink.render(
    tweetBatch([{ full_text: "**bold** [a](b)\n\n<at>all</at> {{DATE(2026-01-01T00:00:00Z)}}", entities: [photo] }]),
  );
  const message = { id: "m1", sink: "news", groupKey: "", sealedAtMs: 0, body };
  return sink.send(JSON.parse(JSON.stringify(message)), new AbortController().signal);
}

describe("the Teams sink", () => {
  it("posts an Adaptive Card in which a stranger's markup stays text", async () => {
    server.answer((_, response) => response.writeHead(202).end());
    expect(await send()).toEqual({});
    const request = server.received.at(-1);
    expect(request).toMatchObject({ method: "POST", url: "/workflows/1?sig=secret" });
    expect(request?.headers["content-type"]).toBe("application/json; charset=utf-8");
    const message = JSON.parse(request?.body ?? "");
    expect(message.attachments[0]).toMatchObject({
      contentType: "application/vnd.microsoft.card.adaptive",
      content: { type: "AdaptiveCard" },
    });
    expect(request?.body).not.toContain('TextBlock","text');
    expect(teamsText(message)).toContain("\n**bold** [a](b)\n<\u200bat>all<\u200b/at> {\u200b{DATE(2026-01-01T00:00:00Z)}}\n");
    expect(message.attachments[0].content.body).toContainEqual(
      expect.objectContaining({ type: "Image", url: "https://pics.example/p.jpg" }),
    );
  });

  it.each([
    [400, "message", "template for webhook alerts"],
    [401, "destination", "trigger again"],
    [404, "destination", "turn it on"],
    [413, "message", ""],
    [429, "rate_limited", ""],
    [502, "transient", ""],
  ])("takes %i for a failure of kind %s", async (status, kind, hint) => {
    server.answer((_, response) => response.writeHead(status, { "retry-after": "7" }).end("no"));
    const error: SinkError = await send().then(
      () => expect.unreachable(),
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ kind, status, ...(kind === "rate_limited" ? { retry: { afterMs: 7_000 } } : {}) });
    expect(error.hint).toContain(hint);
  });

  it("reaches no private address unless it may", async () => {
    const before = server.received.length;
    await expect(send({ allow_private: false })).rejects.toMatchObject({
      kind: "destination",
      hint: expect.stringContaining("allow_private"),
    });
    expect(server.received).toHaveLength(before);
  });
});
