/** Tests time intervals with dates in the whole daemon: what they hold back, and until when. */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;

const watches = () => ({
  w: { type: "timeline", accounts: ["one"], schedule: "@every 10m" },
});

/** The daemon starts on 6 March 2026 at 13:38 UTC. */
const muted = (dates: string, route: object = { mute_time_intervals: ["away"] }) =>
  startInnerDaemon({
    watches,
    more: {
      time_intervals: { away: [{ dates, timezone: "Europe/Berlin" }] },
      route: { sink: "hook", ...route },
    },
    prepare: (control) => control("tweets", { username: "one", text: "old" }),
  });

it("holds alerts from the day on which an interval of weeks begins until its true end, over restarts", async () => {
  const { clock, control, hook, stop, start } = await muted("2026-03-07:2026-03-27");
  /** The daemon is down meanwhile, because simulating weeks of a running one would take minutes. */
  const isDownUntil = async (atMs: number) => {
    await stop();
    await clock.advance(atMs - clock.now());
    await start();
  };
  await clock.advance(12 * MINUTE);
  const { ids: before } = await control("tweets", { username: "one", text: "before" });
  await clock.advance(12 * MINUTE);
  expect(hook.subjects()).toEqual(before);
  // Midnight in Berlin is 23:00 UTC.
  await isDownUntil(Date.UTC(2026, 2, 6, 23, 5));
  const { ids: within } = await control("tweets", { username: "one", text: "within" });
  await clock.advance(12 * MINUTE);
  expect(hook.subjects()).toEqual(before);
  await isDownUntil(Date.UTC(2026, 2, 27, 22, 50));
  await clock.advance(9 * MINUTE);
  expect(hook.subjects()).toEqual(before);
  await clock.advance(2 * MINUTE);
  expect(hook.subjects()).toEqual([...before, ...within]);
});

it("starts, and sends at once, where the dates of a mute have passed", async () => {
  const { clock, control, hook } = await muted("2025-12-24:2025-12-26");
  await clock.advance(12 * MINUTE);
  const { ids } = await control("tweets", { username: "one", text: "news" });
  await clock.advance(12 * MINUTE);
  expect(hook.subjects()).toEqual(ids);
});

it("starts, and keeps what it finds, although its active hours never come again", async () => {
  const { clock, control, hook, status } = await muted("2025-12-24:2025-12-26", {
    active_time_intervals: ["away"],
  });
  await clock.advance(12 * MINUTE);
  await control("tweets", { username: "one", text: "news" });
  await clock.advance(12 * MINUTE);
  expect(hook.subjects()).toEqual([]);
  expect((await status()).sinks[0]).toMatchObject({ name: "hook", breaker: "closed", waiting: 1 });
});
