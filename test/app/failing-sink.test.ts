/**
 * Tests a sink that answers 5xx to everything, as the operator sees it in status, page, metrics,
 * health, ops alerts and log, and as its receiver sees it.
 */
import { expect, it } from "vitest";
import { formatStatus } from "../../src/cli/inspect/status-text.ts";
import { type InnerDaemonOptions, startInnerDaemon } from "../support/inner-daemon.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const ALERTS = 200;

const setUp = (more: Pick<InnerDaemonOptions, "opsSink" | "sink"> = {}) =>
  startInnerDaemon({
    ...more,
    watches: () => ({
      w: { type: "search", query: "zebra", schedule: "@every 10s", max_pages: 20 },
    }),
    prepare: (ask) => ask("accounts", { username: "loud_one" }),
  });

it("is hardly asked, shown within a minute and reported to ops after two; when it is back all goes out once and in order", async () => {
  const { clock, control, hook, status, opsAlerts, page, metric, logged } = await setUp();
  hook.answer((_, response) => response.writeHead(503).end("later"));
  await clock.advance(30 * SECOND);
  const before = logged.length;
  await control("tweets", { username: "loud_one", text: "a new zebra", count: ALERTS });
  await clock.advance(11 * SECOND);
  expect(hook.messages().length).toBeGreaterThan(0);
  await clock.advance(49 * SECOND);
  // Eight are under way at a time, four more begin until the fifth failure opens the breaker, and
  // from then on there is one probe at a time.
  expect(hook.messages().length).toBeLessThanOrEqual(8 + 4 + 4);
  expect(logged.slice(before).length).toBeLessThanOrEqual(5);
  const { state, sinks, reasons } = await status();
  expect(state).toBe("degraded");
  const [sink] = sinks;
  expect(sink).toMatchObject({
    name: "hook",
    breaker: "open",
    reason: "the webhook answered 503: later",
    waiting: ALERTS,
  });
  expect(Date.parse(sink?.next_attempt_at ?? "") - clock.now()).toBeGreaterThan(0);
  expect(Date.parse(sink?.next_attempt_at ?? "") - clock.now()).toBeLessThanOrEqual(5 * MINUTE);
  expect(reasons).toEqual([
    expect.stringMatching(
      /^hook takes no messages: the webhook answered 503: later \(since .* 200 waiting, kept; next/,
    ),
  ]);
  expect(await page()).toContain("the webhook answered 503: later, for ");
  expect(await metric("chirpwatch_breaker_open", 'sink="hook"')).toBe(1);
  expect(opsAlerts()).toEqual([]);
  await clock.advance(70 * SECOND);
  expect(opsAlerts()).toEqual([
    { type: "sink.failing", message: "hook takes no messages: the webhook answered 503: later" },
  ]);
  hook.answer((_, response) => response.writeHead(204).end());
  const failed = hook.messages().length;
  await clock.advance(5 * MINUTE);
  const delivered = hook
    .events()
    .slice(failed)
    .map(({ subject }) => subject);
  expect(new Set(delivered).size).toBe(ALERTS);
  expect(delivered.length).toBe(ALERTS);
  expect(opsAlerts().map(({ type }) => type)).toEqual(["sink.failing", "sink.recovered"]);
  expect(await status()).toMatchObject({
    state: "running",
    sinks: [{ breaker: "closed", waiting: 0, next_attempt_at: null }, {}],
  });
});

it("a sink whose 200 is followed by a body that never ends is a good sink: every alert goes out once", async () => {
  const { clock, control, hook, status } = await setUp();
  hook.answer(
    (_, response) => void response.writeHead(200, { "content-length": "1000" }).write("ok"),
  );
  await clock.advance(30 * SECOND);
  await control("tweets", { username: "loud_one", text: "a new zebra", count: 20 });
  await clock.advance(5 * MINUTE);
  expect(hook.events()).toHaveLength(20);
  expect(await status()).toMatchObject({ state: "running", sinks: [{ sent: 20, waiting: 0 }, {}] });
});

it("says of the ops alert about the only sink that ops has why nobody was sent it", async () => {
  const { clock, control, hook, status, page } = await setUp({ opsSink: "hook" });
  await clock.advance(30 * SECOND);
  hook.answer((_, response) => response.writeHead(503).end("later"));
  await control("tweets", { username: "loud_one", text: "a new zebra" });
  await clock.advance(4 * MINUTE);
  const [alert] = (await status()).recent_events;
  expect(alert).toMatchObject({ type: "sink.failing", deliveries: [] });
  expect(formatStatus(await status(), clock.now())).toContain(
    "not sent: no other sink takes ops alerts",
  );
  expect(await page()).toContain("sink.failing; not sent: no other sink takes ops alerts");
});

it.each([
  ["dies while it is still down", 6],
  ["is followed by two reports that die as well", 20],
])(
  "the only sink is that of ops too, and its last alert %s: ops is alerted once it takes messages again",
  async (_, downMinutes) => {
    const { clock, control, hook, status, logged } = await setUp({
      opsSink: "hook",
      sink: { retry_for: "5m" },
    });
    await clock.advance(30 * SECOND);
    hook.answer((_request, response) => response.writeHead(503).end("later"));
    await control("tweets", { username: "loud_one", text: "a new zebra" });
    await clock.advance((downMinutes + 6) * MINUTE);
    expect((await status()).sinks[0]).toMatchObject({
      breaker: "open",
      dead: downMinutes < 10 ? 1 : expect.any(Number),
    });
    const refused = hook.messages().length;
    hook.answer((_request, response) => response.writeHead(204).end());
    await clock.advance(7 * MINUTE);
    const taken = hook.events().slice(refused);
    expect(
      taken.filter(({ type }) => type === "delivery.dead").map(({ data }) => data["message"]),
    ).toEqual([
      "1 alert for hook was given up after 5m (retry_for): the webhook answered 503: later",
    ]);
    expect(
      logged.filter(({ level }) => level === "error").map(({ message }) => message),
    ).not.toContain("dead letters could not be reported");
    // Alerts that were given up are kept and can be sent again. The reports about them are not
    // kept.
    expect((await status()).sinks[0]).toMatchObject({ breaker: "closed", waiting: 0, dead: 1 });
  },
);
