/** The pump over the real store and a real socket: what a scripted sink cannot prove. */
import { DestinationPace } from "../../src/deliver/queue/destination-pace.ts";
import { MessageSizes } from "../../src/deliver/queue/message-sizes.ts";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSinkWaits } from "../../src/deliver/queue/sink-waits.ts";
import type { PumpSink } from "../../src/deliver/queue/sink-queue.ts";
import { createPump, type Pump } from "../../src/deliver/pump.ts";
import type { Clock } from "../../src/model/clock.ts";
import type { ChirpEvent } from "../../src/model/event.ts";
import { routeEvent, throttlesByKey, type SinkFacts } from "../../src/route/route-event.ts";
import type { Throttle } from "../../src/route/route.ts";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import { createSystemRandom } from "../../src/runtime/system-random.ts";
import { createOutputs } from "../../src/runtime/outputs.ts";
import { webhookSink } from "../../src/sinks/webhook/webhook.ts";
import { openStore, type OpenedStore } from "../../src/state/open.ts";
import { countingHttp } from "../support/counting-http.ts";
import { makeEmptyState } from "../support/empty-state.ts";
import { startLoopbackServer, type LoopbackServer } from "../support/loopback-server.ts";
import { makeEvent } from "../support/make-event.ts";
import { until } from "../support/until.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
const meter = { count() {}, set() {}, observe() {} };
const random = createSystemRandom();
let folder: string;
let server: LoopbackServer;
let clock: Clock;
let network: ReturnType<typeof countingHttp>;
let store: OpenedStore;
let pump: Pump | undefined;

beforeEach(async () => {
  folder = makeEmptyState();
  server = await startLoopbackServer();
  clock = createSystemClock();
  network = countingHttp();
  store = await openStore({ path: join(folder, "state.db"), clock, random, log });
});
afterEach(async () => {
  await pump?.stop(0);
  await network.closeHttp();
  await store.close();
  await server.close();
  await rm(folder, { recursive: true });
});

async function startPump(facts: SinkFacts = { chat: false }): Promise<Pump> {
  const settings = {
    url: server.url,
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    timeout: "15s",
    max_events: 1_000,
    max_bytes: "256KB",
    allow_private: true,
  };
  const sink = await webhookSink.create("hook", settings, {
    http: network.http,
    clock,
    log,
    write: () => {},
    outputs: createOutputs(),
    linksHost: "",
  });
  const target: PumpSink = {
    type: "webhook",
    sink,
    chat: facts.chat,
    concurrency: webhookSink.concurrency,
    retryForMs: 3_600_000,
    place: "",
    pace: new DestinationPace(),
    sizes: new MessageSizes(),
    waits: createSinkWaits(),
  };
  pump = createPump({
    store,
    holds: () => true,
    mayAct: async () => true,
    sinks: new Map([["hook", target]]),
    throttles: throttlesByKey(undefined, new Map([["hook", facts]])),
    clock,
    random,
    log,
    meter,
    silenceOf: () => undefined,
    readEvent: () => expect.unreachable("a webhook reads nothing aloud"),
    listedAt: () => expect.unreachable("a webhook lists everything"),
    onSinkFailing: () => {},
    onSinkRecovered: () => {},
    onPart: () => {},
    onDead: () => {},
    onUnpublished: () => {},
  });
  await pump.start();
  return pump;
}

async function commit(
  events: readonly ChirpEvent[],
  facts: SinkFacts = { chat: false },
): Promise<void> {
  const nowMs = clock.now();
  const routing = { ownSinks: ["hook"], tree: undefined, sinks: new Map([["hook", facts]]), nowMs };
  await store.commitPoll({
    atMs: nowMs,
    targets: [],
    verdicts: [],
    events,
    deliveries: events.flatMap((event) => routeEvent(event, routing)),
  });
}

const events = (count: number, type = "tweet.created") => {
  const detectedAtMs = clock.now();
  return Array.from({ length: count }, (_, i) => makeEvent(String(i), { type, detectedAtMs }));
};

const idsOf = (bodies: readonly { readonly body: string }[]): string[] =>
  bodies.flatMap(({ body }) => {
    const { data } = JSON.parse(body);
    return data.events?.map((event: { id: string }) => event.id) ?? [data.id];
  });

const sentCount = async () =>
  (await store.outboxStats()).find(({ sink }) => sink === "hook")?.sent ?? 0;

describe("the pump on the real store", () => {
  it("delivers every event once, signed, and records each", async () => {
    await commit(events(500));
    await startPump();
    await until("all of them", async () => (await sentCount()) === 500);
    expect(new Set(idsOf(server.received)).size).toBe(500);
    expect(server.received).toHaveLength(500);
  });

  it("fault 56: what was sealed and never recorded goes out again with the same id and body", async () => {
    server.answer(() => {});
    await commit(events(2));
    const first = await startPump();
    await until("both attempts", () => server.received.length === 2);
    await first.stop(0);
    server.answer((_, response) => response.writeHead(204).end());
    await startPump();
    await until("both", async () => (await sentCount()) === 2);
    const seen = server.received.map(
      ({ headers, body }) => `${String(headers["webhook-id"])} ${body}`,
    );
    expect(new Set(seen.slice(2))).toEqual(new Set(seen.slice(0, 2)));
  });

  it("fault 92: sends a batch that is too large in parts, and gives up only the alert that is refused alone", async () => {
    const most = 100 * 1_024;
    server.answer(({ body }, response) =>
      response.writeHead(Buffer.byteLength(body) > most ? 413 : 204).end(),
    );
    const sized = (bytes: number, id: string) => {
      const event = makeEvent(id, { detectedAtMs: clock.now() });
      return { ...event, body: { ...event.body, note: "x".repeat(bytes) } };
    };
    const all = [
      ...Array.from({ length: 120 }, (_, id) => sized(1_300, String(id))),
      sized(most, "alone"),
    ];
    const nowMs = clock.now();
    const routing = {
      ownSinks: ["hook"],
      tree: undefined,
      sinks: new Map([["hook", { chat: false }]]),
      nowMs,
    };
    const deliveries = all
      .flatMap((event) => routeEvent(event, routing))
      .map((one) => ({ ...one, groupKey: "team" }));
    await store.commitPoll({ atMs: nowMs, targets: [], verdicts: [], events: all, deliveries });
    await startPump();
    const dead = async () =>
      (await store.outboxStats()).find(({ sink }) => sink === "hook")?.dead ?? 0;
    await until("the one", async () => (await dead()) === 1);
    await until("nothing left", async () => (await store.nextDueAt(["hook"])) === null);
    const taken = server.received.filter(({ body }) => Buffer.byteLength(body) <= most);
    expect(idsOf(taken)).toEqual(all.slice(0, -1).map(({ id }) => id));
    expect(new Set(server.received.map(({ headers }) => headers["webhook-id"])).size).toBe(
      server.received.length,
    );
  });

  it("bundles the followers of one poll, and sends a throttled surplus of bundles and tweets as one digest", async () => {
    // By a clock that waits for the answers: the first two go out within the interval, however busy
    // the machine is.
    const virtual = createVirtualClock(Date.UTC(2026, 2, 6), network.settle);
    clock = virtual;
    const throttle: Throttle = {
      limit: 2,
      intervalMs: 60_000,
      onExceed: "digest",
      digestIntervalMs: 60_000,
    };
    const facts: SinkFacts = { chat: true, throttle };
    await startPump(facts);
    await commit([...events(5), ...events(4, "follower.added")], facts);
    pump?.wake();
    await virtual.advance(30_000);
    expect(await sentCount()).toBe(2);
    await virtual.advance(60_000);
    expect(await sentCount()).toBe(3);
    expect(idsOf(server.received).sort()).toEqual(
      [...events(5), ...events(4, "follower.added")].map(({ id }) => id).sort(),
    );
  });
});
