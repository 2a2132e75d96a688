/**
 * Tests a wall clock that is set while the daemon runs: nothing waits longer because of it, and
 * nothing is lost.
 */
import { describe, expect, it } from "vitest";
import {
  type InnerDaemon,
  type InnerDaemonOptions,
  startInnerDaemon,
} from "../support/inner-daemon.ts";
import { StoreError } from "../../src/model/store-error.ts";
import type { OpenedStore } from "../../src/state/open.ts";
import type { Answer } from "../support/loopback-server.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const AUTHOR = "loud_one";

const setUp = (options: Partial<InnerDaemonOptions> = {}): Promise<InnerDaemon> =>
  startInnerDaemon({
    watches: () => ({ w: { type: "search", query: "zebra", schedule: "@every 10s" } }),
    prepare: (control) => control("accounts", { username: AUTHOR }),
    ...options,
  });

const tweet = async (
  { control }: Pick<InnerDaemon, "control">,
  count = 1,
): Promise<readonly string[]> =>
  (await control("tweets", { username: AUTHOR, text: "a new zebra", count })).ids;

const taken: Answer = (_, response) => response.writeHead(204).end();
const failing: Answer = (_, response) => response.writeHead(503).end("later");
const limited: Answer = (_, response) => response.writeHead(429, { "retry-after": "60" }).end();

it("fault 71: an alert that waits for its next attempt, and a poll that waits for its tick, wait no longer when the clock is set forward", async () => {
  const daemon = await setUp({
    watches: () => ({
      w: { type: "search", query: "zebra", schedule: "@every 10s" },
      slow: { type: "search", query: "giraffe", schedule: "@every 1h" },
    }),
  });
  const { clock, control, hook, status } = daemon;
  hook.answer(failing);
  await clock.advance(30 * SECOND);
  await tweet(daemon);
  await clock.advance(10 * MINUTE + 2 * SECOND);
  await control("tweets", { username: AUTHOR, text: "a new giraffe" });
  hook.answer(taken);
  const attempts = hook.messages().length;
  expect(
    Date.parse((await status()).sinks[0]?.next_attempt_at ?? "") - clock.now(),
  ).toBeGreaterThan(10 * SECOND);
  clock.jump(HOUR);
  await clock.advance(3 * SECOND);
  expect(
    hook
      .events()
      .slice(attempts)
      .map(({ watch }) => watch)
      .sort(),
  ).toEqual(["slow", "w"]);
});

const refusing: Answer = (_, response) => response.writeHead(400).end("no");

/** Wraps a store so that setting its times back fails at the first attempt. */
const failingOnce = (store: OpenedStore): OpenedStore => {
  let attempts = 0;
  return {
    ...store,
    async setTimesBack(byMs) {
      attempts += 1;
      if (attempts === 1) throw new StoreError("STORE_FULL", "The disk is full.");
      return store.setTimesBack(byMs);
    },
  };
};

describe("fault 72: a clock that is set back by an hour", () => {
  it("before a feed showed anything, takes none of its first posts for old ones", async () => {
    const daemon = await setUp();
    await daemon.clock.advance(11 * MINUTE);
    daemon.clock.jump(-HOUR);
    await daemon.clock.advance(6 * MINUTE);
    const ids = await tweet(daemon);
    await daemon.clock.advance(MINUTE);
    expect(daemon.hook.subjects()).toEqual(ids);
  });

  it("holds up no alert that waits for its next attempt, although the state cannot be written at first", async () => {
    const daemon = await setUp({ storeFilter: failingOnce });
    await daemon.clock.advance(30 * SECOND);
    daemon.hook.answer(failing);
    const ids = await tweet(daemon);
    // The sixth attempt at delivery is due half a minute after the fifth.
    await daemon.clock.advance(11 * SECOND);
    daemon.clock.jump(-HOUR);
    daemon.hook.answer(taken);
    await daemon.clock.advance(MINUTE);
    expect(new Set(daemon.hook.subjects())).toEqual(new Set(ids));
    expect((await daemon.status()).sinks[0]).toMatchObject({ sent: 1, waiting: 0 });
  });

  it("lets no silence last longer than it was added for, and keeps it until then", async () => {
    const { clock, hook, call, control } = await setUp();
    const post = async () => {
      await tweet({ control });
      await clock.advance(2 * MINUTE);
      return hook.subjects().length;
    };
    await clock.advance(30 * SECOND);
    await call("silences", "POST", { matchers: ["watch=~.+"], duration: "10m", comment: "x" });
    clock.jump(-HOUR);
    await clock.advance(5 * SECOND);
    expect(await post()).toBe(0);
    await clock.advance(9 * MINUTE);
    expect(await post()).toBe(1);
  });

  it("delays no ops alert about dead letters for longer than the hour between two of them", async () => {
    const daemon = await setUp({
      watches: () => ({ w: { type: "search", query: "zebra", schedule: "@every 1m" } }),
    });
    const { clock, hook, opsAlerts } = daemon;
    hook.answer(refusing);
    await clock.advance(30 * SECOND);
    await tweet(daemon);
    await clock.advance(90 * SECOND);
    expect(opsAlerts().map(({ type }) => type)).toEqual(["delivery.dead"]);
    clock.jump(-HOUR);
    await clock.advance(10 * SECOND);
    await tweet(daemon);
    await clock.advance(HOUR);
    expect(opsAlerts().map(({ type }) => type)).toEqual(["delivery.dead", "delivery.dead"]);
  });

  it("delays neither the probe of a failing sink, nor the alerts that wait for it, nor the ops alert", async () => {
    const daemon = await setUp();
    await daemon.clock.advance(30 * SECOND);
    daemon.hook.answer(failing);
    await tweet(daemon, 20);
    await daemon.clock.advance(30 * SECOND);
    expect((await daemon.status()).sinks[0]).toMatchObject({ breaker: "open" });
    daemon.clock.jump(-HOUR);
    await daemon.clock.advance(2 * MINUTE);
    expect(daemon.opsAlerts().map(({ type }) => type)).toEqual(["sink.failing"]);
    daemon.hook.answer(taken);
    await daemon.clock.advance(2 * MINUTE + 5 * SECOND);
    expect((await daemon.status()).sinks[0]).toMatchObject({
      breaker: "closed",
      sent: 20,
      waiting: 0,
    });
  });

  it("holds up no group, whether its next message waits for the first alert or for the last message", async () => {
    const route = { sink: "hook", group_by: ["watch"], group_wait: "1m", group_interval: "10m" };
    const daemon = await setUp({ more: { route } });
    const { clock, hook } = daemon;
    await clock.advance(30 * SECOND);
    const first = await tweet(daemon);
    await clock.advance(15 * SECOND);
    clock.jump(-HOUR);
    await clock.advance(MINUTE);
    expect(hook.subjects()).toEqual(first);
    const next = await tweet(daemon);
    clock.jump(-HOUR);
    await clock.advance(10 * MINUTE);
    expect(hook.subjects()).toEqual([...first, ...next]);
  });

  it("holds up no digest of a throttle, and counts against its limit only what is as young as that", async () => {
    const daemon = await setUp({
      sink: { throttle: { limit: 1, interval: "5m", digest_interval: "2m" } },
    });
    const { clock, hook } = daemon;
    await clock.advance(30 * SECOND);
    const first = await tweet(daemon);
    await clock.advance(15 * SECOND);
    const gathered = await tweet(daemon, 2);
    await clock.advance(30 * SECOND);
    clock.jump(-HOUR);
    await clock.advance(2 * MINUTE);
    expect(hook.subjects()).toEqual([...first, ...gathered]);
    clock.jump(-HOUR);
    await clock.advance(6 * MINUTE);
    const last = await tweet(daemon);
    await clock.advance(15 * SECOND);
    expect(hook.subjects()).toEqual([...first, ...gathered, ...last]);
  });
});

describe("a clock that is set back by an hour while the daemon is stopped", () => {
  it("holds up no alert that waits for its next attempt", async () => {
    const daemon = await setUp();
    const { clock, hook, logged } = daemon;
    await clock.advance(2 * MINUTE);
    hook.answer(failing);
    const ids = await tweet(daemon);
    await clock.advance(11 * SECOND);
    await daemon.stop();
    clock.jump(-HOUR);
    hook.answer(taken);
    await daemon.start();
    // The clock was last stored up to a minute before the stop, so the alert may wait that much
    // longer.
    await clock.advance(2 * MINUTE);
    expect(new Set(hook.subjects())).toEqual(new Set(ids));
    expect((await daemon.status()).sinks[0]).toMatchObject({ waiting: 0 });
    expect(logged.map(({ message }) => message)).toContain(
      "the clock was set back while the daemon was stopped",
    );
  });

  it("before a feed showed anything, takes none of its first posts for old ones", async () => {
    const daemon = await setUp();
    await daemon.clock.advance(11 * MINUTE);
    await daemon.stop();
    daemon.clock.jump(-HOUR);
    await daemon.start();
    await daemon.clock.advance(6 * MINUTE);
    const ids = await tweet(daemon);
    await daemon.clock.advance(MINUTE);
    expect(daemon.hook.subjects()).toEqual(ids);
  });

  it("is made up for once: neither the next start nor one after a jump that was seen sets times back again", async () => {
    const daemon = await setUp();
    const { clock, logged } = daemon;
    const corrections = () =>
      logged.filter(
        ({ message }) => message === "the clock was set back while the daemon was stopped",
      ).length;
    await clock.advance(2 * MINUTE);
    clock.jump(-HOUR);
    await clock.advance(3 * SECOND);
    await daemon.stop();
    await daemon.start();
    expect(corrections()).toBe(0);
    await daemon.stop();
    clock.jump(-HOUR);
    for (const starts of [1, 2]) {
      await daemon.start();
      expect(corrections(), `start ${starts}`).toBe(1);
      await daemon.stop();
    }
    await daemon.start();
  });
});

it.each([
  ["back", -HOUR],
  ["forward", HOUR],
])(
  "a sink that asked for a minute is left alone for a minute, when the clock is set %s too",
  async (_, jumpMs) => {
    const daemon = await setUp();
    const { clock, hook, status } = daemon;
    await clock.advance(30 * SECOND);
    hook.answer(limited);
    const ids = await tweet(daemon);
    while (hook.messages().length === 0) await clock.advance(SECOND);
    hook.answer(taken);
    clock.jump(jumpMs);
    await clock.advance(50 * SECOND);
    expect(hook.messages()).toHaveLength(1);
    await clock.advance(12 * SECOND);
    expect(hook.subjects()).toEqual(ids);
    expect((await status()).sinks[0]).toMatchObject({ sent: 1, waiting: 0 });
  },
);
