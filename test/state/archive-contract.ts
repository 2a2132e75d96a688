/** What every Store must do for the archive. Run it with a function that makes an empty one. */
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { ArchivedRead, ArchivePlace, FoundFact } from "../../src/model/archive.ts";
import type { Store } from "../../src/model/store.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { decodeRead, encodeRead } from "../../src/state/archive/encode-read.ts";
import { toText, toTextWith } from "../../src/state/db/json-text.ts";
import { makeEvent, makeTweet, makeUser } from "../support/make-event.ts";

const START: ArchivePlace = { atMs: 0, id: "" };

const fact = (id: string, changes: Partial<FoundFact> = {}): FoundFact => ({
  ...{ watchKey: "w", targetKey: "@x", targetName: "@x", found: "news", episode: "" },
  ...{ type: "tweet.created", subject: id, body: { tweet: makeTweet(id) }, occurredAtMs: 5 },
  ...changes,
});

const readAt = (atMs: number, ...facts: readonly FoundFact[]): ArchivedRead => ({
  ...{ atMs, source: "s", gatherMs: 60_000, facts, values: [] },
});

export function describeArchive(name: string, makeStore: () => Promise<Store>): void {
  describe(`archive: ${name}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await makeStore();
    });

    const commit = (...archive: readonly ArchivedRead[]) =>
      store.commitPoll({
        ...{ atMs: 1, targets: [], verdicts: [], events: [], deliveries: [] },
        archive,
      });
    const all = async (untilMs = 10_000) => (await store.archivedReads(START, untilMs, 100)).reads;

    test("reads come back whole, in the order of time, a few at once", async () => {
      const tweet = makeTweet("1", "über 🎉 \n");
      const values = {
        ...{ watchKey: "v", targetKey: "k", targetName: "n" },
        record: { likes_count: 7, deep: { list: [1, "two", null] } },
        before: { values: { likes_count: 3 }, across: [] },
        ...{ episode: "e", missed: "skip" as const },
      };
      const whole: ArchivedRead = {
        ...{ atMs: 20, source: "s2", gatherMs: 90_000 },
        values: [values, { ...values, episode: "", missed: "on_return" }],
        baselines: [{ watchKey: "v", targetKey: "k", targetName: "n", ids: ["7", "12"] }],
        facts: [
          fact("1", { body: { tweet }, found: "baseline" }),
          fact("1", { watchKey: "w2", body: { tweet }, found: "too_old" }),
          fact("2", {
            ...{ type: "follower.added", episode: "e", missed: "on_return" },
            body: { user: makeUser("bob"), previous: null, count: 3 },
          }),
        ],
      };
      await commit(readAt(30, fact("3", { missed: "skip" })));
      await commit(whole);
      await commit(readAt(10, fact("4")));
      const first = await store.archivedReads(START, 10_000, 2);
      expect(first.reads).toEqual([readAt(10, fact("4")), whole]);
      const rest = await store.archivedReads(first.last ?? START, 10_000, 2);
      expect(rest.reads).toEqual([readAt(30, fact("3", { missed: "skip" }))]);
      expect((await store.archivedReads(rest.last ?? START, 10_000, 2)).last).toBeUndefined();
      expect(await all(30)).toHaveLength(2);
    });

    test("commits of the same time come back in their order, each with its reads together", async () => {
      const joint = [readAt(10, fact("2")), readAt(12, fact("1")), readAt(11, fact("3"))];
      const names = ["d", "b", "e", "a", "c"];
      await commit(...joint);
      for (const name of names) await commit(readAt(12, fact(name)));
      const together = joint.map((read, at) => (at === 0 ? read : { ...read, sameCommit: true }));
      const expected = [...together, ...names.map((name) => readAt(12, fact(name)))];
      expect(await all()).toEqual(expected);
      expect((await store.archivedReads(START, 10_000, 1)).reads).toEqual(together);
      await store.compressArchive(2 * 86_400_000);
      expect(await all()).toEqual(expected);
      expect((await store.archiveSize()).reads).toBe(8);
    });

    test("reads that begin alike and are as long are all kept", async () => {
      const long = "x".repeat(500);
      const reads = ["1", "2", "3"].map((last) =>
        readAt(10, fact("7", { body: { tweet: makeTweet("7", `${long}${last}`) } })),
      );
      for (const read of reads) await commit(read);
      expect(await all()).toEqual(reads);
    });

    test("a poll in conflict archives nothing", async () => {
      const result = await store.commitPoll({
        ...{ atMs: 1, targets: [], verdicts: [], events: [], deliveries: [] },
        source: { fingerprint: "f", expectedRevision: 7, polledAtMs: 1, ok: true },
        archive: [readAt(10, fact("1"))],
      });
      expect(result.status).toBe("conflict");
      expect(await all()).toEqual([]);
      expect(await store.archiveSize()).toEqual({
        ...{ reads: 0, bytes: 0, firstAtMs: null, lastAtMs: null },
      });
    });

    test("compressed reads come back as they were, in their order, from any place", async () => {
      const texts = Array.from({ length: 400 }, (_, i) => `${i} ${"words and words ".repeat(20)}`);
      const reads = texts.map((text, i) =>
        readAt(100 + i, fact(String(i), { body: { tweet: makeTweet(String(i), text) } })),
      );
      for (const read of reads) await commit(read);
      const before = await store.archiveSize();
      await store.compressArchive(100 + 390);
      const after = await store.archiveSize();
      expect(after).toEqual({ ...before, bytes: after.bytes });
      expect(after.bytes).toBeLessThan(before.bytes / 3);
      expect(await all()).toEqual(reads);
      const from = await store.archivedReads({ atMs: 149, id: "" }, 300, 1);
      const rest = await store.archivedReads(from.last ?? START, 300, 100);
      expect([...from.reads, ...rest.reads]).toEqual(reads.slice(50, 200));
    });

    test("events of the same commit are stored as without it, and the other way round", async () => {
      const body = { tweet: makeTweet("1", "über 🎉 \n"), previous: undefined, gone: null };
      const events = ["a", "b"].map((id) => makeEvent("1", { id, body: { ...body, id } }));
      const found = readAt(
        20,
        ...events.map(({ id, body: shared }) => fact("1", { watchKey: id, body: shared })),
      );
      await store.commitPoll({
        ...{ atMs: 1, targets: [], verdicts: [], events, deliveries: [], archive: [found, found] },
      });
      expect(await store.eventsById(["a", "b"])).toEqual(events);
      expect(await all()).toMatchObject([
        { facts: events.map((one) => ({ body: { tweet: body.tweet, gone: null, id: one.id } })) },
        { facts: [{}, {}], sameCommit: true },
      ]);
    });

    test("reads that do not fill a chunk wait a day for more", async () => {
      const day = 86_400_000;
      for (const [at, id] of [
        [100, "1"],
        [101, "2"],
      ] as const)
        await commit(readAt(at, fact(id)));
      const { bytes } = await store.archiveSize();
      await store.compressArchive(day);
      expect((await store.archiveSize()).bytes).toBe(bytes);
      await store.compressArchive(day + 101);
      expect((await store.archiveSize()).bytes).toBeLessThan(bytes);
      expect(await all(day)).toEqual([readAt(100, fact("1")), readAt(101, fact("2"))]);
    });

    test("what is older than it is kept goes, and beyond its size the oldest first", async () => {
      const reads = Array.from({ length: 12 }, (_, i) => readAt(100 + i, fact(String(i))));
      for (const read of reads) await commit(read);
      await store.trimArchive(102, Number.MAX_SAFE_INTEGER);
      expect((await all()).map(({ atMs }) => atMs)).toEqual(reads.slice(2).map((one) => one.atMs));
      const { bytes, firstAtMs, lastAtMs } = await store.archiveSize();
      expect([firstAtMs, lastAtMs]).toEqual([102, 111]);
      const lastThree = reads.slice(-3).reduce((sum, read) => sum + encodeRead(read).length, 0);
      expect(lastThree).toBeLessThan(bytes);
      await store.trimArchive(0, lastThree);
      expect((await all()).map(({ atMs }) => atMs)).toEqual([109, 110, 111]);
      expect((await store.archiveSize()).bytes).toBe(lastThree);
      await store.trimArchive(Number.MAX_SAFE_INTEGER, 0);
      expect(await all()).toEqual([]);
    });
  });
}

const bodies = fc.array(fc.dictionary(fc.string(), fc.jsonValue()));

/** Any JSON in a body survives, also what looks like the places that stand for it. */
export function describeEncoding(): void {
  test("an encoded read is decoded as it was", () => {
    fc.assert(
      fc.property(bodies, (drawn) => {
        const facts = drawn.map((body, at) =>
          fact(String(at), { body: JSON.parse(JSON.stringify(body)) }),
        );
        const read = readAt(3, ...facts);
        expect(decodeRead(JSON.parse(encodeRead(read)))).toEqual(read);
      }),
      // A name that an assignment to an object would lose.
      { examples: [[[JSON.parse('{"__proto__":1}')]]] },
    );
  });

  test("the texts of an encoded read give a body the text that it has without them", () => {
    fc.assert(
      fc.property(bodies, (drawn) => {
        const facts = drawn.map((body, at) =>
          fact(String(at), { body: body as FoundFact["body"] }),
        );
        const texts = new Map<unknown, string>();
        encodeRead(readAt(3, ...facts), texts);
        for (const { body } of [...facts, fact("other")])
          expect(toTextWith(body as JsonObject, texts)).toBe(toText(body as JsonObject));
      }),
    );
  });
}
