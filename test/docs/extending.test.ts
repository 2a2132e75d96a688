import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createUpstream } from "../../src/api/upstream.ts";
import { loadConfig } from "../../src/config/load/load-config.ts";
import { formatIssue } from "../../src/config/report.ts";
import type { Batch } from "../../src/model/sink.ts";
import { createHttpAgent, type HttpAgent } from "../../src/runtime/http-agent.ts";
import { createOutputs } from "../../src/runtime/outputs.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { SINK_TYPES } from "../../src/sinks/registry.ts";
import { listTweets } from "../../src/watches/list-tweets.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { json, type LoopbackServer, startLoopbackServer } from "../support/loopback-server.ts";
import { EVENT_TIME_MS, makeEvent } from "../support/make-event.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { textPostSink } from "./examples/text-post.ts";

let http: HttpAgent;
let server: LoopbackServer;
beforeAll(async () => {
  http = createHttpAgent();
  server = await startLoopbackServer();
});
afterAll(async () => {
  await http.close();
  await server.close();
});

const EXAMPLE = `version: 1
watches:
  listed:
${listTweets.example.replace(/^/gm, "    ")}
sinks:
  lines:
${textPostSink.example.trimEnd().replace(/^/gm, "    ")}
ops: { sink: lines }
`;

function loadExample() {
  const files = {
    readText: async () => EXAMPLE,
    size: async () => EXAMPLE.length,
    exists: async (path: string) => path.endsWith("watches.yaml"),
    isDirectory: async () => false,
    list: async () => [],
  };
  return loadConfig({
    path: "/etc/watches.yaml",
    files,
    env: { TEXT_POST_URL: "https://example.com/lines" },
    watchTypes: WATCH_TYPES,
    sinkTypes: [...SINK_TYPES, textPostSink],
  });
}

const settingsOfList = (list: string) =>
  listTweets.schema().parse({ list }) as { readonly list: string };

describe("the examples of docs/extending.md", () => {
  it("make a configuration once they are in the registries", async () => {
    const loaded = await loadExample();
    expect(
      loaded.ok ? loaded.config.warnings.map(formatIssue) : loaded.issues.map(formatIssue),
    ).toEqual([]);
    expect(loaded.ok && loaded.config.watches[0]?.type).toBe("list_tweets");
  });

  it("list_tweets asks the service for tweets it can read aloud", async () => {
    const sandbox = await startSandbox({ clock: createVirtualClock(Date.UTC(2026, 2, 6, 12)) });
    try {
      const url = `${sandbox.url}/_sandbox/sample`;
      const sample = await http.request({
        method: "GET",
        url,
        timeoutMs: 5_000,
        maxBytes: 1_000_000,
        reach: "loopback",
      });
      const [list = ""] = (JSON.parse(sample.body) as { readonly list_ids: readonly string[] })
        .list_ids;
      const upstream = createUpstream({ http, baseUrl: sandbox.url, key: () => sandbox.key });
      const source = listTweets.source(settingsOfList(list), {
        key: list,
        userId: null,
        memory: {},
      });
      const [tweet] = (await upstream.call(source)).tweets ?? [];
      if (tweet === undefined) return expect.unreachable("the list has tweets");
      const event = { ...makeEvent(tweet.id), body: { tweet } };
      expect(
        listTweets.read({ event, watches: ["listed"] }, { linksHost: "https://x.com" }).body,
      ).toContain(tweet.full_text.slice(0, 10));
    } finally {
      await sandbox.close();
    }
  });

  it("text_post posts one line for each event, and says when the receiver is unreachable", async () => {
    const clock = createVirtualClock(EVENT_TIME_MS);
    const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
    const sink = await textPostSink.create(
      "lines",
      { url: server.url },
      { http, clock, log, write: () => {}, outputs: createOutputs(), linksHost: "https://x.com" },
    );
    const batch: Batch = {
      events: ["1", "2"].map((id) => ({ event: makeEvent(id), watches: ["listed"] })),
      sample: false,
      read: ({ event }) => ({
        title: `News ${event.subject}`,
        body: "",
        media: [],
        facts: [],
        occurredAtMs: event.occurredAtMs,
        watches: [],
        severity: "info",
      }),
    };
    const message = {
      id: "m1",
      sink: "lines",
      groupKey: "g",
      sealedAtMs: EVENT_TIME_MS,
      body: sink.render(batch),
    };
    await sink.send(message, new AbortController().signal);
    expect(
      server.received
        .at(-1)
        ?.body.split("\n")
        .map((line) => line.trim()),
    ).toEqual(["News 1", "News 2"]);
    expect(server.received.at(-1)?.headers["x-message-id"]).toBe("m1");
    server.answer(json({}, 404));
    await expect(sink.send(message, new AbortController().signal)).rejects.toMatchObject({
      kind: "destination",
    });
  });
});
