/** Faults 18 to 26, 34 to 36 and 40 of the data service, in the whole daemon: odd pages, odd order, odd times, and far too much. */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";
import { live, MINUTE, setStage } from "./fault-stage.ts";

const FEEDS = ["search", "timeline"] as const;

it.each([
  ["fault 18: items that come twice", 18, { for_ms: 10 * MINUTE }],
  ["fault 21: pages of three while there is more", 21, { for_ms: 10 * MINUTE }],
  ["fault 23: the oldest item first and the rest in reverse", 23, { for_ms: 10 * MINUTE }],
  ["fault 35: dates in the future", 35, { for_ms: 10 * MINUTE }],
  ["fault 35: dates that nobody can read", 35, { name: "bad_dates", for_ms: 10 * MINUTE }],
])("%s lose nothing and tell nothing twice", async (_name, number, order) => {
  const stage = await setStage();
  await live(stage, number, order);
  await stage.clock.advance(10 * MINUTE);
  stage.expectAllTold();
  expect(stage.noticeTypes()).toEqual([]);
});

it.each([{ number: 19 }, { name: "cursor_circle" }])(
  "fault 19: cursors that lead in a circle (%j) end the poll, and what came is told",
  async (order) => {
    const stage = await setStage();
    await stage.fault(19, { ...order, for_ms: 5 * MINUTE });
    await stage.news(70);
    const before = (await stage.control("requests")).total;
    await stage.clock.advance(5 * MINUTE);
    expect((await stage.control("requests")).total - before).toBeLessThan(120);
    // A page holds fewer than its maximum now and then.
    expect(stage.told("timeline").length).toBeGreaterThan(10);
    await stage.news();
    await stage.clock.advance(10 * MINUTE);
    stage.expectAllTold();
  },
);

it("fault 20: an empty page with a cursor is not the end", async () => {
  const stage = await setStage();
  await stage.news(30);
  for (const endpoint of ["search-tweets", "user-tweets"]) await stage.fault(20, { endpoint });
  await stage.clock.advance(10 * MINUTE);
  stage.expectAllTold();
});

it("fault 22: a cursor that expired in the middle of a list begins the poll anew", async () => {
  const stage = await setStage();
  for (const endpoint of ["search-tweets", "user-tweets"]) await stage.fault(22, { endpoint, times: 2 });
  await stage.news(45);
  await stage.clock.advance(10 * MINUTE);
  stage.expectAllTold();
  expect(stage.noticeTypes()).toEqual([]);
});

it("fault 24: items that come in between two pages are neither lost nor told twice", async () => {
  const stage = await setStage();
  const known = await stage.news(45);
  await stage.fault(24, { text: "unused" });
  await stage.clock.advance(5 * MINUTE);
  await stage.off();
  await stage.clock.advance(5 * MINUTE);
  for (const watch of FEEDS) {
    const told = stage.told(watch);
    expect(new Set(told).size).toBe(told.length);
    expect(told).toEqual(expect.arrayContaining([...known]));
    expect(told.length).toBeGreaterThan(known.length);
  }
  expect([...stage.told("search")].sort()).toEqual([...stage.told("timeline")].sort());
});

it("fault 25: tweets that are seen a quarter of an hour late, behind younger ones, are told", async () => {
  const stage = await setStage();
  await stage.fault(25);
  await stage.clock.advance(1_000);
  await stage.news(4);
  await stage.clock.advance(5 * MINUTE);
  expect(stage.told("timeline")).toHaveLength(2);
  await stage.news(20);
  await stage.clock.advance(90 * MINUTE);
  stage.expectAllTold();
});

it("fault 26: tweets that were deleted and come back are told once", async () => {
  const stage = await setStage();
  await stage.news(6);
  await stage.clock.advance(3 * MINUTE);
  await stage.fault(26);
  await stage.clock.advance(30 * MINUTE);
  await stage.news();
  await stage.clock.advance(3 * MINUTE);
  stage.expectAllTold();
  expect(stage.noticeTypes()).toEqual([]);
});

it("fault 34: ids that differ only beyond what a double holds are different tweets", async () => {
  const stage = await setStage();
  await stage.fault(34, { username: stage.author, text: "a twin zebra" });
  await stage.clock.advance(3 * MINUTE);
  for (const watch of FEEDS) {
    const told = stage.told(watch);
    expect([watch, new Set(told).size, new Set(told.map(Number)).size]).toEqual([watch, 2, 1]);
  }
});

it("fault 34: nor is the twin of a known tweet known, when it is seen a quarter of an hour later", async () => {
  const stage = await setStage();
  await stage.fault(25);
  await stage.fault(34, { username: stage.author, text: "a twin zebra" });
  await stage.clock.advance(5 * MINUTE);
  for (const watch of FEEDS) expect([watch, stage.told(watch).length]).toEqual([watch, 1]);
  await stage.clock.advance(90 * MINUTE);
  for (const watch of FEEDS) expect([watch, new Set(stage.told(watch)).size, stage.told(watch).length]).toEqual([watch, 2, 2]);
});

it("fault 36: a service whose clock is five hours ahead changes nothing", async () => {
  const stage = await setStage({ prepare: (control) => control("faults", { number: 36 }) });
  await stage.news();
  await stage.clock.advance(5 * MINUTE);
  await stage.news();
  await stage.clock.advance(5 * MINUTE);
  stage.expectAllTold();
  expect(stage.noticeTypes()).toEqual([]);
});

it("fault 40: ten thousand new items are caught up whole, a few pages at a time", async () => {
  const daemon = await startInnerDaemon({
    watches: () => ({ bounded: { type: "timeline", accounts: ["flooder"], max_pages: 20, schedule: "@every 1m" } }),
    prepare: (control) => control("tweets", { username: "flooder", text: "before" }),
  });
  const { clock, hook, control } = daemon;
  await clock.advance(2 * MINUTE);
  await control("faults", { number: 40, username: "flooder", text: "flood" });
  const before = (await control("requests")).total;
  await clock.advance(MINUTE);
  // Of five hundred pages, twenty with news and as many to fill the hole below them; known and empty ones come on top.
  expect((await control("requests")).total - before).toBeLessThan(60);
  for (let minute = 0; minute < 60 && hook.messages().length < 10_000; minute += 5) await clock.advance(5 * MINUTE);
  const told = hook.subjects();
  expect([told.length, new Set(told).size]).toEqual([10_000, 10_000]);
  expect(daemon.opsAlerts()).toEqual([]);
});
