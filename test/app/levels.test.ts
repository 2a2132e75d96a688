/** Alerts on values: sent again while they stay across, and once more when they are back. */
import { expect, it } from "vitest";
import { type InnerDaemon, type InnerDaemonOptions, startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A watch of one tweet, polled every five minutes, which has 1,000 likes after some minutes. */
async function setUp(sink: object, more: Partial<InnerDaemonOptions> = {}) {
  let id = "";
  const daemon = await startInnerDaemon({
    watches: () => ({
      w: { type: "tweet", tweets: [id], when: { likes_count: ">= 1000", view_count: "every 100000" }, schedule: "@every 5m" },
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

/** What the receiver got of each alert. */
const alertsOf = ({ hook }: InnerDaemon) =>
  hook.events().map((event: any) => [event.tweet.likes_count, event.repeat ?? "", event.resolved?.join() ?? "", event.crossed.join()]);

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
  expect(alertsOf(daemon)).toEqual([FIRST, [1_234, 1, "", "likes_count"], [5_000, 2, "", "likes_count"]]);
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
  expect(alertsOf(daemon)).toEqual([FIRST, [10, "", "likes_count", "likes_count"], [2_000, "", "", "likes_count"]]);
});

it("neither forgets nor repeats over a restart: what was due meanwhile is sent once", async () => {
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
  const { daemon, likes } = await setUp({}, { chat: true, more: { route: { sink: "chat", repeat_interval: "1h", send_resolved: true } } });
  await daemon.clock.advance(HOUR);
  await likes(10);
  await daemon.clock.advance(10 * MINUTE);
  const texts = daemon.chat();
  expect(texts).toHaveLength(3);
  expect(texts[1]).toContain("Still so: ");
  expect(texts[2]).toContain("Resolved: ");
  expect(texts[2]).toContain("fell to 10 likes");
});
