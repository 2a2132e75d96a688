/**
 * Tests accounts that must be requested by handle: how often the handle is looked up, over restarts
 * and beside others who request profiles.
 */
import { afterEach, expect, it } from "vitest";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeUser } from "../support/make-event.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createScriptedUpstream, failure } from "../support/scripted-upstream.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const MIN = 60_000;
const HOUR = 60 * MIN;

let harness: EngineHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

const every = (intervalMs: number) => ({ schedule: { kind: "every", intervalMs } as const });

async function setup(profileEveryMs?: number) {
  const clock = createVirtualClock(START);
  const users = [makeUser("1", "one"), makeUser("2", "two")];
  const upstream = createScriptedUpstream(clock, users);
  upstream.on("mentions", () => ({ tweets: [] }));
  const mentions = makeWatch("m", "mentions", { accounts: ["one", "two"] }, every(HOUR));
  const names =
    profileEveryMs === undefined
      ? []
      : [makeWatch("p", "profile", { accounts: ["one", "two"] }, every(profileEveryMs))];
  const watches = [mentions, ...names];
  harness = await startEngineHarness({ clock, upstream, watches });
  await clock.advance(MIN);
  const lookUps = () =>
    upstream
      .callsOf("info-batch")
      .filter(({ params, ...call }) => "user_ids" in params && isLookUp(call));
  const rename = (name: string) => users.splice(0, 1, makeUser("1", name));
  const asked = () => new Set(upstream.callsOf("mentions").map(({ params }) => params["query"]));
  return { clock, harness, lookUps, rename, asked };
}

const isLookUp = (call: object): boolean =>
  String((call as { source?: unknown }).source).startsWith("handles:");

it("are looked up every six hours, and no sooner over restarts", async () => {
  const { clock, harness, lookUps } = await setup();
  for (let restart = 0; restart < 5; restart += 1) {
    await harness.restart();
    await clock.advance(HOUR);
  }
  expect(lookUps()).toHaveLength(0);
  await clock.advance(HOUR);
  expect(lookUps()).toHaveLength(1);
  await harness.crash();
  await clock.advance(5 * HOUR);
  expect(lookUps()).toHaveLength(1);
  await clock.advance(2 * HOUR);
  expect(lookUps()).toHaveLength(2);
});

it("are looked up after a restart when that is due, and when the clock was set back since", async () => {
  const { clock, harness, lookUps } = await setup();
  clock.jump(7 * HOUR);
  await harness.restart();
  await clock.advance(MIN);
  expect(lookUps()).toHaveLength(1);
  clock.jump(-7 * HOUR);
  await harness.restart();
  await clock.advance(MIN);
  expect(lookUps()).toHaveLength(2);
});

it("are taken at once from another watch that notices a rename, which is reported once", async () => {
  const { clock, harness, rename, asked, lookUps } = await setup(5 * MIN);
  await clock.advance(2 * HOUR);
  rename("renamed");
  await clock.advance(HOUR + 10 * MIN);
  expect(asked()).toEqual(new Set(["one", "two", "renamed"]));
  await clock.advance(8 * HOUR);
  expect(lookUps()).toEqual([]);
  expect(harness.opsAlerts.map(({ type, message }) => `${type} ${message}`)).toEqual([
    "target.renamed m, p: @one was renamed to @renamed and is followed by its id",
  ]);
});

it("are taken from profiles that others asked for just now, a rename too", async () => {
  const { clock, lookUps, rename, asked } = await setup(5 * MIN);
  await clock.advance(3 * HOUR);
  rename("renamed");
  await clock.advance(5 * HOUR);
  expect(lookUps()).toEqual([]);
  expect(asked()).toEqual(new Set(["one", "two", "renamed"]));
});

it("are looked up where the last profile is old", async () => {
  const { clock, lookUps } = await setup(4 * HOUR);
  await clock.advance(7 * HOUR);
  expect(lookUps()).toHaveLength(1);
});

it.each(["bad_request", "forbidden", "not_found"] as const)(
  "are asked for less and less often while the service answers with %s",
  async (kind) => {
    const clock = createVirtualClock(START);
    const upstream = createScriptedUpstream(clock, [makeUser("1", "one"), makeUser("2", "two")]);
    upstream.on("user-tweets", () => ({ tweets: [] }));
    upstream.trouble = ({ endpoint }) => {
      if (endpoint === "info-batch") throw failure(kind);
      return undefined;
    };
    harness = await startEngineHarness({
      clock,
      upstream,
      watches: [makeWatch("t", "timeline", { accounts: ["one", "two"] }, every(HOUR))],
    });
    await clock.advance(6 * HOUR);
    expect(upstream.calls.length).toBeLessThan(20);
    upstream.trouble = undefined;
    await clock.advance(HOUR + MIN);
    expect(upstream.callsOf("user-tweets").length).toBe(2);
  },
);

it.each(["nobody has", "the service refuses"])(
  "are looked up beside one that %s, which is reported once, over restarts",
  async (what) => {
    const clock = createVirtualClock(START);
    const upstream = createScriptedUpstream(clock, [makeUser("1", "one"), makeUser("2", "two")]);
    upstream.on("user-tweets", () => ({ tweets: [] }));
    upstream.trouble = ({ params }) => {
      const isAsked = JSON.stringify(params["usernames"] ?? "").includes("bad");
      if (isAsked && what === "the service refuses") throw failure("bad_request");
      return undefined;
    };
    harness = await startEngineHarness({
      clock,
      upstream,
      watches: [makeWatch("t", "timeline", { accounts: ["one", "bad", "two"] }, every(HOUR))],
    });
    await clock.advance(MIN);
    expect(new Set(upstream.callsOf("user-tweets").map(({ params }) => params["user_id"]))).toEqual(
      new Set(["1", "2"]),
    );
    await clock.advance(5 * HOUR);
    await harness.restart();
    await clock.advance(5 * HOUR);
    expect(harness.opsAlerts.map(({ subject }) => subject)).toEqual(["bad"]);
  },
);
