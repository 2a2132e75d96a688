import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SinkError } from "../../src/model/sink.ts";
import { createHttpAgent, type HttpAgent } from "../../src/runtime/http-agent.ts";
import { appriseSink } from "../../src/sinks/apprise.ts";
import type { SinkDeps } from "../../src/sinks/kind/sink-type.ts";
import { type LoopbackServer, startLoopbackServer } from "../support/loopback-server.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { tweetBatch } from "./chat-batch.ts";

let server: LoopbackServer;
let http: HttpAgent;
beforeAll(async () => {
  server = await startLoopbackServer((_, response) => response.writeHead(200).end());
  http = createHttpAgent();
});
afterAll(async () => {
  await http.close();
  await server.close();
});

async function send(settings: Record<string, unknown>) {
  const parsed = appriseSink.schema.parse({ url: `${server.url}/`, allow_private: true, ...settings });
  const sink = await appriseSink.create("all", parsed as never, { http, clock: createVirtualClock(0) } as unknown as SinkDeps);
  const body = sink.render(tweetBatch([{ full_text: "@everyone come" }]));
  const message = { id: "m1", sink: "all", groupKey: "", sealedAtMs: 0, body };
  return sink.send(JSON.parse(JSON.stringify(message)), new AbortController().signal);
}

describe("the Apprise sink", () => {
  it("notifies what the server has under a key", async () => {
    server.answer((_, response) => response.writeHead(200).end());
    await send({ key: "brand", tag: "urgent" });
    const request = server.received.at(-1);
    expect(request?.url).toBe("/notify/brand");
    const { title, body, ...rest } = JSON.parse(request?.body ?? "");
    expect(rest).toEqual({ type: "info", tag: "urgent", format: "text" });
    expect(title).toMatch(/posted/);
    expect(body).toContain("@\u200beveryone come");
  });

  it("notifies the URLs of the sink", async () => {
    await send({ urls: "json://a.example" });
    expect(server.received.at(-1)?.url).toBe("/notify/");
    expect(JSON.parse(server.received.at(-1)?.body ?? "")).toMatchObject({ urls: "json://a.example" });
  });

  it.each([
    [204, "destination", "Add Apprise URLs"],
    [400, "message", "log of the Apprise server"],
    [404, "destination", "Check `url` and `key`"],
    [424, "transient", "A service behind Apprise refused"],
    [500, "transient", ""],
  ])("takes %i for a failure of kind %s", async (status, kind, hint) => {
    server.answer((_, response) => response.writeHead(status).end());
    const error: SinkError = await send({ key: "brand" }).then(
      () => expect.unreachable(),
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ kind, status });
    expect(error.hint).toContain(hint);
  });

  it("reaches no private address unless it may", async () => {
    await expect(send({ allow_private: false })).rejects.toMatchObject({
      kind: "destination",
      hint: expect.stringContaining("allow_private"),
    });
  });
});
