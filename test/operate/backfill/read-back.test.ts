/**
 * Reading back: what is paid for once is not paid for again, however often and however deep someone
 * asks.
 */
import { describe, expect, it } from "vitest";
import { readBack, type BackTarget } from "../../../src/operate/backfill/read-back.ts";
import type { BackfillPage, BackfillRead } from "../../../src/model/backfill.ts";
import { tweetIdAt } from "../../../src/model/id.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { UpstreamError, type UpstreamAnswer } from "../../../src/model/upstream.ts";
import { makeTweet } from "../../support/make-event.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const NOW = Date.UTC(2026, 2, 6, 12);
const HOUR = 3_600_000;
const PER_PAGE = 20;

/**
 * A list with a tweet every `everyMs`, as the service shows it: newest first, twenty a page; bounds
 * as the query has them.
 */
function listOf(hours: number, everyMs = HOUR / 10) {
  const ages = Array.from(
    { length: Math.floor((hours * HOUR) / everyMs) },
    (_, index) => (index + 1) * everyMs,
  );
  const tweets = ages.map((ageMs) => ({
    ...makeTweet(tweetIdAt(NOW - ageMs)),
    created_at: new Date(NOW - ageMs).toISOString(),
  }));
  return (query: string, cursor: string | undefined): UpstreamAnswer => {
    const since = Number(/since_time:(\d+)/.exec(query)?.[1] ?? 0) * 1_000;
    const max = BigInt(/max_id:(\d+)/.exec(query)?.[1] ?? "99999999999999999999");
    const found = tweets.filter(
      ({ id, created_at: at }) => Date.parse(at) >= since && BigInt(id) <= max,
    );
    const start = Number(cursor ?? 0);
    const next = start + PER_PAGE < found.length ? String(start + PER_PAGE) : undefined;
    return {
      tweets: found.slice(start, start + PER_PAGE),
      ...(next === undefined ? {} : { nextCursor: next }),
    };
  };
}

function setUp(answer: ReturnType<typeof listOf>) {
  const kept = new Map<string, BackfillRead>();
  const ids = new Set<string>();
  const asked: { query: string; cursor: string | undefined }[] = [];
  const store = {
    loadBackfill: async (fingerprint: string) => kept.get(fingerprint),
    async saveBackfillPage({ fingerprint, read, tweets }: BackfillPage) {
      kept.set(fingerprint, read);
      for (const { id } of tweets) ids.add(id);
    },
  };
  const run = (
    source: BackTarget["source"],
    hours: number,
    most = Number.POSITIVE_INFINITY,
    refused = new Set<string>(),
  ) => {
    let left = most;
    const ask = async (params: JsonObject, cursor: string | undefined) => {
      const query = typeof params["query"] === "string" ? params["query"] : "";
      left -= 1;
      asked.push({ query, cursor });
      if (cursor !== undefined && refused.delete(cursor))
        throw new UpstreamError("bad_request", "the cursor is too old", 400);
      return answer(query, cursor);
    };
    const deps = {
      store,
      clock: createVirtualClock(NOW),
      ask,
      mayAsk: () => left > 0,
      onPage: () => undefined,
    };
    return readBack(deps, { key: "f", source, sinceMs: NOW - hours * HOUR });
  };
  return { run, asked, ids };
}

const SEARCH = { endpoint: "search-tweets", params: { query: "zebra" }, boundParam: "query" };
const TIMELINE = { endpoint: "user-tweets", params: { user_id: "7" } };

describe("reading back", () => {
  for (const [name, source] of Object.entries({ search: SEARCH, timeline: TIMELINE })) {
    it(`a ${name} goes down to the time, and a second time costs nothing`, async () => {
      const { run, asked, ids } = setUp(listOf(48));
      expect(await run(source, 12)).toBe("reached");
      expect(ids.size).toBeGreaterThanOrEqual(120);
      const paid = asked.length;
      expect(paid).toBeLessThanOrEqual(7);
      expect(await run(source, 12)).toBe("reached");
      expect(await run(source, 6)).toBe("reached");
      expect(asked).toHaveLength(paid);
    });

    it(`a ${name} that was cut goes on where it stopped`, async () => {
      const { run, asked, ids } = setUp(listOf(48));
      expect(await run(source, 12, 2)).toBe("cut");
      expect(ids.size).toBe(40);
      expect(await run(source, 12)).toBe("reached");
      expect(ids.size).toBeGreaterThanOrEqual(120);
      expect(asked.length).toBeLessThanOrEqual(7);
    });

    it(`a ${name} that was read back goes on from there to an earlier time`, async () => {
      const { run, asked, ids } = setUp(listOf(48));
      await run(source, 6);
      await run(source, 24);
      expect(ids.size).toBeGreaterThanOrEqual(240);
      expect(asked.length).toBeLessThanOrEqual(15);
      expect(
        asked.filter(({ cursor, query }) => cursor === undefined && !query.includes("max_id")),
      ).toHaveLength(1);
    });

    it(`a ${name} that was cut for one time and is asked for an earlier one misses nothing between`, async () => {
      const { run, ids } = setUp(listOf(48));
      await run(source, 12, 2);
      expect(await run(source, 24)).toBe("reached");
      expect(ids.size).toBeGreaterThanOrEqual(240);
    });

    it(`a ${name} whose cursor is no longer taken begins anew and misses nothing`, async () => {
      const { run, ids } = setUp(listOf(48));
      await run(source, 12, 2);
      expect(await run(source, 12, 99, new Set(["40"]))).toBe("reached");
      expect(ids.size).toBeGreaterThanOrEqual(120);
    });

    it(`a ${name} that is shorter than the time is read to its end, once`, async () => {
      const { run, asked, ids } = setUp(listOf(3));
      expect(await run(source, 12)).toBe("reached");
      expect(ids.size).toBe(30);
      await run(source, 12);
      expect(asked).toHaveLength(2);
    });
  }

  it("a list of empty pages without an end is given up", async () => {
    const { run, asked } = setUp((_, cursor) => ({
      tweets: [],
      nextCursor: String(Number(cursor ?? 0) + 1),
    }));
    expect(await run(TIMELINE, 12)).toBe("reached");
    expect(asked.length).toBeLessThanOrEqual(4);
  });
});
