/** Tests which watches the overview reads and which it leaves out. */
import { expect, it } from "vitest";
import { createWatchReader, type WatchQuery } from "../../../src/operate/views/status-view.ts";
import type { ViewsDeps } from "../../../src/operate/views/views-deps.ts";
import { makeWatch } from "../../support/make-watch.ts";

const IDS = ["a", "b", "slow", "c", "paused", "failing"];

/**
 * Sets up a daemon that slows one watch down, has paused another, and whose polls of a third one
 * fail.
 */
function setUp() {
  const listed: (readonly string[] | undefined)[] = [];
  const watches = [
    ...IDS.map((id) => makeWatch(id, "search", { query: id })),
    { ...makeWatch("off", "search", { query: "off" }), enabled: false },
  ];
  const slow = { factor: 2, untilMs: 0, nextPollMs: undefined };
  const parts = {
    clock: { now: () => 0 },
    config: () => ({ watches }),
    routing: () => ({ describe: () => "#brand" }),
    failingEnrichments: () => new Map(),
    quotaMonitor: { status: { period: { startMs: 0 } } },
    store: {
      stoppedWatches: async () => ["paused", "off"],
      listWatches: async (ids?: readonly string[]) => {
        listed.push(ids);
        return [];
      },
      spentByWatch: async () => new Map(),
      enrichmentBacklog: async () => [],
      countNotRelevant: async () => [],
    },
    engine: {
      pollsOf: (id: string) => [{ key: `poll of ${id}` }],
      problemOf: (key: string) => (key === "poll of failing" ? "refused" : ""),
      slowedWatches: async () => new Map([["slow", slow]]),
      firstReadPages: () => new Map(),
      nextPollAt: () => undefined,
    },
  } as unknown as ViewsDeps;
  const reader = createWatchReader(parts);
  const read = async (query: Omit<WatchQuery, "known">) =>
    (await reader({ known: new Map(), ...query })).map(({ id, problem }) => `${id}${problem}`);
  return { listed, read };
}

it("leaves out only watches about which nothing is to be said", async () => {
  const { listed, read } = setUp();
  const shown = ["a", "slow", "paused", "failingrefused"];
  expect(await read({ maxWellWatches: 1 })).toEqual(shown);
  expect(await read({ maxWellWatches: 0 })).toEqual(shown.slice(1));
  expect(listed).toEqual([
    ["a", "slow", "paused", "failing"],
    ["slow", "paused", "failing"],
  ]);
});

it("reads all watches in one go, or the only one", async () => {
  const { listed, read } = setUp();
  expect(await read({})).toHaveLength(IDS.length);
  expect(await read({ maxWellWatches: 3 })).toHaveLength(IDS.length);
  expect(await read({ only: "b" })).toEqual(["b"]);
  expect(listed).toEqual([undefined, undefined, ["b"]]);
});
