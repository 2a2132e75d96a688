/**
 * Tests what happens to polls and alerts when clocks are changed, skewed or set, in the whole
 * daemon.
 */
import { describe, expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";
import { HOUR, MINUTE, playFault, post } from "./play-fault.ts";

const HOOK = { type: "webhook", url: "https://hook-s0.example/in" };
const DAY = 24 * HOUR;

/** Plays a search with a schedule in Berlin over a night. */
const playNight = (cron: string, startMs: number) =>
  playFault({
    watches: {
      w0: {
        ...{ type: "search", query: "acme", sink: "s0" },
        schedule: { cron, timezone: "Europe/Berlin" },
      },
    },
    sinks: { s0: HOOK },
    steps: [post(30, "a"), post(5 * 60, "b")],
    startMs,
    busyMs: DAY,
  });

describe("a clock that is changed", () => {
  it("fault 73: forward polls what was due in the gap once, right after it", async () => {
    const { asked, arrived } = await playNight("30 2 * * *", Date.UTC(2026, 2, 28, 23));
    // There are the first read, and the poll at 03:00, which follows 01:59.
    expect(asked("search-tweets")).toEqual(["2026-03-28T23:00", "2026-03-29T01:00"]);
    expect(arrived("s0")).toEqual(["a"]);
  });

  it("fault 74: back polls what is due in the repeated hour once", async () => {
    const { asked, arrived } = await playNight("30 2 * * *", Date.UTC(2026, 9, 24, 23));
    expect(asked("search-tweets")).toEqual(["2026-10-24T23:00", "2026-10-25T00:30"]);
    expect(arrived("s0")).toEqual(["a"]);
  });
});

describe("fault 75: a calendar's odd days", () => {
  it("show 29 February as the next poll, also when it is years away", async () => {
    const { status } = await startInnerDaemon({
      watches: () => ({ w: { type: "search", query: "zebra", schedule: "0 12 29 2 *" } }),
      state: { retention: "2922d" },
    });
    expect((await status()).watches[0]?.next_poll_at).toMatch(/^2028-02-29T12:00:0/);
  });

  it("do nothing to polls and alerts when a second is inserted or smeared", async () => {
    const { clock, control, hook, metric } = await startInnerDaemon({
      watches: () => ({ w: { type: "search", query: "zebra", schedule: "@every 10s" } }),
      prepare: (order) => order("accounts", { username: "loud_one" }),
    });
    await clock.advance(15_000);
    const before = (await metric("chirpwatch_polls_total", 'type="search",outcome="ok"')) ?? 0;
    const ids: string[] = [];
    for (const stepMs of [-1_000, ...Array.from({ length: 10 }, () => 100)]) {
      const posted = await control("tweets", { username: "loud_one", text: "a new zebra" });
      ids.push(...posted.ids);
      clock.jump(stepMs);
      await clock.advance(10_000);
    }
    await clock.advance(10_000);
    const after = (await metric("chirpwatch_polls_total", 'type="search",outcome="ok"')) ?? 0;
    expect(after - before).toBe(12);
    expect(hook.subjects()).toEqual(ids);
  });
});

it("fault 76: a machine that slept for eight hours polls once when it wakes, and alerts to what it missed", async () => {
  const { clock, control, hook, metric } = await startInnerDaemon({
    watches: () => ({ w: { type: "search", query: "zebra", schedule: "@every 10m" } }),
    prepare: (order) => order("accounts", { username: "loud_one" }),
  });
  const polls = async () =>
    (await metric("chirpwatch_polls_total", 'type="search",outcome="ok"')) ?? 0;
  await clock.advance(11 * MINUTE);
  const { ids } = await control("tweets", { username: "loud_one", text: "a new zebra", count: 3 });
  const before = await polls();
  clock.jump(8 * HOUR);
  await clock.advance(30_000);
  expect((await polls()) - before).toBe(1);
  expect(hook.subjects()).toEqual(ids);
  await clock.advance(5 * MINUTE);
  expect((await polls()) - before).toBe(1);
});

it("fault 89: replicas whose clocks differ by ten minutes share the polls, and each post is alerted to once", async () => {
  const names = Array.from({ length: 12 }, (_, n) => `p${n}`);
  const { arrived, objections } = await playFault({
    watches: Object.fromEntries(
      ["acme", "bolt"].map((query, n) => [
        `w${n}`,
        { type: "search", query, schedule: "@every 1m", sink: "s0" },
      ]),
    ),
    sinks: { s0: HOOK },
    steps: names.map((name, n) => post(2 + n, name, n % 2 === 0 ? "acme" : "bolt")),
    busyMs: 20 * MINUTE,
    replicas: 2,
    skewsMs: [0, 10 * MINUTE],
  });
  expect(arrived("s0").toSorted()).toEqual(names.toSorted());
  expect(objections()).toEqual([]);
});

it("fault 77: a month that ends in a zone other than UTC ends the quota there, and neither month pays for the other", async () => {
  // Midnight in Auckland is 11:00 UTC at the end of March.
  const { asked, played, opsAlerts } = await playFault({
    watches: { w0: { type: "search", query: "acme", schedule: "@every 1m", sink: "s0" } },
    sinks: { s0: HOOK },
    more: {
      api: {
        ...{ base_url: "https://service.example", key: "KEY-0" },
        quota: {
          ...{ monthly: 40, reserve: "0%", on_exhausted: "pause" },
          ...{ reset_day: 1, timezone: "Pacific/Auckland" },
        },
      },
    },
    steps: [post(2, "a")],
    startMs: Date.UTC(2026, 2, 31, 9),
    busyMs: 150 * MINUTE,
  });
  const times = asked("search-tweets");
  const [before, after] = [
    times.filter((time) => time < "2026-03-31T11:00"),
    times.filter((time) => time >= "2026-03-31T11:00"),
  ];
  expect(before.at(-1)?.slice(0, 13)).toBe("2026-03-31T09");
  expect([before.length <= 40, after[0]]).toEqual([true, "2026-03-31T11:00"]);
  expect(after.length).toBeGreaterThanOrEqual(29);
  expect(opsAlerts()).toContain("quota.low");
  expect(played.status?.["quota"]).toMatchObject({
    spent: after.length,
    period_start: "2026-03-31T11:00:00.000Z",
  });
});
