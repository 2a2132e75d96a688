/**
 * What becomes of messages that their receiver takes for too large: every alert arrives once, and
 * only what is refused alone is dead.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/model/json.ts";
import { SinkError, TOO_LARGE } from "../../src/model/sink.ts";
import { digestGroup } from "../../src/model/digest.ts";
import { createBench, MINUTE, SECOND, type Sent } from "./pump-bench.ts";

const tooLarge = () =>
  new SinkError("message", "the webhook answered 413", 413, { fields: TOO_LARGE });

/** Returns the size of a message to the scripted sink, whose subjects are as long as its alerts. */
const sizeOf = ({ subjects }: Pick<Sent, "subjects">): number => subjects.join().length;

const subject = (index: number, size: number): string =>
  `${String(index).padStart(4, "0")}${"x".repeat(size)}`;

/** A receiver that takes no more than so much at once. */
const upTo = (most: number) => (sent: Sent) => {
  if (sizeOf(sent) > most) throw tooLarge();
  return { ref: sent.id };
};

const FORMS = {
  "a group of a sink for programs": { chat: false, groupKey: "team" },
  "a list of a chat": { chat: true, groupKey: "team" },
  "the digest of a throttle": { chat: true, groupKey: digestGroup("throttle", "t") },
  "the digest of a schedule": { chat: true, groupKey: digestGroup("schedule", "sink:hook") },
} as const;

describe.each(Object.entries(FORMS))("%s", (_, { chat, groupKey }) => {
  it("arrives in parts, every alert once and in order, and only what is refused alone is dead", async () => {
    const alerts = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(alerts, fc.integer({ min: 20, max: 500 }), async (sizes, most) => {
        const bench = createBench();
        bench.addSink("hook", { chat, concurrency: 1 });
        bench.when("hook", upTo(most));
        const subjects = sizes.map((size, index) => subject(index, size));
        for (const one of subjects) bench.add(one, { groupKey });
        const pump = bench.newPump();
        await pump.start();
        await bench.clock.advance(2 * MINUTE);
        await pump.stop(0);
        const taken = bench.sent
          .filter((sent) => sizeOf(sent) <= most)
          .flatMap((sent) => sent.subjects);
        const small = subjects.filter((one) => one.length <= most);
        expect([...taken].sort()).toEqual(small);
        // Lists are in the order of the posts' ids, of which these are none.
        if (!chat) expect(taken).toEqual(small);
        const dead = bench.sent
          .filter((sent) => sent.subjects.length === 1 && sizeOf(sent) > most)
          .flatMap((sent) => sent.subjects);
        expect(bench.outbox.messages.filter(({ state }) => state === "dead")).toHaveLength(
          dead.length,
        );
        expect(bench.outbox.messages.filter(({ state }) => state === "open")).toEqual([]);
        // What was sent under one id is one message, whatever became of it.
        expect(new Set(bench.sent.map(({ id, subjects: own }) => `${id} ${own.join()}`)).size).toBe(
          bench.sent.length,
        );
        expect(new Set(bench.sent.map(({ id }) => id)).size).toBe(bench.sent.length);
      }),
      { numRuns: 25 },
    );
  });
});

describe("what size passed", () => {
  const refusals = (sent: readonly Sent[], most: number) =>
    sent.filter((one) => sizeOf(one) > most).length;
  const fill = (bench: ReturnType<typeof createBench>, from: number) => {
    for (let index = from; index < from + 40; index += 1)
      bench.add(subject(index, 20), { groupKey: `team ${from}` });
  };

  it("is remembered: the next batches begin without a refusal, also after a reload, and a restart forgets it", async () => {
    const bench = createBench();
    const most = 300;
    bench.when("hook", upTo(most));
    const first = bench.newPump();
    await first.start();
    for (const from of [1_000, 2_000, 3_000]) {
      fill(bench, from);
      first.wake();
      await bench.clock.advance(SECOND);
      if (from === 1_000) expect(refusals(bench.sent, most)).toBeGreaterThan(0);
    }
    const known = refusals(bench.sent, most);
    expect(known).toBeLessThanOrEqual(7);
    await first.stop(0);
    fill(bench, 4_000);
    // A reload builds a new pump for the same places.
    const second = bench.newPump();
    await second.start();
    await bench.clock.advance(SECOND);
    expect(refusals(bench.sent, most)).toBe(known);
    await second.stop(0);
    bench.addSink("hook");
    bench.when("hook", upTo(most));
    fill(bench, 5_000);
    await bench.newPump().start();
    await bench.clock.advance(SECOND);
    expect(refusals(bench.sent, most)).toBeGreaterThan(known);
    expect(bench.subjects()).toEqual(expect.arrayContaining([subject(5_039, 20)]));
    expect(bench.outbox.messages.every(({ state }) => state === "sent")).toBe(true);
  });

  it("grows with larger messages that pass, and a single alert that is refused does not make later batches tiny", async () => {
    const bench = createBench();
    bench.when("hook", upTo(400));
    const pump = bench.newPump();
    await pump.start();
    bench.add(subject(1, 900));
    await bench.clock.advance(SECOND);
    fill(bench, 1_000);
    pump.wake();
    await bench.clock.advance(SECOND);
    expect(bench.outbox.messages.filter(({ state }) => state === "dead")).toHaveLength(1);
    const largest = Math.max(...bench.sent.slice(1).map(sizeOf));
    expect(largest).toBeGreaterThan(200);
  });
});

describe("a message that is too large", () => {
  it("hands what hangs on it to its first part: those who are called, and the messages of its thread", async () => {
    const bench = createBench();
    const threads = { by: "group", windowMs: 60 * MINUTE, place: "#brand" } as const;
    const mention = { text: "<!here>", minIntervalMs: 10 * MINUTE, matches: () => true };
    bench.addSink("hook", { concurrency: 1 }, { threads, mentions: [mention] });
    bench.when("hook", upTo(100));
    for (let index = 0; index < 8; index += 1) bench.add(subject(index, 20), { groupKey: "team" });
    const pump = bench.newPump();
    await pump.start();
    await bench.clock.advance(SECOND);
    bench.add(subject(100, 20), { groupKey: "team" });
    pump.wake();
    await bench.clock.advance(SECOND);
    const taken = bench.sent.filter((sent) => sizeOf(sent) <= 100);
    const [first, ...others] = taken;
    expect(first).toMatchObject({ mentions: ["<!here>"] });
    expect(first?.threadRef).toBeUndefined();
    expect(others.map(({ threadRef }) => threadRef)).toEqual(others.map(() => first?.id));
    expect(others.every(({ mentions = [] }) => mentions.length === 0)).toBe(true);
    expect(taken.flatMap(({ subjects }) => subjects)).toHaveLength(9);
  });

  it("waits whole while the state cannot be written, is not asked about meanwhile, and goes out in parts then", async () => {
    const bench = createBench();
    bench.when("hook", (sent) => {
      if (sent.subjects.length > 2) {
        bench.outbox.breakDown(true);
        throw tooLarge();
      }
      return {};
    });
    for (let index = 0; index < 4; index += 1) bench.add(subject(index, 20), { groupKey: "team" });
    await bench.newPump().start();
    await bench.clock.advance(4 * SECOND);
    expect(bench.sent).toHaveLength(1);
    expect(bench.logged.map(({ message }) => message)).toContain(
      "a message that is too large could not be halved",
    );
    bench.when("hook", upTo(60));
    bench.outbox.breakDown(false);
    await bench.clock.advance(MINUTE);
    expect(bench.outbox.messages.map(({ state }) => state)).toEqual(["sent", "sent"]);
  });

  it("keeps the order of the parts of its digest", async () => {
    const bench = createBench();
    bench.addSink("hook", { chat: true, concurrency: 1 });
    bench.when("hook", upTo(130));
    const subjects = Array.from({ length: 30 }, (_, index) => subject(index, 20));
    for (const one of subjects) bench.add(one, { groupKey: digestGroup("schedule", "sink:hook") });
    await bench.newPump().start();
    await bench.clock.advance(MINUTE);
    const taken = bench.sent.filter((sent) => sizeOf(sent) <= 130).flatMap((sent) => sent.subjects);
    expect(taken).toEqual(subjects);
  });
});

describe("the limits of a sink's batches", () => {
  const batches = { maxEvents: 7, maxBytes: 200 };

  it("hold before anything is refused, and a single alert is sent whatever its size", async () => {
    const bench = createBench();
    bench.addSink("hook", {}, { batches });
    const sizes = Array.from({ length: 40 }, (_, index) => (index === 17 ? 400 : index % 9));
    const subjects = sizes.map((size, index) => subject(index, size));
    for (const one of subjects) bench.add(one, { groupKey: "team" });
    await bench.newPump().start();
    await bench.clock.advance(SECOND);
    expect(bench.subjects()).toEqual(subjects);
    const bytes = (sent: Sent) =>
      JSON.stringify({ subjects: sent.subjects, digest: false } satisfies Json).length;
    for (const sent of bench.sent)
      expect(sent.subjects.length === 1 || (sent.subjects.length <= 7 && bytes(sent) <= 200)).toBe(
        true,
      );
    expect(bench.sent.some(({ subjects: own }) => own.length === 7)).toBe(true);
  });
});
