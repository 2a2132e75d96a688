/**
 * Tests alerts on values: they are repeated while the value stays beyond its threshold, and once
 * more when it is back.
 */
import { expect, it } from "vitest";
import {
  type InnerDaemon,
  type InnerDaemonOptions,
  startInnerDaemon,
} from "../support/inner-daemon.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/**
 * Starts a watch of one tweet, polled every five minutes, which has 1,000 likes after some minutes.
 */
async function setUp(sink: object, more: Partial<InnerDaemonOptions> = {}) {
  let id = "";
  const daemon = await startInnerDaemon({
    watches: () => ({
      w: {
        type: "tweet",
        tweets: [id],
        when: { likes_count: ">= 1000", view_count: "every 100000" },
        schedule: "@every 5m",
      },
    }),
    prepare: async (control) => {
      await control("accounts", { username: "loud_one" });
      [id = ""] = (await control("tweets", { username: "loud_one", text: "a tweet" })).ids;
      await control(`tweets/${id}`, { likes_count: 10, view_count: 10 }, "PATCH");
    },
    sink,
    ...more,
  });
  const likes = (count: number) => daemon.control(`tweets/${id}`, { likes_count: count }, "PATCH");
  await daemon.clock.advance(3 * MINUTE);
  await likes(1_234);
  await daemon.clock.advance(6 * MINUTE);
  return { daemon, likes, id };
}

/** Returns what the receiver got for each alert. */
const alertsOf = ({ hook }: InnerDaemon) =>
  hook
    .events()
    .map((event: any) => [
      event.tweet.likes_count,
      event.repeat ?? "",
      event.resolved?.join() ?? "",
      event.crossed.join(),
    ]);

const FIRST = [1_234, "", "", "likes_count"];

it("sends an alert once where nothing else is written", async () => {
  const { daemon, likes } = await setUp({});
  await daemon.clock.advance(2 * HOUR);
  await likes(10);
  await daemon.clock.advance(HOUR / 2);
  expect(alertsOf(daemon)).toEqual([FIRST]);
});

it("sends it again after repeat_interval, with the value of now, until the value is back", async () => {
  const { daemon, likes } = await setUp({ repeat_interval: "1h" });
  await daemon.clock.advance(HOUR);
  await likes(5_000);
  await daemon.clock.advance(HOUR);
  expect(alertsOf(daemon)).toEqual([
    FIRST,
    [1_234, 1, "", "likes_count"],
    [5_000, 2, "", "likes_count"],
  ]);
  await likes(10);
  await daemon.clock.advance(3 * HOUR);
  expect(alertsOf(daemon)).toHaveLength(3);
});

it("says once that the value is back, and alerts anew when it crosses again", async () => {
  const { daemon, likes } = await setUp({ send_resolved: true });
  await likes(980);
  await daemon.clock.advance(HOUR);
  expect(alertsOf(daemon)).toEqual([FIRST]);
  await likes(10);
  await daemon.clock.advance(HOUR);
  await likes(2_000);
  await daemon.clock.advance(HOUR);
  expect(alertsOf(daemon)).toEqual([
    FIRST,
    [10, "", "likes_count", "likes_count"],
    [2_000, "", "", "likes_count"],
  ]);
});

it("fault 107: neither forgets nor repeats over a restart: what was due meanwhile is sent once", async () => {
  const { daemon, likes } = await setUp({ repeat_interval: "1h", send_resolved: true });
  await daemon.stop();
  await daemon.clock.advance(5 * HOUR);
  await daemon.start();
  await daemon.clock.advance(30 * MINUTE);
  expect(alertsOf(daemon)).toEqual([FIRST, [1_234, 1, "", "likes_count"]]);
  await daemon.stop();
  await likes(10);
  await daemon.start();
  await daemon.clock.advance(2 * HOUR);
  expect(alertsOf(daemon).slice(2)).toEqual([[10, "", "likes_count", "likes_count"]]);
});

it("repeats nothing while the watch is paused", async () => {
  const { daemon } = await setUp({ repeat_interval: "1h" });
  await daemon.call("watches/w/pause", "POST");
  await daemon.clock.advance(3 * HOUR);
  expect(alertsOf(daemon)).toEqual([FIRST]);
});

it("says in a chat what it is about", async () => {
  const { daemon, likes } = await setUp(
    {},
    { chat: true, more: { route: { sink: "chat", repeat_interval: "1h", send_resolved: true } } },
  );
  await daemon.clock.advance(HOUR);
  await likes(10);
  await daemon.clock.advance(10 * MINUTE);
  const texts = daemon.chat();
  expect(texts).toHaveLength(3);
  expect(texts[1]).toContain("Still so: ");
  expect(texts[2]).toContain("Resolved: ");
  expect(texts[2]).toContain("fell to 10 likes");
});

const [TAKES, FAILS] = [
  (_: unknown, response: { end(): void }) => response.end(),
  (_: unknown, response: { writeHead(status: number): { end(): void } }) =>
    response.writeHead(503).end(),
];

/** The daemon starts at 13:38:49. */
const BREAK = { time_intervals: { break: [{ times: [{ start: "14:00", end: "16:00" }] }] } };

it("of repeats that a mute holds back the newest is left, and none where the value is back by then", async () => {
  const muted = { repeat_interval: "10m", send_resolved: true, mute_time_intervals: ["break"] };
  const one = await setUp(muted, { more: BREAK });
  await one.daemon.clock.advance(HOUR);
  await one.likes(3_000);
  await one.daemon.clock.advance(HOUR + 15 * MINUTE);
  // One alert came before the mute, and one at its end.
  expect(alertsOf(one.daemon).map(([value]) => value)).toEqual([1_234, 1_234, 3_000]);
  const two = await setUp(muted, { more: BREAK });
  await two.daemon.clock.advance(HOUR);
  await two.likes(10);
  await two.daemon.clock.advance(HOUR + 15 * MINUTE);
  expect(alertsOf(two.daemon).slice(2)).toEqual([[10, "", "likes_count", "likes_count"]]);
});

it("of repeats behind a sink that fails the newest is left, and none beside the first alert or the end", async () => {
  const { daemon, likes } = await setUp({ repeat_interval: "20m", send_resolved: true });
  const { hook, clock } = daemon;
  /** Returns what the sink takes within ten minutes after it works again. */
  const healed = async () => {
    hook.answer(TAKES);
    const refused = alertsOf(daemon).length;
    await clock.advance(10 * MINUTE);
    return alertsOf(daemon).slice(refused);
  };
  hook.answer(FAILS);
  await clock.advance(2 * HOUR);
  await likes(7_000);
  await clock.advance(HOUR);
  expect((await healed()).map(([value]) => value)).toEqual([7_000]);
  hook.answer(FAILS);
  await clock.advance(HOUR);
  await likes(10);
  await clock.advance(HOUR);
  expect(await healed()).toEqual([[10, "", "likes_count", "likes_count"]]);
  hook.answer(FAILS);
  await likes(2_000);
  await clock.advance(2 * HOUR);
  expect(await healed()).toEqual([[2_000, "", "", "likes_count"]]);
  const sent = alertsOf(daemon).length;
  await clock.advance(20 * MINUTE);
  expect(alertsOf(daemon).slice(sent)).toEqual([[2_000, 1, "", "likes_count"]]);
});

it("repeats nothing until a poll has found the value so again", async () => {
  const { daemon, likes } = await setUp({ repeat_interval: "20m" });
  await daemon.clock.advance(25 * MINUTE);
  await daemon.control("faults", { name: "server_error", for_ms: 4 * HOUR });
  await daemon.clock.advance(3 * HOUR);
  const before = alertsOf(daemon).length;
  expect(before).toBeLessThanOrEqual(3);
  await likes(9_000);
  await daemon.control("faults", undefined, "DELETE");
  await daemon.clock.advance(30 * MINUTE);
  const values = alertsOf(daemon)
    .slice(before)
    .map(([value]) => value);
  expect(new Set(values)).toEqual(new Set([9_000]));
});

it("a value that falls and crosses again between two polls ends one series and begins another", async () => {
  let id = "";
  const daemon = await startInnerDaemon({
    watches: () => ({
      w: { type: "tweet", tweets: [id], when: { likes_count: ">= 1000" }, schedule: "@every 2s" },
    }),
    prepare: async (control) => {
      await control("accounts", { username: "loud_one" });
      [id = ""] = (await control("tweets", { username: "loud_one", text: "a tweet" })).ids;
      await control(`tweets/${id}`, { likes_count: 10 }, "PATCH");
    },
    sink: { repeat_interval: "10m", send_resolved: true },
  });
  await daemon.clock.advance(MINUTE);
  for (const count of [2_000, 10, 3_000, 10, 4_000]) {
    await daemon.control(`tweets/${id}`, { likes_count: count }, "PATCH");
    await daemon.clock.advance(5_000);
  }
  await daemon.clock.advance(25 * MINUTE);
  expect(alertsOf(daemon).map(([value, nth, resolved]) => [value, nth, resolved !== ""])).toEqual([
    [2_000, "", false],
    [10, "", true],
    [3_000, "", false],
    [10, "", true],
    [4_000, "", false],
    [4_000, 1, false],
    [4_000, 2, false],
  ]);
});

it("two sinks get the repeats and the end that each asks for", async () => {
  const routes = [
    { sink: "hook", continue: true, repeat_interval: "1h" },
    { sink: "chat", repeat_interval: "2h", send_resolved: true },
  ];
  const { daemon, likes } = await setUp(
    { send_resolved: true },
    { chat: true, more: { route: { sink: ["hook", "chat"], routes } } },
  );
  await daemon.clock.advance(4 * HOUR + 10 * MINUTE);
  await likes(10);
  await daemon.clock.advance(10 * MINUTE);
  expect(alertsOf(daemon).map(([, nth, resolved]) => nth || resolved)).toEqual([
    "",
    1,
    2,
    3,
    4,
    "likes_count",
  ]);
  expect(daemon.chat().map((text) => text.split(":")[0])).toEqual([
    expect.any(String),
    "Still so",
    "Still so",
    "Resolved",
  ]);
});
