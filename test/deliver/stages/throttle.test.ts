import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestGroup } from "../../../src/model/digest.ts";
import { SinkError } from "../../../src/model/sink.ts";
import type { Throttle } from "../../../src/route/route.ts";
import type { Added } from "../../support/sql-outbox.ts";
import { createBench, HOUR, LISTED_AT_ONCE, MINUTE, SECOND, type Sent } from "../pump-bench.ts";

const LIMIT = 20;
const throttle: Throttle = {
  limit: LIMIT,
  intervalMs: 10 * MINUTE,
  onExceed: "digest",
  digestIntervalMs: 2 * MINUTE,
};

function throttledBench(limit = LIMIT) {
  const bench = createBench({ throttles: new Map([["sink:chat", { ...throttle, limit }]]) });
  bench.addSink("chat", { chat: true, concurrency: 1 });
  bench.when("chat", ({ id }) => ({ ref: id }));
  const add = (subject: string, more: Added = {}) =>
    bench.add(subject, { sink: "chat", throttleKey: "sink:chat", ...more });
  const startMs = bench.clock.now();
  const minutes = (one: Sent) => (one.atMs - startMs) / MINUTE;
  return {
    ...bench,
    add,
    minutes,
    alone: () => bench.sent.filter((one) => !one.digest && one.nextAtMs === undefined),
    announced: () => bench.sent.filter((one) => one.nextAtMs !== undefined),
    digests: () => bench.sent.filter((one) => one.digest),
    /** The first messages of digests: the others stand below them. */
    firstParts: () => bench.sent.filter((one) => one.digest && one.threadRef === undefined),
  };
}

const names = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => String(from + i));
const subjectsOf = (sent: readonly Sent[]) => sent.flatMap((one) => one.subjects);

describe("a throttle", () => {
  it("lets its limit through alone, says once when the next digest comes, and sends the surplus as that digest", async () => {
    const bench = throttledBench();
    for (const subject of names(0, 50)) bench.add(subject);
    await bench.newPump().start();
    await bench.clock.advance(MINUTE);
    expect(subjectsOf(bench.alone())).toEqual(names(0, LIMIT));
    const [announcement] = bench.announced();
    expect(announcement?.nextAtMs).toBe((announcement?.atMs ?? 0) + 2 * MINUTE);
    expect(bench.sent.at(-1)?.nextAtMs).toBeDefined();
    expect(bench.digests()).toEqual([]);
    await bench.clock.advance(MINUTE + SECOND);
    expect(subjectsOf(bench.digests()).sort()).toEqual(names(LIMIT, 50).sort());
    expect(bench.sent).toHaveLength(LIMIT + 1 + 3);
  });

  it("sends a digest every interval of a long flood, and announces the flood once", async () => {
    const bench = throttledBench();
    const pump = bench.newPump();
    await pump.start();
    for (let second = 0; second < 1_200; second += 5) {
      for (const subject of names(second, second + 5)) bench.add(subject);
      pump.wake();
      await bench.clock.advance(5 * SECOND);
    }
    await bench.clock.advance(10 * MINUTE);
    expect(bench.announced()).toHaveLength(1);
    expect(bench.alone()).toHaveLength(LIMIT);
    const gaps = bench
      .firstParts()
      .map(
        (one, index, all) =>
          Math.round(((one.atMs - (all[index - 1]?.atMs ?? one.atMs)) / MINUTE) * 10) / 10,
      );
    expect(gaps.slice(1, 9)).toEqual(Array.from({ length: 8 }, () => 2));
    expect(subjectsOf(bench.sent).sort()).toEqual(names(0, 1_200).sort());
  });

  it("takes turns with another one of the same channel, the oldest alert first, and the newest wait where there is no room", async () => {
    const other = { ...throttle, limit: 2 };
    const bench = createBench({
      throttles: new Map([["sink:chat", throttle]]).set("route:0", other),
    });
    bench.addSink("chat", { chat: true, concurrency: 1 });
    for (const [index, throttleKey] of [
      "sink:chat",
      "route:0",
      "sink:chat",
      "route:0",
      "sink:chat",
    ].entries())
      bench.add(String(index), { sink: "chat", throttleKey });
    await bench.newPump().start();
    await bench.clock.advance(MINUTE);
    expect(subjectsOf(bench.sent)).toEqual(names(0, 5));
  });

  it("sends what it gathered alone once the limit has room for it, and everything after", async () => {
    const bench = throttledBench();
    const pump = bench.newPump();
    for (const subject of names(0, 50)) bench.add(subject);
    await pump.start();
    await bench.clock.advance(9 * MINUTE);
    bench.add("still full");
    pump.wake();
    await bench.clock.advance(30 * SECOND);
    for (const subject of ["gathered", "gathered too"]) bench.add(subject);
    pump.wake();
    await bench.clock.advance(5 * MINUTE);
    bench.add("after");
    pump.wake();
    await bench.clock.advance(SECOND);
    // The limit is full for ten minutes: a digest of one is that alert. The next is gathered for
    // two minutes, and finds room.
    expect(
      bench.sent.slice(-4).map((one) => [one.subjects, Math.round(bench.minutes(one) * 10) / 10]),
    ).toEqual([
      [["still full"], 9],
      [["gathered"], 11],
      [["gathered too"], 11],
      [["after"], 14.5],
    ]);
    expect(bench.announced()).toHaveLength(1);
  });

  it("sends what it gathered together with what is due in the same group, so that neither overtakes the other", async () => {
    const bench = createBench({ throttles: new Map([["sink:hook", { ...throttle, limit: 2 }]]) });
    bench.addSink("hook", { concurrency: 4 });
    const add = (subject: string, groupKey: string) =>
      bench.add(subject, { sink: "hook", throttleKey: "sink:hook", groupKey });
    const first = bench.newPump();
    for (const subject of ["a", "b"]) add(subject, subject);
    await first.start();
    await bench.clock.advance(9 * MINUTE);
    add("gathered", "group");
    first.wake();
    await bench.clock.advance(SECOND);
    await first.stop(0);
    await bench.clock.advance(3 * MINUTE);
    add("fresh", "group");
    await bench.newPump().start();
    await bench.clock.advance(SECOND);
    expect(bench.sent.map(({ subjects }) => subjects)).toEqual([
      ["a"],
      ["b"],
      ["gathered", "fresh"],
    ]);
  });

  it("counts a digest once against its limit, however many messages it takes", async () => {
    const bench = throttledBench();
    const pump = bench.newPump();
    for (const subject of names(0, 300)) bench.add(subject);
    await pump.start();
    await bench.clock.advance(11 * MINUTE);
    expect(bench.digests().length).toBeGreaterThan(LIMIT);
    for (const subject of names(300, 300 + LIMIT - 1)) bench.add(subject);
    pump.wake();
    await bench.clock.advance(SECOND);
    expect(subjectsOf(bench.alone().slice(LIMIT))).toEqual(names(300, 300 + LIMIT - 1));
  });

  it("remembers over a restart what it gathered, when it is due, and that it said so", async () => {
    const bench = throttledBench();
    for (const subject of names(0, 50)) bench.add(subject);
    const first = bench.newPump();
    await first.start();
    await bench.clock.advance(MINUTE);
    await first.stop(0);
    await bench.newPump().start();
    await bench.clock.advance(30 * SECOND);
    bench.add("during");
    await bench.clock.advance(10 * MINUTE);
    expect(bench.announced()).toHaveLength(1);
    expect(bench.firstParts()).toHaveLength(1);
    expect(bench.minutes(bench.firstParts()[0] as Sent)).toBeCloseTo(2, 2);
    expect(subjectsOf(bench.digests()).sort()).toEqual([...names(LIMIT, 50), "during"].sort());
  });

  it("sends a night's held events alone up to the limit, the rest as a digest", async () => {
    const bench = throttledBench();
    for (const subject of names(0, 30))
      bench.add(subject, { dueAtMs: bench.clock.now() + 60 * MINUTE });
    await bench.newPump().start();
    await bench.clock.advance(61 * MINUTE);
    expect(bench.alone()).toHaveLength(LIMIT);
    await bench.clock.advance(10 * MINUTE);
    expect(subjectsOf(bench.digests())).toEqual(names(LIMIT, 30));
  });

  it("loses nothing, sends nothing twice and never passes its limit, however events arrive", async () => {
    const bursts = fc.array(
      fc.record({
        count: fc.integer({ min: 0, max: 45 }),
        waitS: fc.integer({ min: 0, max: 700 }),
      }),
      {
        maxLength: 6,
      },
    );
    await fc.assert(
      fc.asyncProperty(bursts, async (plan) => {
        const bench = throttledBench();
        const pump = bench.newPump();
        await pump.start();
        let total = 0;
        for (const { count, waitS } of plan) {
          for (let i = 0; i < count; i += 1) bench.add(String(total++));
          pump.wake();
          await bench.clock.advance(waitS * SECOND);
        }
        await bench.clock.advance(60 * MINUTE);
        expect([...bench.subjects("chat")].sort()).toEqual(names(0, total).sort());
        const alone = bench.alone().filter((one) => one.subjects.length === 1 && !one.digest);
        // A digest of one looks like an alert: each two minutes may have one beyond the limit.
        for (const [index, one] of alone.entries()) {
          const next = alone[index + LIMIT + 5];
          if (next !== undefined)
            expect(next.atMs - one.atMs).toBeGreaterThanOrEqual(10 * MINUTE - 50);
        }
        const firsts = bench.firstParts();
        for (const [index, one] of firsts.entries()) {
          const next = firsts[index + 1];
          if (next !== undefined)
            expect(next.atMs - one.atMs).toBeGreaterThanOrEqual(2 * MINUTE - 50);
        }
        for (const [index, one] of bench.announced().entries()) {
          const next = bench.announced()[index + 1];
          if (next !== undefined)
            expect(next.atMs - one.atMs).toBeGreaterThanOrEqual(10 * MINUTE - 50);
        }
        await pump.stop(0);
      }),
      { numRuns: 8 },
    );
  });
});

describe("a throttle whose limit is passed by a little again and again", () => {
  it("is announced once in an interval", async () => {
    const bench = throttledBench();
    const pump = bench.newPump();
    await pump.start();
    for (const [count, waitS] of [
      [11, 480],
      [10, 121],
      [11, 300],
    ] as const) {
      for (let i = 0; i < count; i += 1) bench.add(`${waitS}-${i}`);
      pump.wake();
      await bench.clock.advance(waitS * SECOND);
    }
    expect(bench.announced()).toHaveLength(1);
    expect(subjectsOf(bench.sent)).toHaveLength(32);
  });

  it("is not announced again while its last digest is younger than the interval", async () => {
    const bench = throttledBench();
    const pump = bench.newPump();
    for (const subject of names(0, 50)) bench.add(subject);
    await pump.start();
    await bench.clock.advance(11 * MINUTE);
    for (const subject of names(50, 100)) bench.add(subject);
    pump.wake();
    await bench.clock.advance(5 * MINUTE);
    expect(bench.announced()).toHaveLength(1);
    expect(subjectsOf(bench.sent).sort()).toEqual(names(0, 100).sort());
  });
});

describe("a throttle beside other options", () => {
  it("that the configuration does not have any more holds nothing back", async () => {
    const bench = throttledBench(3);
    for (const subject of names(0, 12)) bench.add(subject, { throttleKey: "route:9" });
    await bench.newPump().start();
    await bench.clock.advance(SECOND);
    expect(subjectsOf(bench.alone())).toEqual(names(0, 12));
  });

  it("gathers what comes with a digest for the next one", async () => {
    const bench = throttledBench();
    for (const subject of names(0, 50)) bench.add(subject);
    await bench.newPump().start();
    await bench.clock.advance(2 * MINUTE - 100);
    for (const subject of names(50, 55)) bench.add(subject);
    await bench.clock.advance(MINUTE);
    expect(subjectsOf(bench.digests())).toEqual(names(LIMIT, 50));
    expect(bench.alone()).toHaveLength(LIMIT);
    await bench.clock.advance(MINUTE + SECOND);
    expect(subjectsOf(bench.digests()).slice(30)).toEqual(names(50, 55));
  });

  it("leaves the digest of a return alone, and counts it as one message", async () => {
    for (const isFirst of [true, false]) {
      const bench = throttledBench(3);
      const addReturn = () =>
        names(100, 105).forEach((subject) =>
          bench.add(subject, { groupKey: digestGroup("return", "away") }),
        );
      if (isFirst) addReturn();
      for (const subject of names(0, 12)) bench.add(subject);
      if (!isFirst) addReturn();
      await bench.newPump().start();
      await bench.clock.advance(5 * MINUTE);
      const returned = bench.digests().filter(({ cause }) => cause === "return");
      expect(subjectsOf(returned)).toEqual(names(100, 105));
      // A digest goes out even when the limit is reached.
      expect(bench.alone()).toHaveLength(isFirst ? 2 : 3);
      expect(subjectsOf(bench.sent).sort()).toEqual([...names(0, 12), ...names(100, 105)].sort());
    }
  });
});

describe("a digest of several messages", () => {
  function floodedBench() {
    const bench = throttledBench();
    for (const subject of names(0, LIMIT + 100)) bench.add(subject);
    return bench;
  }
  const PARTS = 100 / LISTED_AT_ONCE;

  it("names the most seen first and all others below it, in order", async () => {
    const bench = floodedBench();
    await bench.newPump().start();
    await bench.clock.advance(3 * MINUTE);
    const [first, ...others] = bench.digests();
    expect(first?.threadRef).toBeUndefined();
    expect(others.map(({ threadRef }) => threadRef)).toEqual(others.map(() => first?.id));
    expect(subjectsOf(bench.digests())).toEqual(names(LIMIT, LIMIT + 100));
  });

  it("goes on where it was after a crash between two of them, in order, none twice", async () => {
    for (let part = 0; part < PARTS; part += 1) {
      const bench = floodedBench();
      const first = bench.newPump();
      await first.start();
      await bench.clock.advance(MINUTE);
      // From this message on the process hangs, until it is killed.
      bench.when("chat", () => (bench.digests().length > part ? new Promise(() => {}) : {}));
      await bench.clock.advance(MINUTE + SECOND);
      const hung = bench.digests()[part]?.id;
      bench.when("chat", ({ id }) => ({ ref: id }));
      await bench.newPump().start();
      await bench.clock.advance(MINUTE);
      const done = bench.digests().filter((one, index) => !(one.id === hung && index === part));
      expect(subjectsOf(done)).toEqual(names(LIMIT, LIMIT + 100));
      expect(new Set(bench.digests().map(({ id }) => id)).size).toBe(PARTS);
    }
  });

  it("waits behind a breaker that opens between two of them, and then goes on in order", async () => {
    const bench = floodedBench();
    let isGone = false;
    bench.when("chat", ({ digest }) => {
      isGone ||= digest && bench.digests().length === 4;
      if (isGone) throw new SinkError("destination", "archived", 404);
      return {};
    });
    await bench.newPump().start();
    await bench.clock.advance(10 * MINUTE);
    bench.when("chat", () => ({}));
    await bench.clock.advance(HOUR);
    const tried = bench.digests();
    expect(subjectsOf(tried.slice(0, 3))).toEqual(names(LIMIT, LIMIT + 30));
    const lastTry = new Map(tried.map((one) => [one.id, one]));
    expect(
      [...lastTry.values()].sort((a, b) => a.atMs - b.atMs).flatMap(({ subjects }) => subjects),
    ).toEqual(names(LIMIT, LIMIT + 100));
  });

  it("lists all of thousands, and counts none without a line", async () => {
    const bench = throttledBench();
    for (const subject of names(0, LIMIT + 1_200)) bench.add(subject);
    await bench.newPump().start();
    await bench.clock.advance(3 * MINUTE);
    expect(subjectsOf(bench.digests())).toHaveLength(1_200);
    expect(bench.outbox.deliveryStates).not.toContain("summarised");
    expect(bench.outbox.deliveryStates).not.toContain("waiting");
  });
});
