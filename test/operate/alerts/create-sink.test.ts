import { expect, it } from "vitest";
import { createSink, describeSink } from "../../../src/operate/alerts/create-sink.ts";
import { HttpError } from "../../../src/model/http.ts";
import type { SinkError } from "../../../src/model/sink.ts";
import type { SinkDeps } from "../../../src/sinks/kind/sink-type.ts";
import { HOOK_SECRET } from "../../support/hook-receiver.ts";
import { startInnerDaemon } from "../../support/inner-daemon.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const config = {
  name: "hook",
  type: "webhook",
  settings: { url: "https://example.com/catch/12/abc/", timeout: "15s" },
  retryForMs: 1,
};

it("a failure names neither the address nor its path, and stays what it was", async () => {
  const cause = new HttpError(
    "HTTP_CONNECT",
    "https://example.com/catch/12/abc/ and /catch/12/abc cannot be reached",
    false,
    {
      hint: "see /catch/12/abc/",
    },
  );
  const http = { request: () => Promise.reject(cause) };
  const deps = { http, clock: createVirtualClock(0) } as unknown as SinkDeps;
  const sink = await createSink(config, deps);
  const message = { id: "1", sink: "hook", groupKey: "", sealedAtMs: 0, body: "" };
  const error: SinkError = await sink
    .send(message, new AbortController().signal)
    .catch((thrown) => thrown);
  expect(error).toMatchObject({
    kind: "transient",
    message: "[redacted] and [redacted] cannot be reached",
    hint: "see [redacted]",
    retry: "later",
  });
});

it("a refusal to publish does not name the token", async () => {
  const answer = { status: 403, headers: {}, body: '{"message":"no access with discord-token"}' };
  const deps = {
    http: { request: async () => answer },
    clock: createVirtualClock(0),
    log: { child: () => undefined },
  } as unknown as SinkDeps;
  const settings = { token: "discord-token", channel_id: "7", crosspost: true, style: "embed" };
  const sink = await createSink({ name: "news", type: "discord", settings, retryForMs: 1 }, deps);
  const error: SinkError = await (
    sink.crosspost?.("8", new AbortController().signal) ?? Promise.resolve()
  ).catch((thrown) => thrown);
  expect(error).toMatchObject({
    kind: "destination",
    message: expect.stringContaining("no access with [redacted]"),
  });
});

it("is named beside an address, and not beside a channel", () => {
  expect(describeSink(config)).toMatch(/^hook \(example\.com, [0-9a-f]{6}\)$/);
  expect(
    describeSink({ ...config, type: "slack", settings: { token: "t", channel: "#brand" } }),
  ).toBe("#brand");
});

it("a daemon registers every secret of its sinks with its log", async () => {
  const daemon = await startInnerDaemon({
    watches: () => ({ w: { type: "search", query: "acme" } }),
  });
  expect(daemon.secrets).toEqual(expect.arrayContaining([HOOK_SECRET, daemon.hook.url]));
});
