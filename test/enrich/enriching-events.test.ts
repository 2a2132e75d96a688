/**
 * Tests what happens to events that wait for their enrichment: which answer releases them, when
 * they go out at the latest, and what is reported about a failing endpoint.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EnrichRule } from "../../src/model/watch.ts";
import { MINUTE, RULE, SECOND, setUpEnricher } from "./enrich-fixture.ts";

const HOLD: EnrichRule = { ...RULE, onError: "hold" };
const OTHER_VIA: EnrichRule["via"] = {
  kind: "url",
  url: "https://other.example/",
  headers: {},
  isPrivateAllowed: false,
};

describe("an answer that is remembered", () => {
  const matrix = [true, false].flatMap((sameVia) =>
    [true, false].flatMap((sameLabels) =>
      [true, false].map((sameText) => ({ sameVia, sameLabels, sameText })),
    ),
  );
  it.each(matrix)(
    "counts for another watch that asks the same of the same: %o",
    async ({ sameVia, sameLabels, sameText }) => {
      const first = { ...RULE, cacheMs: MINUTE };
      const second = {
        ...first,
        via: sameVia ? first.via : OTHER_VIA,
        labels: sameLabels ? first.labels : ["topic"],
      };
      const { add, asked, sent } = await setUpEnricher({ first, second }, (_, { labels }) => ({
        [labels[0] ?? ""]: "set",
      }));
      await add("first", "1", { text: "one" });
      await add("second", "2", { text: sameText ? "one" : "two" });
      expect(asked).toHaveLength(sameVia && sameLabels && sameText ? 1 : 2);
      expect(sent.map(({ event }) => [event.labels["mood"], event.labels["topic"]])).toEqual([
        ["set", undefined],
        sameLabels ? ["set", undefined] : [undefined, "set"],
      ]);
    },
  );

  it("counts for as long as it says, however often it is used", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 8 }),
        async (gapsS) => {
          const { add, asked, clock } = await setUpEnricher(
            { brand: { ...RULE, cacheMs: MINUTE } },
            () => ({ mood: "good" }),
          );
          let expected = 0;
          let askedAtMs = Number.NEGATIVE_INFINITY;
          for (const [index, seconds] of gapsS.entries()) {
            await add("brand", String(index), { text: "the same" });
            if (clock.monotonic() - askedAtMs >= MINUTE)
              [expected, askedAtMs] = [expected + 1, clock.monotonic()];
            expect(asked).toHaveLength(expected);
            await clock.advance(seconds * SECOND);
          }
        },
      ),
      { numRuns: 12 },
    ));
});

describe("an event without an answer", () => {
  it("waits no longer than max_hold, however often the daemon is restarted meanwhile", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 5, max: 400 }), { maxLength: 6 }),
        async (upS) => {
          const { add, clock, restart, sent } = await setUpEnricher(
            { brand: { ...HOLD, maxHoldMs: 5 * MINUTE } },
            () => undefined,
          );
          await add("brand", "1");
          for (const seconds of upS) {
            await clock.advance(seconds * SECOND);
            await restart();
          }
          await clock.advance(5 * MINUTE);
          expect(sent.map(({ event }) => event.labels["enrich"])).toEqual(["failed"]);
          // There is one more attempt if the time is over at a start.
          expect(sent[0]?.atMs).toBeLessThanOrEqual(5 * MINUTE + RULE.timeoutMs);
          expect(sent[0]?.atMs).toBeGreaterThanOrEqual(5 * MINUTE);
        },
      ),
      { numRuns: 15 },
    ));

  it("is asked about once more after a stop that was longer than max_hold", async () => {
    const { add, clock, current, restart, sent } = await setUpEnricher(
      { brand: HOLD },
      () => undefined,
    );
    await add("brand", "1");
    current.endpoint = () => ({ mood: "good" });
    await restart(60 * MINUTE);
    await clock.advance(SECOND);
    expect(sent.map(({ event }) => event.labels["enrich"])).toEqual(["ok"]);
  });

  it("is asked about at once when another endpoint is configured, and when the endpoint answers again", async () => {
    const { add, asked, clock, current, enricher, sent } = await setUpEnricher(
      { brand: HOLD },
      () => undefined,
    );
    for (const id of ["1", "2", "3"]) await add("brand", id);
    await clock.advance(2 * MINUTE);
    current.endpoint = ({ subject }) => (subject === "1" ? undefined : { mood: "good" });
    const before = asked.length;
    enricher().renew();
    await clock.advance(0);
    expect(asked.slice(before).map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(["1", "2", "3"]),
    );
    expect(sent.map(({ event }) => event.subject)).toEqual(["2", "3"]);
    current.endpoint = () => ({ mood: "good" });
    await add("brand", "4");
    await clock.advance(0);
    expect(sent.map(({ event }) => event.subject).sort()).toEqual(["1", "2", "3", "4"]);
  });

  it("keeps no event of another watch about the same post waiting", async () => {
    const quick = { ...RULE, via: OTHER_VIA };
    const { add, sent } = await setUpEnricher({ slow: HOLD, quick }, (_, { via }) =>
      via === OTHER_VIA ? { mood: "good" } : undefined,
    );
    await add("slow", "1");
    await add("quick", "1");
    expect(sent.map(({ event }) => event.watch)).toEqual(["quick"]);
  });

  it("is not asked about before the time that the endpoint asked for, and then is", async () => {
    const { add, asked, clock } = await setUpEnricher({ brand: HOLD }, () => 4 * MINUTE);
    await add("brand", "1");
    await clock.advance(9 * MINUTE);
    expect(asked.map(({ atMs }) => atMs)).toEqual([0, 4 * MINUTE, 8 * MINUTE]);
  });

  it("opens the circuit only with others in a row: every second failure never does", async () => {
    let count = 0;
    const { add, asked, clock } = await setUpEnricher({ brand: RULE }, () =>
      ++count % 2 === 1 ? undefined : { mood: "good" },
    );
    for (let id = 0; id < 30; id += 1) {
      await add("brand", String(id));
      await clock.advance(SECOND);
    }
    expect(asked).toHaveLength(30);
  });
});

describe("the operator", () => {
  it("gets an ops alert for each outage that lasts a minute, and for its end", async () => {
    const { add, clock, current, ops } = await setUpEnricher({ brand: RULE }, () => ({
      mood: "good",
    }));
    let id = 0;
    const play = async (isUp: boolean, events: number) => {
      current.endpoint = () => (isUp ? { mood: "good" } : undefined);
      for (let n = 0; n < events; n += 1) {
        await add("brand", String(++id));
        await clock.advance(30 * SECOND);
      }
    };
    for (const outage of [4, 1, 5]) {
      await play(false, outage);
      await clock.advance(10 * MINUTE);
      await play(true, 2);
      await clock.advance(10 * MINUTE);
    }
    expect(ops.map(({ type }) => type)).toEqual([
      "enrich.failing",
      "enrich.recovered",
      "enrich.failing",
      "enrich.recovered",
    ]);
  });
});

describe("an event with an answer", () => {
  it("has the label of the answer, also where the watch sets one of that name", async () => {
    const { add, sent } = await setUpEnricher({ brand: RULE }, () => ({ mood: "good" }));
    await add("brand", "1", { labels: { mood: "unknown" } });
    expect(sent[0]?.event.labels).toMatchObject({ mood: "good", enrich: "ok" });
  });

  it("is stored under the name that its watch has by then", async () => {
    const { add, clock, current, store } = await setUpEnricher(
      { brand: { ...HOLD, maxHoldMs: 60 * MINUTE } },
      () => undefined,
    );
    const id = await add("brand", "1");
    current.renamed.set("brand", "renamed");
    current.endpoint = () => ({ mood: "good" });
    await clock.advance(10 * MINUTE);
    expect(await store.eventsById([id])).toMatchObject([
      { watch: "renamed", labels: { mood: "good" } },
    ]);
  });
});
