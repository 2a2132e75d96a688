/**
 * Tests a state file that another process has locked: the daemon answers, reports the lock in time,
 * stops in time, and loses nothing.
 */
import { STORE_HELD_MS } from "../../src/engine/health/store-monitor.ts";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { loadDriver } from "../../src/state/db/driver.ts";
import type { OpenedStore } from "../../src/state/open.ts";
import { type InnerDaemon, startInnerDaemon } from "../support/inner-daemon.ts";
import { until } from "../support/until.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const AUTHOR = "fresh_one";
const Database = loadDriver();

interface Locked extends InnerDaemon {
  tweet(): Promise<string>;
  /**
   * Locks the state like a script that begins to write and does not end. Returns a function that
   * ends it.
   */
  lock(): () => void;
  /** Returns the status of /healthz. The state has 2 s to answer it. */
  healthInTime(): Promise<number>;
  /** Stops the daemon and returns how long that takes by the clock. */
  timedStop(): Promise<number>;
}

async function setUp(schedule: string): Promise<Locked> {
  let [path, writes] = ["", 0];
  const daemon = await startInnerDaemon({
    watches: () => ({ w: { type: "search", query: "zebra", schedule } }),
    prepare: (control) => control("accounts", { username: AUTHOR }),
    storeFilter: (store: OpenedStore) => {
      path = store.path;
      const proveWritable: OpenedStore["proveWritable"] = (nowMs) => {
        writes += 1;
        return store.proveWritable(nowMs);
      };
      return { ...store, proveWritable };
    },
  });
  const { clock } = daemon;
  await clock.advance(MINUTE);
  return {
    ...daemon,
    tweet: async () =>
      (await daemon.control("tweets", { username: AUTHOR, text: "a new zebra" })).ids[0],
    lock() {
      const other = new Database(path, { timeout: 0 });
      onTestFinished(() => void other.close());
      other.exec("begin immediate");
      return () => void other.exec("rollback");
    },
    async healthInTime() {
      const before = writes;
      let isOver = false;
      const asked = daemon.health().finally(() => (isOver = true));
      await until("a write or an answer", () => isOver || writes > before);
      await clock.advance(2 * SECOND);
      return asked;
    },
    async timedStop() {
      const begunMs = clock.monotonic();
      await daemon.stop();
      return clock.monotonic() - begunMs;
    },
  };
}

const TEXT = "Another program has locked the state file.";

it.each([
  ["@every 1s", 20 * SECOND],
  ["@every 10m", 11 * MINUTE],
])(
  "fault 96: says so with its cure within 15 s, answers meanwhile, and loses nothing: %s",
  async (schedule, nextPollMs) => {
    const daemon = await setUp(schedule);
    const { clock } = daemon;
    const unlock = daemon.lock();
    const id = await daemon.tweet();
    for (let second = 0; second < 100; second += 5) {
      // The clock stands still, so none of these can wait for the state.
      for (const read of [daemon.status, daemon.page, daemon.metrics]) await read();
      expect(await daemon.healthInTime()).toBe(503);
      if (second >= 15) {
        expect((await daemon.status()).reasons).toEqual([
          expect.stringMatching(
            `^the state cannot be written: ${TEXT} Find it with \`fuser -v \\S+/state.db\` and end it`,
          ),
        ]);
        expect(daemon.opsAlerts().filter(({ type }) => type === "state.trouble")).toEqual([
          { type: "state.trouble", message: expect.stringMatching(`${TEXT} Find it with .fuser`) },
        ]);
        expect(
          daemon.logged.filter(
            ({ message }) => message === "state cannot be written, polling stopped",
          ),
        ).toEqual([
          {
            level: "error",
            message: expect.anything(),
            fields: { error: TEXT, hint: expect.stringMatching(/^Find it with .fuser/) },
          },
        ]);
      }
      await clock.advance(5 * SECOND);
    }
    unlock();
    await clock.advance(15 * SECOND);
    expect(await daemon.health()).toBe(200);
    await clock.advance(STORE_HELD_MS);
    expect(daemon.opsAlerts().at(-1)?.message).toMatch(/can write its state again/);
    await clock.advance(nextPollMs);
    expect(daemon.hook.subjects()).toEqual([id]);
  },
);

it("fault 61: keeps quiet about a lock of a few seconds, as of a backup", async () => {
  const daemon = await setUp("@every 1s");
  const unlock = daemon.lock();
  const id = await daemon.tweet();
  await daemon.clock.advance(4 * SECOND);
  unlock();
  await daemon.clock.advance(15 * SECOND);
  expect(daemon.hook.subjects()).toEqual([id]);
  expect(daemon.opsAlerts()).toEqual([]);
  expect(daemon.logged.filter(({ level }) => level === "error")).toEqual([]);
});

it("fault 96: stops within its grace, whenever the lock and the stop come, and sends what it could not record under the same id", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        tweetBeforeMs: fc.integer({ min: 0, max: 3_000 }),
        stopAfterMs: fc.oneof(fc.integer({ min: 0, max: 12_000 }), fc.constant(60_000)),
        schedule: fc.constantFrom("@every 1s", "@every 30s"),
      }),
      async ({ tweetBeforeMs, stopAfterMs, schedule }) => {
        const daemon = await setUp(schedule);
        const id = await daemon.tweet();
        await daemon.clock.advance(tweetBeforeMs);
        const unlock = daemon.lock();
        await daemon.clock.advance(stopAfterMs);
        expect(await daemon.timedStop()).toBeLessThanOrEqual(8 * SECOND);
        unlock();
        await daemon.start();
        await daemon.clock.advance(MINUTE);
        expect([...new Set(daemon.hook.subjects())]).toEqual([id]);
        expect(new Set(daemon.hook.messages().map(({ id: messageId }) => messageId)).size).toBe(1);
      },
    ),
    { numRuns: 5 },
  );
});
