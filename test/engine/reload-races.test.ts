/** Tests reloads, resumes and stops while work is in progress. */
import { afterEach, expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import { watchTypeOf } from "../../src/watches/registry.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { createFeedWorld } from "../support/feed-world.ts";
import { makeUser } from "../support/make-event.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createScriptedUpstream, failure } from "../support/scripted-upstream.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MINUTE = 60_000;

let harness: EngineHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

const handles = (count: number) => Array.from({ length: count }, (_, i) => `user${i + 1}`);
const timeline = (id: string, accounts: readonly string[]) =>
  makeWatch(id, "timeline", { accounts });

it("asks for every new handle once, a hundred a request, when a reload comes while others are looked up", async () => {
  const clock = createVirtualClock(START);
  const upstream = createScriptedUpstream(
    clock,
    handles(450).map((handle, i) => makeUser(String(i + 1), handle)),
  );
  upstream.on("user-tweets", () => ({ tweets: [] }));
  harness = await startEngineHarness({ clock, upstream, watches: [timeline("w", handles(150))] });
  await clock.advance(10);
  const { setWatches } = harness;
  const reloads = [250, 350, 450].map((count) => setWatches([timeline("w", handles(count))]));
  await clock.advance(5_000);
  await Promise.all(reloads);
  const asked = upstream
    .callsOf("info-batch")
    .flatMap(({ params }) => (params["usernames"] as readonly string[] | undefined) ?? []);
  expect(new Set(asked).size).toBe(450);
  expect(asked).toHaveLength(450);
  expect(upstream.callsOf("info-batch").filter(({ params }) => "usernames" in params)).toHaveLength(
    5,
  );
});

it("forgets what went wrong with a watch that was taken out, and says nothing of it when it is back", async () => {
  const clock = createVirtualClock(START);
  const upstream = createScriptedUpstream(clock);
  upstream.on("search-tweets", () => ({ tweets: [] }));
  upstream.trouble = ({ params }) => {
    if (JSON.stringify(params).includes("broken")) throw failure("transient");
    return undefined;
  };
  const [whole, broken] = [
    makeWatch("a", "search", { query: "whole" }, { strategy: "single" }),
    makeWatch("b", "search", { query: "broken" }, { strategy: "single" }),
  ];
  harness = await startEngineHarness({ clock, upstream, watches: [whole, broken] });
  await clock.advance(MINUTE);
  const keys = harness.engine.pollsOf("b").map(({ key }) => key);
  expect(keys.map((key) => harness?.engine.problemOf(key))).not.toEqual([""]);
  await harness.setWatches([whole]);
  expect(keys.map((key) => harness?.engine.problemOf(key))).toEqual([""]);
});

it("polls every watch of several that are resumed at the same moment, and one that a reload brings then", async () => {
  const clock = createVirtualClock(START);
  const upstream = createScriptedUpstream(clock);
  upstream.on("search-tweets", () => ({ tweets: [] }));
  const ids = ["a", "b", "c"];
  const search = (id: string) => makeWatch(id, "search", { query: id }, { strategy: "single" });
  harness = await startEngineHarness({ clock, upstream, watches: ids.map(search) });
  await clock.advance(MINUTE);
  const { pause, setWatches } = harness;
  const polled = (...watches: readonly string[]) =>
    watches.filter((id) => harness?.engine.pollsOf(id).length === 1);
  await Promise.all(ids.map((id) => pause(id, true)));
  expect(polled(...ids)).toEqual([]);
  await Promise.all(ids.map((id) => pause(id, false)));
  expect(polled(...ids)).toEqual(ids);
  await Promise.all([setWatches([...ids, "d"].map(search)), pause("a", true)]);
  expect(polled(...ids, "d")).toEqual(["b", "c", "d"]);
});

it("leaves a watch paused that was paused after a reload had read the state", async () => {
  const clock = createVirtualClock(START);
  const upstream = createScriptedUpstream(clock);
  upstream.on("search-tweets", () => ({ tweets: [] }));
  const watches = ["a", "b"].map((id) => makeWatch(id, "search", { query: id }));
  harness = await startEngineHarness({ clock, upstream, watches });
  const { engine, store, pause } = harness;
  const states = await store.listWatches();
  const before = watches.flatMap((watch, at) => {
    const state = states[at];
    return state === undefined ? [] : [{ watch, type: watchTypeOf(watch), state }];
  });
  await pause("a", true);
  await engine.setWatches(before);
  expect(["a", "b"].map((id) => engine.pollsOf(id).length)).toEqual([0, 1]);
});

it("keeps at a stop the handles whose answer is under way: they are paid for", async () => {
  const clock = createVirtualClock(START);
  const upstream = createScriptedUpstream(clock);
  upstream.on("info-batch", async ({ params }) => {
    if ("usernames" in params) await sleep(clock, 700);
    return { users: handles(20).map((handle, i) => makeUser(String(i + 1), handle)) };
  });
  upstream.on("user-tweets", () => ({ tweets: [] }));
  harness = await startEngineHarness({ clock, upstream, watches: [timeline("w", handles(20))] });
  await clock.advance(10);
  await harness.restart();
  await clock.advance(1_000);
  expect(upstream.callsOf("info-batch").filter(({ params }) => "usernames" in params)).toHaveLength(
    1,
  );
  expect(harness.logged.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
  expect(harness.direct).toEqual([]);
});

it.each([
  {
    how: "removed",
    leave: () => harness?.setWatches([makeWatch("kept", "search", { query: "acme" })]),
    alerting: ["kept"],
  },
  { how: "paused", leave: () => harness?.pause("gone", true), alerting: ["alone", "kept"] },
])(
  "says nothing of a watch that was $how while the request of its poll waited",
  async ({ leave, alerting }) => {
    const clock = createVirtualClock(START);
    const world = createFeedWorld({ random: createSeededRandom(1) });
    const upstream = createScriptedUpstream(clock);
    upstream.on("search-tweets", (request, nowMs) => world.answer(request, nowMs));
    const alone = makeWatch("alone", "search", { query: "other" });
    harness = await startEngineHarness({
      clock,
      upstream,
      watches: [alone, ...["kept", "gone"].map((id) => makeWatch(id, "search", { query: "acme" }))],
    });
    await clock.advance(5_000);
    world.post(START + 30_000);
    upstream.trouble = (_, nowMs) => {
      if (nowMs < START + 3 * MINUTE) throw failure("rate_limited");
      return undefined;
    };
    await clock.advanceTo(START + 2 * MINUTE);
    await leave();
    await clock.advanceTo(START + 5 * MINUTE);
    expect((await harness.events()).map(({ watch }) => watch).sort()).toEqual(alerting);
  },
);
