/**
 * Tests faults 18 to 26, 34 to 36 and 40 of the data service in the whole daemon: odd pages, odd
 * order, odd times, and floods.
 */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";
import { live, MINUTE, createFixture } from "./fault-fixture.ts";

const FLOOD = 2_000;
const FEEDS = ["search", "timeline"] as const;

it.each([
  ["fault 18: items that come twice", 18, { for_ms: 10 * MINUTE }],
  ["fault 21: pages of three while there is more", 21, { for_ms: 10 * MINUTE }],
  ["fault 23: the oldest item first and the rest in reverse", 23, { for_ms: 10 * MINUTE }],
  ["fault 35: dates in the future", 35, { for_ms: 10 * MINUTE }],
  ["fault 35: dates that nobody can read", 35, { name: "bad_dates", for_ms: 10 * MINUTE }],
])("%s lose nothing and report nothing twice", async (_name, number, order) => {
  const fixture = await createFixture();
  await live(fixture, number, order);
  await fixture.clock.advance(10 * MINUTE);
  fixture.expectAllAlerted();
  expect(fixture.opsAlertTypes()).toEqual([]);
});

it.each([{ number: 19 }, { name: "cursor_circle" }])(
  "fault 19: cursors that lead in a circle (%j) end the poll, and what came is reported",
  async (order) => {
    const fixture = await createFixture();
    await fixture.fault(19, { ...order, for_ms: 5 * MINUTE });
    await fixture.news(70);
    const before = (await fixture.control("requests")).total;
    await fixture.clock.advance(5 * MINUTE);
    expect((await fixture.control("requests")).total - before).toBeLessThan(120);
    // Some pages hold fewer items than their maximum.
    expect(fixture.alerted("timeline").length).toBeGreaterThan(10);
    await fixture.news();
    await fixture.clock.advance(10 * MINUTE);
    fixture.expectAllAlerted();
  },
);

it("fault 20: an empty page with a cursor is not the end", async () => {
  const fixture = await createFixture();
  await fixture.news(30);
  for (const endpoint of ["search-tweets", "user-tweets"]) await fixture.fault(20, { endpoint });
  await fixture.clock.advance(10 * MINUTE);
  fixture.expectAllAlerted();
});

it("fault 22: a cursor that expired in the middle of a list begins the poll anew", async () => {
  const fixture = await createFixture();
  for (const endpoint of ["search-tweets", "user-tweets"])
    await fixture.fault(22, { endpoint, times: 2 });
  await fixture.news(45);
  await fixture.clock.advance(10 * MINUTE);
  fixture.expectAllAlerted();
  expect(fixture.opsAlertTypes()).toEqual([]);
});

it("fault 24: items that come in between two pages are neither lost nor reported twice", async () => {
  const fixture = await createFixture();
  const known = await fixture.news(45);
  await fixture.fault(24, { text: "unused" });
  await fixture.clock.advance(5 * MINUTE);
  await fixture.off();
  await fixture.clock.advance(5 * MINUTE);
  for (const watch of FEEDS) {
    const alerted = fixture.alerted(watch);
    expect(new Set(alerted).size).toBe(alerted.length);
    expect(alerted).toEqual(expect.arrayContaining([...known]));
    expect(alerted.length).toBeGreaterThan(known.length);
  }
  expect([...fixture.alerted("search")].sort()).toEqual([...fixture.alerted("timeline")].sort());
});

it("fault 25: tweets that are seen a quarter of an hour late, behind younger ones, are reported", async () => {
  const fixture = await createFixture();
  await fixture.fault(25);
  await fixture.clock.advance(1_000);
  await fixture.news(4);
  await fixture.clock.advance(5 * MINUTE);
  expect(fixture.alerted("timeline")).toHaveLength(2);
  await fixture.news(20);
  await fixture.clock.advance(90 * MINUTE);
  fixture.expectAllAlerted();
});

it("fault 26: tweets that were deleted and come back are reported once", async () => {
  const fixture = await createFixture();
  await fixture.news(6);
  await fixture.clock.advance(3 * MINUTE);
  await fixture.fault(26);
  await fixture.clock.advance(30 * MINUTE);
  await fixture.news();
  await fixture.clock.advance(3 * MINUTE);
  fixture.expectAllAlerted();
  expect(fixture.opsAlertTypes()).toEqual([]);
});

it("fault 34: ids that differ only beyond what a double holds are different tweets", async () => {
  const fixture = await createFixture();
  await fixture.fault(34, { username: fixture.author, text: "a twin zebra" });
  await fixture.clock.advance(3 * MINUTE);
  for (const watch of FEEDS) {
    const alerted = fixture.alerted(watch);
    expect([watch, new Set(alerted).size, new Set(alerted.map(Number)).size]).toEqual([
      watch,
      2,
      1,
    ]);
  }
});

it("fault 34: nor is the twin of a known tweet known, when it is seen a quarter of an hour later", async () => {
  const fixture = await createFixture();
  await fixture.fault(25);
  await fixture.fault(34, { username: fixture.author, text: "a twin zebra" });
  await fixture.clock.advance(5 * MINUTE);
  for (const watch of FEEDS) expect([watch, fixture.alerted(watch).length]).toEqual([watch, 1]);
  await fixture.clock.advance(90 * MINUTE);
  for (const watch of FEEDS)
    expect([watch, new Set(fixture.alerted(watch)).size, fixture.alerted(watch).length]).toEqual([
      watch,
      2,
      2,
    ]);
});

it("fault 36: a service whose clock is five hours ahead changes nothing", async () => {
  const fixture = await createFixture({ prepare: (control) => control("faults", { number: 36 }) });
  await fixture.news();
  await fixture.clock.advance(5 * MINUTE);
  await fixture.news();
  await fixture.clock.advance(5 * MINUTE);
  fixture.expectAllAlerted();
  expect(fixture.opsAlertTypes()).toEqual([]);
});

it("fault 40: a flood of new items is caught up whole, a few pages at a time", async () => {
  const daemon = await startInnerDaemon({
    watches: () => ({
      bounded: { type: "timeline", accounts: ["flooder"], max_pages: 20, schedule: "@every 1m" },
    }),
    prepare: (control) => control("tweets", { username: "flooder", text: "before" }),
  });
  const { clock, hook, control } = daemon;
  await clock.advance(2 * MINUTE);
  // test/long/flood.test.ts plays the full ten thousand posts of this fault.
  await control("tweets", { username: "flooder", text: "flood", count: FLOOD });
  const before = (await control("requests")).total;
  await clock.advance(MINUTE);
  // Of a hundred pages twenty have news, and as many fill the gap below them. Known and empty pages
  // add a few.
  expect((await control("requests")).total - before).toBeLessThan(60);
  for (let minute = 0; minute < 60 && hook.messages().length < FLOOD; minute += 5)
    await clock.advance(5 * MINUTE);
  const alerted = hook.subjects();
  expect([alerted.length, new Set(alerted).size]).toEqual([FLOOD, FLOOD]);
  expect(daemon.opsAlerts()).toEqual([]);
});
