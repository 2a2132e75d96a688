import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ChirpEvent } from "../../src/model/event.ts";
import type { JsonText } from "../../src/model/json.ts";
import { SinkError, type Batch, type SealedMessage, type Sink } from "../../src/model/sink.ts";
import { createHttpAgent, type HttpAgent } from "../../src/runtime/http-agent.ts";
import { createOutputs } from "../../src/runtime/outputs.ts";
import { eventDocument } from "../../src/sinks/kind/event-json.ts";
import { sinkPlace } from "../../src/sinks/kind/sink-secrets.ts";
import { webhookSink } from "../../src/sinks/webhook/webhook.ts";
import { startLoopbackServer, type LoopbackServer } from "../support/loopback-server.ts";
import { EVENT_TIME_MS, makeEvent, makeTweet, makeUser } from "../support/make-event.ts";
import { openTemp, START_MS, tempStatePath } from "../state/temp-state.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

let server: LoopbackServer;
let http: HttpAgent;
let clock: VirtualClock;

beforeAll(async () => {
  server = await startLoopbackServer();
  http = createHttpAgent();
});
beforeEach(() => {
  // The library that verifies signatures reads the real clock, so the virtual one starts there.
  clock = createVirtualClock(Date.now());
  server.answer((_, response) => response.writeHead(204).end());
});
afterAll(async () => {
  await http.close();
  await server.close();
});

const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };

function makeSink(settings: Record<string, unknown> = {}): Promise<Sink> {
  const parsed = webhookSink.schema.parse({
    url: `${server.url}/hook?token=t`,
    allow_private: true,
    ...settings,
  });
  const deps = {
    http,
    clock,
    log,
    write: () => {},
    outputs: createOutputs(),
    linksHost: "https://x.com",
  };
  return webhookSink.create("hook", parsed as Parameters<typeof webhookSink.create>[1], deps);
}

const batchOf = (events: readonly ChirpEvent[], changes: Partial<Batch> = {}): Batch => ({
  events: events.map((event) => ({ event, watches: [event.watch] })),
  sample: false,
  read: () => {
    throw new Error("a webhook reads nothing aloud");
  },
  ...changes,
});

const sealed = (sink: Sink, batch: Batch): SealedMessage => ({
  id: "m1",
  sink: "hook",
  groupKey: "g",
  sealedAtMs: EVENT_TIME_MS,
  body: sink.render(batch),
});

const rendered = (sink: Sink, batch: Batch) => JSON.parse((sink.render(batch) as JsonText).text);
const send = async (sink: Sink, events = [makeEvent("1")]) =>
  sink.send(sealed(sink, batchOf(events)), new AbortController().signal);

async function failureOf(status: number, headers: Record<string, string> = {}): Promise<SinkError> {
  server.answer((_, response) => response.writeHead(status, headers).end("a reason"));
  return send(await makeSink()).then(
    () => expect.unreachable(),
    (error: SinkError) => error,
  );
}

describe("the body", () => {
  it("of one event is its type, its time and its data", async () => {
    const event = makeEvent("1");
    expect(rendered(await makeSink(), batchOf([event]))).toEqual({
      type: "tweet.created",
      timestamp: "2026-01-15T12:00:00.000Z",
      data: {
        id: event.id,
        watch: "brand",
        labels: event.labels,
        occurred_at: "2026-01-15T12:00:00.000Z",
        tweet: event.body.tweet,
      },
    });
  });

  it("of several is a batch of them, each with its type", async () => {
    const follower = makeEvent("5", { type: "follower.added" });
    const score = makeEvent("6", {
      type: "score.changed",
      body: {
        user: makeUser("6"),
        score: { week_delta: 30, month_delta: 1 },
        previous: { week_delta: 20, month_delta: 1 },
        crossed: ["week_delta"],
      },
      detectedAtMs: EVENT_TIME_MS + 1_000,
    });
    const body = rendered(await makeSink(), batchOf([follower, score]));
    expect(body).toMatchObject({ type: "events.batch", timestamp: "2026-01-15T12:00:01.000Z" });
    expect(Object.keys(body)).toEqual(["type", "timestamp", "data"]);
    expect(body.data.events).toEqual([
      {
        type: "follower.added",
        id: follower.id,
        watch: "brand",
        labels: follower.labels,
        occurred_at: "2026-01-15T12:00:00.000Z",
        ...follower.body,
      },
      {
        type: "score.changed",
        id: score.id,
        watch: "brand",
        labels: score.labels,
        occurred_at: "2026-01-15T12:00:00.000Z",
        ...score.body,
      },
    ]);
  });

  it("of a scheduled digest names its title and period beside the events, however many they are", async () => {
    const period = { fromMs: Date.UTC(2026, 0, 15, 9), toMs: Date.UTC(2026, 0, 15, 10) };
    const documentOf = (count: number) => {
      const events = Array.from({ length: count }, (_, n) => ({
        event: makeEvent(String(n)),
        watches: [],
      }));
      const digest = { title: "Mentions", period };
      return JSON.parse(eventDocument({ events, sample: false, digest }));
    };
    const digest = {
      title: "Mentions",
      from: "2026-01-15T09:00:00.000Z",
      to: "2026-01-15T10:00:00.000Z",
    };
    expect(documentOf(1)).toMatchObject({ type: "tweet.created", digest });
    expect(documentOf(2)).toMatchObject({ type: "events.batch", digest });
    expect(documentOf(0)).toEqual({
      type: "events.batch",
      timestamp: digest.to,
      digest,
      data: { events: [] },
    });
  });

  it("of a sample says so", async () => {
    expect(rendered(await makeSink(), batchOf([makeEvent("1")], { sample: true })).sample).toBe(
      true,
    );
  });
});

describe("the request", () => {
  it("carries id, time and a signature that the standard's own library accepts", async () => {
    await send(await makeSink({ secret: SECRET, headers: { "X-Team": "comms" } }));
    const request = server.received.at(-1);
    expect(request).toMatchObject({ method: "POST", url: "/hook?token=t" });
    expect(request?.headers).toMatchObject({
      "webhook-id": "m1",
      "content-type": "application/json",
      "x-team": "comms",
    });
    const verified = new Webhook(SECRET).verify(
      request?.body ?? "",
      request?.headers as Record<string, string>,
    );
    expect(verified).toMatchObject({ type: "tweet.created" });
    expect(() =>
      new Webhook(SECRET).verify(`${request?.body} `, request?.headers as Record<string, string>),
    ).toThrow("signature");
  });

  it("has the same body, byte for byte, when the state gives it back, whatever an author wrote and whatever the labels are called", async () => {
    const store = await openTemp(tempStatePath());
    const sink = await makeSink();
    const labels = JSON.parse(
      '{"b":"x","10":"ten","2":"two","__proto__":"p","a":"\\u2028"}',
    ) as ChirpEvent["labels"];
    const events = [
      makeEvent("1", {
        labels,
        body: { tweet: makeTweet("1", '\ud800 "\\u0041" \u2028 \0 👩‍👩‍👧 \ufeff') },
      }),
    ];
    const body = sink.render(batchOf(events));
    await store.seal([
      { ...sealed(sink, batchOf(events)), body, throttleKey: null, deliveryIds: [] },
    ]);
    const { messages } = await store.dueWork({
      nowMs: START_MS,
      sinks: ["hook"],
      busy: new Set(),
      limit: 1,
    });
    for (const message of messages) await sink.send(message, new AbortController().signal);
    expect(server.received.at(-1)?.body).toBe((body as JsonText).text);
    await store.close();
  });

  it("of a message that an earlier version sealed is the document, which that stored as a string", async () => {
    const sink = await makeSink();
    await sink.send(
      { ...sealed(sink, batchOf([makeEvent("1")])), body: '{"type":"tweet.created"}' },
      new AbortController().signal,
    );
    expect(server.received.at(-1)?.body).toBe('{"type":"tweet.created"}');
  });

  it("is signed anew in every attempt, over the same id and body", async () => {
    const sink = await makeSink({ secret: SECRET });
    const message = sealed(sink, batchOf([makeEvent("1")]));
    await sink.send(message, new AbortController().signal);
    await clock.advance(90_000);
    await sink.send(message, new AbortController().signal);
    const [first, second] = server.received.slice(-2);
    expect([second?.headers["webhook-id"], second?.body]).toEqual([
      first?.headers["webhook-id"],
      first?.body,
    ]);
    expect(
      Number(second?.headers["webhook-timestamp"]) - Number(first?.headers["webhook-timestamp"]),
    ).toBe(90);
    new Webhook(SECRET).verify(second?.body ?? "", second?.headers as Record<string, string>);
  });

  it.each([["a plain secret!"], ["MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]])(
    "takes the plain secret %s as the key itself",
    async (secret) => {
      await send(await makeSink({ secret }));
      const request = server.received.at(-1);
      new Webhook(secret, { format: "raw" }).verify(
        request?.body ?? "",
        request?.headers as Record<string, string>,
      );
    },
  );

  it("also satisfies a library that decodes a plain secret which looks like base64", async () => {
    const secret = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    await send(await makeSink({ secret }));
    const request = server.received.at(-1);
    new Webhook(secret).verify(request?.body ?? "", request?.headers as Record<string, string>);
  });

  it.each([
    ["a list", ["whsec_bmV3IHNlY3JldCBvZiB0aGUgd2ViaG9vaw==", SECRET]],
    ["the lines of a file", `whsec_bmV3IHNlY3JldCBvZiB0aGUgd2ViaG9vaw==\r\n\n${SECRET}`],
  ])(
    "is signed with each secret of %s, the first one first, so that receivers may know either",
    async (_, secret) => {
      await send(await makeSink({ secret }));
      const request = server.received.at(-1);
      const headers = request?.headers as Record<string, string>;
      const signatures = headers["webhook-signature"]?.split(" ") ?? [];
      expect(signatures).toHaveLength(2);
      for (const [index, one] of ["whsec_bmV3IHNlY3JldCBvZiB0aGUgd2ViaG9vaw==", SECRET].entries()) {
        new Webhook(one).verify(request?.body ?? "", headers);
        new Webhook(one).verify(request?.body ?? "", {
          ...headers,
          "webhook-signature": signatures[index] ?? "",
        });
      }
    },
  );

  it("is unsigned without a secret", async () => {
    await send(await makeSink());
    expect(server.received.at(-1)?.headers["webhook-signature"]).toBeUndefined();
    expect(server.received.at(-1)?.headers["webhook-id"]).toBe("m1");
  });
});

describe("an answer", () => {
  it.each([200, 201, 202, 204, 299])("%i means taken", async (status) => {
    server.answer((_, response) => response.writeHead(status).end());
    await expect(send(await makeSink())).resolves.toEqual({});
  });

  it("of 2xx means taken by its status line, whatever its body does", async () => {
    server.answer(
      (_, response) =>
        void response.writeHead(200, { "content-length": "999" }).write("never whole"),
    );
    await expect(send(await makeSink({ timeout: "1h" }))).resolves.toEqual({});
    server.answer(
      (_, response) => void response.writeHead(200).write("broken off", () => response.destroy()),
    );
    await expect(send(await makeSink({ timeout: "1h" }))).resolves.toEqual({});
  });

  it.each([400, 409, 413, 415, 422])("%i will never be taken", async (status) => {
    expect(await failureOf(status)).toMatchObject({
      kind: "message",
      status,
      retry: "no",
      message: expect.stringContaining("a reason"),
    });
  });

  it.each([401, 403, 404, 405])("%i speaks of the address", async (status) => {
    const error = await failureOf(status);
    expect(error).toMatchObject({ kind: "destination", status });
    expect(error.hint).not.toBe("");
  });

  it("fault 49: 410 means the endpoint is gone", async () => {
    expect(await failureOf(410)).toMatchObject({
      kind: "destination",
      hint: expect.stringContaining("gone for good"),
      fields: { gone: true },
    });
  });

  it.each([408, 425, 500, 502, 503, 504])("%i may pass", async (status) => {
    expect(await failureOf(status)).toMatchObject({ kind: "transient", status, retry: "later" });
  });

  it("with Retry-After says when to come back", async () => {
    expect(await failureOf(429, { "retry-after": "30" })).toMatchObject({
      kind: "rate_limited",
      retry: { afterMs: 30_000 },
    });
    expect(await failureOf(429)).toMatchObject({ kind: "rate_limited", retry: "later" });
    expect(await failureOf(503, { "retry-after": "7" })).toMatchObject({
      kind: "transient",
      retry: { afterMs: 7_000 },
    });
  });

  it.each([301, 302, 303, 307, 308])(
    "fault 50: %i is a failure, and is not followed",
    async (status) => {
      const before = server.received.length;
      const error = await failureOf(status, { location: `${server.url}/elsewhere` });
      expect(error).toMatchObject({
        kind: "destination",
        message: expect.stringContaining("not followed"),
      });
      expect(server.received.length).toBe(before + 1);
    },
  );

  it("that never comes is transient", async () => {
    server.answer(() => {});
    await expect(send(await makeSink({ timeout: "150ms" }))).rejects.toMatchObject({
      kind: "transient",
    });
  });

  it("fault 51: a private address is refused before anything is sent, and explained", async () => {
    const before = server.received.length;
    const error = await send(await makeSink({ allow_private: false })).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      kind: "destination",
      hint: expect.stringContaining("allow_private: true"),
    });
    expect(String(error)).not.toContain("token=t");
    expect(server.received.length).toBe(before);
  });
});

describe("settings", () => {
  const problems = (settings: Record<string, unknown>) => {
    const parsed = webhookSink.schema.safeParse({ url: "https://example.com/hook", ...settings });
    return parsed.success ? [] : parsed.error.issues.map((issue) => issue.message);
  };

  it.each([
    [{ url: "example.com/hook" }, "must be an address that starts with https:// or http://"],
    [{ url: "https://me:pass@example.com/" }, "must not contain a user name or password"],
    [{ secret: "whsec_***" }, "starts with whsec_ but the rest is not base64"],
    [{ secret: "" }, "is empty"],
    [{ timeout: "soon" }, "must be a duration"],
    [{ headers: { "webhook-id": "x" } }, "are set by chirpwatch"],
    [{ headers: { "x y": "z" } }, "is not a header name"],
    [{ secrte: "x" }, "secrte"],
  ])("%o is refused in words", (settings, message) => {
    expect(problems(settings).join()).toContain(message);
  });

  it("never repeats a secret in what is wrong with it", () => {
    expect(problems({ secret: "whsec_hunter2!" }).join()).not.toContain("hunter2");
  });

  it("are described by host and fingerprint, and name the place they send to", () => {
    const settings = {
      url: "https://example.com/hook?token=t",
      max_events: 1,
      max_bytes: "1KB",
      timeout: "15s",
      allow_private: false,
    };
    expect(sinkPlace(webhookSink, settings)).toBe("example.com, a20a29");
    expect(webhookSink.destinations(settings)).toEqual([{ kind: "url", url: settings.url }]);
  });
});
