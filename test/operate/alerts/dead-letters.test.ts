/**
 * Tests alerts that are given up, from the operator's view: reported to ops, shown, listed, sent
 * again, accepted.
 */
import { describe, expect, it } from "vitest";
import {
  type InnerDaemon,
  type InnerDaemonOptions,
  startInnerDaemon,
} from "../../support/inner-daemon.ts";
import type { Answer } from "../../support/loopback-server.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const refuse: Answer = (_, response) => response.writeHead(400).end("no such field");
const fail: Answer = (_, response) => response.writeHead(503).end("later");
const take: Answer = (_, response) => response.writeHead(204).end();

const setUp = (more: Partial<InnerDaemonOptions> = {}): Promise<InnerDaemon> =>
  startInnerDaemon({
    watches: () => ({
      w: { type: "search", query: "zebra", schedule: "@every 10m", max_pages: 20 },
    }),
    prepare: (ask) => ask("accounts", { username: "loud_one" }),
    sink: { retry_for: "1h" },
    ...more,
  });

const tweet = (daemon: InnerDaemon, count: number): Promise<{ ids: readonly string[] }> =>
  daemon.control("tweets", { username: "loud_one", text: "a new zebra", count });
const deadAlerts = (daemon: InnerDaemon) =>
  daemon.opsAlerts().filter(({ type }) => type === "delivery.dead");

describe("what expires", () => {
  it("is reported to ops once with retry_for, links and ids, degrades the state but not health, and goes out again with the same ids", async () => {
    const sink = { retry_for: "30m" };
    const daemon = await setUp({ sink });
    await daemon.clock.advance(MINUTE);
    daemon.hook.answer(fail);
    sink.retry_for = "1h";
    await daemon.reload();
    const { ids } = await tweet(daemon, 3);
    await daemon.clock.advance(1.5 * HOUR);
    const attempted = new Map(daemon.hook.messages().map(({ id, body }) => [id, body]));
    expect(attempted.size).toBe(3);
    const [alert, ...others] = daemon.ops.events().filter(({ type }) => type === "delivery.dead");
    expect(others).toEqual([]);
    expect(alert?.data.message).toBe(
      "3 alerts for hook were given up after 1h (retry_for): the webhook answered 503: later",
    );
    for (const id of ids) expect(alert?.data.hint).toContain(`/status/${id}`);
    expect(alert?.data.hint).toContain("chirpwatch replay --dead --sink hook");
    expect(alert?.data.message_ids.toSorted()).toEqual([...attempted.keys()].toSorted());
    const { state, reasons, sinks } = await daemon.status();
    expect(state).toBe("degraded");
    expect(reasons).toContain(`${alert?.data.message} (chirpwatch dead list)`);
    expect(sinks[0]).toMatchObject({ name: "hook", dead: 3, waiting: 0 });
    expect(await daemon.metric("chirpwatch_dead_letters_unacknowledged", 'sink="hook"')).toBe(3);
    expect(await daemon.health()).toBe(200);
    expect((await daemon.call(`explain/${ids[0]}`)).verdicts[0]).toMatchObject({
      verdict: "dead",
      deliveries: [{ state: "dead" }],
    });
    const { groups, dead } = await daemon.call("dead");
    expect(groups).toMatchObject([
      { sink: "hook", cause: "expired", messages: 3, alerts: 3, configured: true },
    ]);
    expect(
      dead
        .flatMap(({ alerts }: any) => alerts.map(({ url }: any) => url.split("/").at(-1)))
        .toSorted(),
    ).toEqual([...ids].toSorted());

    daemon.hook.answer(take);
    const before = daemon.hook.messages().length;
    expect(await daemon.call("dead/replay?sink=hook", "POST")).toEqual({
      messages: 3,
      alerts: 3,
      effect: "now",
    });
    // A person who sends them again has perhaps just repaired the sink, so it is tried at once.
    await daemon.clock.advance(SECOND);
    const again = daemon.hook.messages().slice(before);
    expect(new Map(again.map(({ id, body }) => [id, body]))).toEqual(attempted);
    expect(again).toHaveLength(3);
    expect(await daemon.status()).toMatchObject({
      state: "running",
      reasons: [],
      sinks: [{ dead: 0, sent: 3 }, {}],
    });
    expect((await daemon.call(`explain/${ids[0]}`)).verdicts[0]).toMatchObject({
      verdict: "event",
      deliveries: [{ state: "sent" }],
    });
  });

  it("has its whole retry_for again when it is sent again to a sink that still fails", async () => {
    const daemon = await setUp();
    await daemon.clock.advance(MINUTE);
    daemon.hook.answer(fail);
    await tweet(daemon, 3);
    await daemon.clock.advance(1.5 * HOUR);
    await daemon.call("dead/replay", "POST");
    await daemon.clock.advance(HOUR / 2);
    expect((await daemon.status()).sinks[0]).toMatchObject({ dead: 0, waiting: 3 });
    await daemon.clock.advance(HOUR);
    expect((await daemon.status()).sinks[0]).toMatchObject({ dead: 3, waiting: 0 });
    expect(deadAlerts(daemon)).toHaveLength(2);
  });

  it("fault 101: is reported through the failing sink itself, once that takes messages again, where ops has no other", async () => {
    const daemon = await setUp({ opsSink: "hook" });
    await daemon.clock.advance(MINUTE);
    daemon.hook.answer(fail);
    await tweet(daemon, 3);
    await daemon.clock.advance(HOUR);
    expect(daemon.hook.events().filter(({ type }) => type === "delivery.dead")).toEqual([]);
    await daemon.clock.advance(HOUR);
    const refused = daemon.hook.events().length;
    // No other message is left that would try the sink.
    daemon.hook.answer(take);
    await daemon.clock.advance(20 * MINUTE);
    const alerted = daemon.hook.events().slice(refused);
    expect(alerted.map(({ type }) => type)).toEqual(["delivery.dead", "sink.recovered"]);
    expect(alerted[0]?.data.message).toContain("3 alerts for hook were given up after 1h");
  });

  it("is no reason in the status any more after seven days, but stays in the list", async () => {
    const daemon = await setUp();
    await daemon.clock.advance(MINUTE);
    daemon.hook.answer(refuse);
    await tweet(daemon, 1);
    await daemon.clock.advance(20 * MINUTE);
    expect((await daemon.status()).state).toBe("degraded");
    daemon.clock.jump(7 * 24 * HOUR);
    expect(await daemon.status()).toMatchObject({
      state: "running",
      reasons: [],
      sinks: [{ dead: 1 }, {}],
    });
    expect((await daemon.call("dead")).dead).toHaveLength(1);
  });
});

describe("what is refused for its content", () => {
  it("is reported again each hour to the only sink of ops, while that refuses the report as well", async () => {
    const daemon = await setUp({ opsSink: "hook" });
    await daemon.clock.advance(MINUTE);
    daemon.hook.answer(refuse);
    await tweet(daemon, 3);
    await daemon.clock.advance(2.5 * HOUR);
    const reports = () => daemon.hook.events().filter(({ type }) => type === "delivery.dead");
    expect(reports()).toHaveLength(3);
    expect((await daemon.call("dead")).groups).toMatchObject([{ messages: 4 }]);
    daemon.hook.answer(take);
    await daemon.clock.advance(3 * HOUR);
    expect(reports()).toHaveLength(4);
    expect(reports().at(-1)?.data.message).toContain("3 alerts for hook were refused for good");
    expect((await daemon.call("dead")).groups).toMatchObject([{ messages: 3 }]);
  });

  it("is reported once an hour and cause at most, and goes out again as new messages about the same events", async () => {
    const daemon = await setUp();
    await daemon.clock.advance(MINUTE);
    daemon.hook.answer(refuse);
    await tweet(daemon, 2);
    await daemon.clock.advance(10 * MINUTE);
    const refused = daemon.hook.messages();
    expect(refused).toHaveLength(2);
    expect(deadAlerts(daemon)).toEqual([
      {
        type: "delivery.dead",
        message: "2 alerts for hook were refused for good: the webhook answered 400: no such field",
      },
    ]);
    await tweet(daemon, 1);
    await daemon.clock.advance(10 * MINUTE);
    await tweet(daemon, 1);
    await daemon.clock.advance(30 * MINUTE);
    expect(deadAlerts(daemon)).toHaveLength(1);
    await daemon.clock.advance(30 * MINUTE);
    expect(deadAlerts(daemon).map(({ message }) => message.slice(0, 8))).toEqual([
      "2 alerts",
      "2 alerts",
    ]);
    daemon.hook.answer(take);
    const before = daemon.hook.messages().length;
    expect(await daemon.call("dead/replay", "POST")).toEqual({
      messages: 4,
      alerts: 4,
      effect: "now",
    });
    await daemon.clock.advance(MINUTE);
    const again = daemon.hook.messages().slice(before);
    expect(again).toHaveLength(4);
    expect(again.some(({ id }) => refused.some((one) => one.id === id))).toBe(false);
    const eventIds = (messages: ReturnType<typeof daemon.hook.messages>) =>
      messages.flatMap(({ events }) => events.map(({ id }) => id));
    expect(eventIds(again)).toEqual(expect.arrayContaining(eventIds(refused)));
    expect(await daemon.status()).toMatchObject({
      state: "running",
      sinks: [{ dead: 0, sent: 4 }, {}],
    });
  });

  it("is accepted by an acknowledgement, of its sink alone where one is named", async () => {
    const daemon = await setUp();
    await daemon.clock.advance(MINUTE);
    daemon.hook.answer(refuse);
    await tweet(daemon, 2);
    await daemon.clock.advance(20 * MINUTE);
    expect(await daemon.call("dead/ack?sink=ops", "POST")).toEqual({ acknowledged: 0 });
    expect((await daemon.status()).state).toBe("degraded");
    expect(await daemon.call("dead/ack?sink=hook", "POST")).toEqual({ acknowledged: 2 });
    expect(await daemon.status()).toMatchObject({ state: "running", sinks: [{ dead: 0 }, {}] });
    expect(await daemon.call("dead")).toMatchObject({ groups: [], dead: [] });
    expect(await daemon.call("dead/replay", "POST")).toEqual({
      messages: 0,
      alerts: 0,
      effect: "now",
    });
  });
});

it("what an earlier process did not report is reported after the next start, and nothing is reported twice", async () => {
  const daemon = await setUp();
  await daemon.clock.advance(MINUTE);
  daemon.hook.answer(refuse);
  await tweet(daemon, 1);
  await daemon.clock.advance(9 * MINUTE);
  while (daemon.hook.messages().length === 0) await daemon.clock.advance(100);
  await daemon.clock.advance(100);
  expect(deadAlerts(daemon)).toEqual([]);
  await daemon.stop();
  await daemon.start();
  await daemon.clock.advance(MINUTE);
  expect(deadAlerts(daemon)).toHaveLength(1);
  await daemon.stop();
  await daemon.start();
  await daemon.clock.advance(2 * HOUR);
  expect(deadAlerts(daemon)).toHaveLength(1);
});
