/**
 * Tests which ops alerts a sink causes that fails or publishes nothing, what the log says about
 * credentials, and what a stop leaves undone.
 */
import { expect, it, onTestFinished } from "vitest";
import type { DaemonDeps } from "../../../src/app/daemon/daemon-deps.ts";
import { createDaemonEvents } from "../../../src/app/daemon/daemon-events.ts";
import { createDelivering } from "../../../src/app/delivering/delivering.ts";
import { createActiveSilences } from "../../../src/operate/alerts/silences.ts";
import type { EngineWatch } from "../../../src/engine/planned-watches.ts";
import type { HttpRequest } from "../../../src/model/http.ts";
import { type Share, WHOLE } from "../../../src/model/replicas.ts";
import { createPollTrace } from "../../../src/polling/run/poll-trace.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { goodConfig } from "../../config/load-text.ts";
import { memoryStatePath, openTemp, START_MS } from "../../state/temp-state.ts";
import { makeEvent } from "../../support/make-event.ts";
import { makeWatch } from "../../support/make-watch.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const OPS_URL = "https://ops.example/hook";
const NEWS_URL = "https://news.example/hook";

const NEWS = { type: "webhook", url: NEWS_URL, retry_for: "24h" };
/** A receiver's answer: a status and a text. */
type Answer = readonly [status: number, body?: string];

interface SetUpOptions {
  /** The escalation steps for alerts that nobody acknowledges. */
  readonly escalate?: readonly object[];
  readonly share?: Share;
}

/** Sets up the delivery part on a state of its own. Its sink `news` gets every alert. */
async function setUp(news: object = NEWS, { escalate, share = WHOLE }: SetUpOptions = {}) {
  const clock = createVirtualClock(START_MS);
  const random = createSeededRandom(1);
  const logged: (readonly [level: string, message: string, fields: unknown])[] = [];
  const take = (level: string) => (message: string, fields?: unknown) =>
    void logged.push([level, message, fields]);
  const log = {
    debug() {},
    info: take("info"),
    warn: take("warn"),
    error: take("error"),
    child: () => log,
  };
  const requests: HttpRequest[] = [];
  let answer: Answer = [204];
  const http = {
    async request(request: HttpRequest) {
      requests.push(request);
      const [status, body = ""] = request.url === OPS_URL ? ([204] as const) : answer;
      return { status, headers: { "content-type": "application/json" }, body };
    },
  };
  const store = await openTemp(memoryStatePath(), { clock });
  const config = await goodConfig(
    JSON.stringify({
      version: 1,
      watches: { w: { type: "search", query: "acme" } },
      sinks: { news, ops: { type: "webhook", url: OPS_URL } },
      route: { sink: "news", ...(escalate === undefined ? {} : { escalate }) },
      ops: { sink: "ops" },
    }),
  );
  const silences = createActiveSilences(store, clock);
  const events = createDaemonEvents();
  const meter = { count() {}, set() {}, observe() {} };
  const deps = {
    clock,
    random,
    hash: sha256,
    log,
    http,
    addSecret() {},
    write() {},
  } as unknown as DaemonDeps;
  const delivering = await createDelivering(config, {
    store,
    silences,
    meter,
    trace: createPollTrace(clock),
    events,
    deps,
    share,
  });
  onTestFinished(() => delivering.stop(0));
  return {
    clock,
    store,
    delivering,
    silences,
    logged,
    requests,
    answerWith: (...next: Answer) => {
      answer = next;
    },
    /** Commits alerts about these subjects, as a poll does. */
    async commit(...subjects: readonly string[]) {
      const created = subjects.map((subject) => makeEvent(subject));
      const nowMs = clock.now();
      const routed = created.map((event) =>
        delivering.active.route({ event, ownSinks: [] }, nowMs),
      );
      const deliveries = routed.flatMap((one) => one.deliveries);
      await store.commitPoll({
        atMs: nowMs,
        targets: [],
        verdicts: [],
        events: created,
        deliveries,
      });
      events.emit("committed");
    },
    /** Returns the requests that reached the ops sink. */
    opsAlerts: () =>
      requests.flatMap(({ url, body }) => (url === OPS_URL ? [JSON.parse(body ?? "")] : [])),
  };
}

it("an ops alert says since when a sink fails, how to repair it and how long its alerts are kept", async () => {
  const daemon = await setUp();
  await daemon.delivering.delivery().pump.start();
  await daemon.clock.advance(MINUTE);
  daemon.answerWith(410);
  await daemon.commit("1");
  await daemon.clock.advance(MINUTE);
  expect(daemon.opsAlerts()).toMatchObject([
    {
      type: "sink.failing",
      data: {
        message: "news takes no messages: the webhook answered 410",
        hint:
          "The receiver says that this address is gone for good, so nothing more is sent there: change `url`, or run `chirpwatch resume --sink NAME` if it is back. " +
          "Alerts for it are kept for 24h (retry_for) and are sent when it works again.",
        since: "2026-01-15T12:01:00.000Z",
      },
    },
  ]);
});

it("an ops alert about a failure without a remedy says where to look, and how long alerts are kept", async () => {
  const daemon = await setUp();
  await daemon.delivering.delivery().pump.start();
  daemon.answerWith(503, "later");
  await daemon.commit("1", "2", "3", "4", "5");
  await daemon.clock.advance(10 * MINUTE);
  expect(daemon.opsAlerts()).toMatchObject([
    {
      type: "sink.failing",
      data: {
        hint: "If this continues, look for the cause at the receiver. Alerts for it are kept for 24h (retry_for) and are sent when it works again.",
      },
    },
  ]);
  daemon.answerWith(204);
  await daemon.clock.advance(10 * MINUTE);
  expect(daemon.opsAlerts()[1]).toMatchObject({
    type: "sink.recovered",
    data: { message: "news takes messages again." },
  });
});

it("each recovery of a sink is reported, also a second one", async () => {
  const daemon = await setUp();
  await daemon.delivering.delivery().pump.start();
  for (const round of [1, 2]) {
    daemon.answerWith(503, "later");
    await daemon.commit(...[1, 2, 3, 4, 5].map((one) => `${round}${one}`));
    await daemon.clock.advance(20 * MINUTE);
    daemon.answerWith(204);
    await daemon.clock.advance(30 * MINUTE);
  }
  const types = daemon.opsAlerts().map(({ type }) => type);
  expect(types).toEqual(["sink.failing", "sink.recovered", "sink.failing", "sink.recovered"]);
});

it.each([
  [1, "1 message of news"],
  [2, "2 messages of news"],
])(
  "ops is sent how many messages were not published, why, and what helps: %i",
  async (count, subject) => {
    const daemon = await setUp({ type: "discord", token: "t", channel_id: "7", crosspost: true });
    await daemon.commit(...Array.from({ length: count }, (_, index) => String(index)));
    await sendAll(daemon);
    await daemon.clock.advance(61 * MINUTE);
    await daemon.delivering.delivery().pump.start();
    await daemon.clock.advance(MINUTE);
    expect(daemon.opsAlerts()).toMatchObject([
      {
        type: "sink.not_published",
        data: {
          message: `${subject} went to the channel, but not to its followers: the channel's hourly allowance went to newer messages`,
          hint: "Discord publishes about ten messages per hour and channel. Send fewer messages there, or set crosspost: false.",
          count,
        },
      },
    ]);
  },
);

it("fault 93: ops gets one alert a day about the services that a sink does not reach, and alerts that others took are not repeated", async () => {
  const daemon = await setUp({ type: "apprise", url: "https://apprise.example", key: "brand" });
  daemon.answerWith(
    424,
    '{"error":"One or more","details":[["INFO","","Sent Slack notification."],["WARNING","","Failed"]]}',
  );
  await daemon.delivering.delivery().pump.start();
  await daemon.commit("1");
  await daemon.clock.advance(10 * MINUTE);
  await daemon.commit("2");
  await daemon.clock.advance(10 * MINUTE);
  expect(daemon.opsAlerts()).toMatchObject([
    { type: "delivery.partial", data: { receivers: ["a service behind Apprise"] } },
  ]);
  expect((await daemon.store.outboxStats()).find(({ sink }) => sink === "news")).toMatchObject({
    sent: 2,
    dead: 0,
    waiting: 0,
  });
});

/**
 * Sends everything that is due, like an earlier process that ended before it published any of it.
 */
async function sendAll({ clock, store }: Awaited<ReturnType<typeof setUp>>): Promise<void> {
  const sealedAtMs = clock.now();
  const { groups } = await store.dueWork({
    nowMs: sealedAtMs,
    sinks: ["news"],
    busy: new Set(),
    limit: 10,
  });
  for (const [i, { sink, groupKey, members }] of groups.entries()) {
    const deliveryIds = members.map(({ deliveryId }) => deliveryId);
    await store.seal([
      { id: `m${i}`, sink, groupKey, throttleKey: null, sealedAtMs, body: "text", deliveryIds },
    ]);
    await store.record([
      { messageId: `m${i}`, kind: "sent", atMs: sealedAtMs, ref: String(i), crosspost: true },
    ]);
  }
}

it("credentials that a sink refuses are logged with the cure, without a message to anybody", async () => {
  const daemon = await setUp({ type: "slack", token: "xoxb-1", channel: "#brand" });
  daemon.answerWith(200, '{"ok":false,"error":"invalid_auth"}');
  await daemon.delivering.check();
  expect(daemon.logged).toEqual([
    [
      "warn",
      "a sink refuses its credentials",
      { sink: "news", error: "Slack refuses #brand: invalid_auth", hint: expect.any(String) },
    ],
  ]);
  expect(daemon.requests.map(({ url }) => url)).toEqual(["https://slack.com/api/auth.test"]);
  daemon.answerWith(200, '{"ok":true}');
  await daemon.delivering.check();
  expect(daemon.logged).toHaveLength(1);
});

it("a stop leaves what is due for the next start, and no timer", async () => {
  const daemon = await setUp();
  await daemon.delivering.delivery().pump.start();
  daemon.answerWith(400, "no such field");
  await daemon.commit("1");
  await daemon.clock.advance(SECOND);
  await daemon.delivering.stop(0);
  await daemon.commit("2");
  expect(daemon.clock.pending()).toBe(0);
  await daemon.clock.advance(10 * MINUTE);
  expect(daemon.requests.map(({ url }) => url)).toEqual([NEWS_URL]);
});

it("an alert goes where the routes say under the name that its watch has now, also after a renewal; of a watch that is gone, under its own", async () => {
  const { delivering } = await setUp();
  const event = makeEvent("1");
  const routed = () => {
    const { event: named, deliveries } = delivering.active.route(
      { event, ownSinks: ["ops"] },
      START_MS,
    );
    return [named.watch, named.labels["watch"], deliveries.map(({ sink }) => sink)];
  };
  expect(routed()).toEqual(["brand", "brand", ["ops"]]);
  const watch = makeWatch("renamed", "search", { query: "acme" }, { sinks: ["news"] });
  delivering.active.set([{ watch, state: { key: event.watchKey } } as EngineWatch]);
  expect(routed()).toEqual(["renamed", "renamed", ["news"]]);
  const activate = await delivering.prepare(delivering.config());
  await activate();
  expect(routed()).toEqual(["renamed", "renamed", ["news"]]);
});

it("the digest of a throttle lists every alert once, more than a thousand too", async () => {
  const daemon = await setUp({
    type: "slack",
    webhook_url: "https://hooks.slack.com/services/T0/B0/x",
    throttle: { limit: 1, interval: "1h" },
  });
  daemon.answerWith(200, "ok");
  await daemon.delivering.delivery().pump.start();
  await daemon.commit(...Array.from({ length: 1_005 }, (_, index) => String(index)));
  await daemon.clock.advance(10 * MINUTE);
  const bodies = daemon.requests.map(({ body }) => body).join("\n");
  const linked = [...bodies.matchAll(/<https:\/\/x\.com\/alice\/status\/(\d+)\|(?!Open)/g)];
  // One of the alerts went out alone.
  expect(linked.map(([, index]) => Number(index)).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 1_004 }, (_, index) => index + 1),
  );
  expect((await daemon.store.findEvents({ state: "summarised", limit: 100 })).events).toEqual([]);
});

it("an alert that waits for two watches is held back only where a silence matches each of them", async () => {
  const { clock, store, silences, delivering, requests } = await setUp();
  await delivering.delivery().pump.start();
  const untilMs = clock.now() + 5 * MINUTE;
  const held = {
    sink: "news",
    groupWaitMs: 0,
    groupIntervalMs: 0,
    notBeforeMs: untilMs,
    heldBy: "nights",
  };
  const commit = async (subject: string, watches: readonly string[]) => {
    const events = watches.map((watch) => makeEvent(subject, { watch }));
    const once = { key: subject, withinMs: 60 * MINUTE };
    const deliveries = events.map(({ id }) => ({ ...held, eventId: id, groupKey: id, once }));
    await store.commitPoll({ atMs: clock.now(), targets: [], verdicts: [], events, deliveries });
  };
  await commit("1", ["a", "b"]);
  await commit("2", ["a", "c"]);
  const silence = { startsAtMs: clock.now(), endsAtMs: untilMs + MINUTE, author: "", comment: "" };
  for (const watch of ["a", "b"])
    await store.addSilence({ ...silence, matchers: [`watch=${watch}`] });
  await silences.load();
  await clock.advance(6 * MINUTE);
  expect(requests.map(({ body }) => JSON.parse(body ?? "").data.watch)).toEqual(["a"]);
  expect((await store.explainItem("1")).map(({ verdict }) => verdict)).toEqual([
    "silenced",
    "silenced",
  ]);
  expect((await store.explainItem("2")).map(({ verdict }) => verdict)).toEqual(["event", "event"]);
});

it("sends nothing once it was stopped, also where a reload comes after that", async () => {
  const { delivering, commit, requests, clock } = await setUp();
  const activate = await delivering.prepare(delivering.config());
  await delivering.stop(0);
  await activate();
  await commit("1");
  await clock.advance(MINUTE);
  expect(requests).toEqual([]);
});

it("announces alerts that were given up, and nothing when it takes its share again", async () => {
  let announced = 0;
  const share = { ...WHOLE, isAlone: false, announce: async () => void (announced += 1) };
  const { delivering, commit, answerWith, clock } = await setUp(NEWS, {
    escalate: [{ after: "1h", sink: "ops" }],
    share,
  });
  const { pump } = delivering.delivery();
  await pump.start();
  await pump.takeShare();
  await clock.advance(MINUTE);
  expect(announced).toBe(0);
  answerWith(400);
  await commit("1");
  await clock.advance(MINUTE);
  expect(announced).toBe(1);
});
