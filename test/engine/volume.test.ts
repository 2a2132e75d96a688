import { afterEach, expect, it } from "vitest";
import { createReader } from "../../src/operate/create-reader.ts";
import type { Tweet } from "../../src/model/tweet.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeTweet } from "../support/make-event.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { createScriptedUpstream, failure } from "../support/scripted-upstream.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let harness: EngineHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

const search = (rules: WatchChanges) =>
  makeWatch(
    "w",
    "search",
    { query: "acme" },
    { schedule: { kind: "every", intervalMs: 15 * MINUTE }, labels: { team: "comms" }, ...rules },
  );

async function setup(rules: WatchChanges) {
  const clock = createVirtualClock(START);
  const upstream = createScriptedUpstream(clock);
  const tweets: Tweet[] = [];
  let ids = 1_000;
  const post = (count: number) => {
    for (let i = 0; i < count; i += 1) {
      const id = String(++ids);
      tweets.unshift({ ...makeTweet(id), created_at: new Date(clock.now()).toISOString() });
    }
  };
  upstream.on("search-tweets", () => ({ tweets: tweets.slice(0, 200) }));
  post(1);
  harness = await startEngineHarness({ clock, upstream, watches: [search(rules)] });
  const alerted = async () =>
    ((await harness?.events()) ?? []).filter(({ type }) => type.startsWith("volume.")).reverse();
  const types = async () => (await alerted()).map(({ type }) => type);
  return { clock, upstream, post, alerted, types, harness };
}

/** Posts two tweets an hour for this many days. */
async function ordinaryDays(
  { clock, post }: Awaited<ReturnType<typeof setup>>,
  days: number,
): Promise<void> {
  for (let hour = 0; hour < days * 24; hour += 1) {
    post(2);
    await clock.advance(HOUR);
  }
}

const SPIKE = { spike: { factor: 3, windowMs: HOUR, min: 5 } };

it("reports a spike against what is usual at that hour, once while it lasts, and the next one after it was over, but none before it has learned or below the limit", async () => {
  const world = await setup(SPIKE);
  const { clock, post, alerted, types, harness } = world;
  post(50);
  await clock.advance(HOUR);
  await ordinaryDays(world, 4);
  post(4);
  await clock.advance(2 * HOUR);
  expect(await types()).toEqual([]);
  post(9);
  await clock.advance(16 * MINUTE);
  const [spike, ...more] = await alerted();
  expect(more).toEqual([]);
  expect(spike).toMatchObject({
    type: "volume.spike",
    subject: "w",
    watch: "w",
    labels: { team: "comms", event: "volume.spike" },
  });
  expect(spike?.body).toEqual({ volume: { count: 9, usual: 2, window: "1h" } });
  const message = createReader("https://x.com")({
    event: spike as NonNullable<typeof spike>,
    watches: ["w"],
  });
  expect(message.title).toBe("w: 9 alerts within 1h, usually 2 at this hour");
  for (let hour = 0; hour < 4; hour += 1) {
    post(9);
    await clock.advance(HOUR);
  }
  await harness.restart();
  post(9);
  await clock.advance(30 * MINUTE);
  expect(await types()).toHaveLength(1);
  await clock.advance(3 * HOUR);
  post(12);
  await clock.advance(16 * MINUTE);
  expect(await types()).toHaveLength(2);
});

it("asks nothing more for either rule", async () => {
  const world = await setup({ ...SPIKE, noEventsForMs: 6 * HOUR });
  await world.clock.advance(DAY);
  expect(world.upstream.calls.filter(({ endpoint }) => endpoint !== "search-tweets")).toEqual([]);
});

const SILENCE = { noEventsForMs: 6 * HOUR };

it("reports a silence once, over restarts and crashes, and the next one after an event", async () => {
  const { clock, post, alerted, types, harness } = await setup(SILENCE);
  await clock.advance(HOUR);
  post(1);
  const postedMs = clock.now();
  await clock.advance(5 * HOUR);
  await harness.restart();
  expect(await types()).toEqual([]);
  await clock.advance(2 * HOUR);
  await harness.crash();
  await clock.advance(12 * HOUR);
  const [silent, ...more] = await alerted();
  expect(more).toEqual([]);
  expect(silent?.type).toBe("volume.silent");
  const { last_event_at: lastEventAt } = (silent?.body["volume"] ?? {}) as {
    readonly last_event_at?: string;
  };
  const last = Date.parse(lastEventAt ?? "");
  expect(last - postedMs).toBeLessThanOrEqual(16 * MINUTE);
  expect((silent?.detectedAtMs ?? 0) - last).toBeGreaterThanOrEqual(6 * HOUR);
  const message = createReader("https://x.com")({
    event: silent as NonNullable<typeof silent>,
    watches: ["w"],
  });
  expect(message.title).toMatch(/^w: no alert for 6h, the last one at 2026-03-02 13:\d\d UTC$/);
  post(1);
  await clock.advance(5 * HOUR);
  expect(await types()).toHaveLength(1);
  await clock.advance(2 * HOUR);
  expect(await types()).toHaveLength(2);
});

it("does not take a paused watch, an outage or a daemon that was off for silence", async () => {
  const { clock, types, harness, upstream } = await setup(SILENCE);
  await clock.advance(5 * HOUR);
  await harness.pause("w", true);
  await clock.advance(DAY);
  await harness.pause("w", false);
  await clock.advance(10 * MINUTE);
  upstream.trouble = () => {
    throw failure("transient");
  };
  await clock.advance(DAY);
  upstream.trouble = undefined;
  await clock.advance(30 * MINUTE);
  expect(await types()).toEqual([]);
  await clock.advance(90 * MINUTE);
  expect(await types()).toEqual(["volume.silent"]);
});

it("counts the time of a watch without any event from its first check on", async () => {
  const { clock, alerted } = await setup(SILENCE);
  await clock.advance(7 * HOUR);
  const [silent] = await alerted();
  expect(silent?.body).toEqual({ volume: { for: "6h", last_event_at: null } });
});
