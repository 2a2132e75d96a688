/**
 * Tests a state on a disk that is almost full, where small writes still succeed and large ones
 * fail. Users see one trouble, and nothing is lost.
 */
import { expect, it } from "vitest";
import { STORE_HELD_MS, STORE_RETRY_MS } from "../../src/engine/health/store-monitor.ts";
import { StoreError } from "../../src/model/store-error.ts";
import type { OpenedStore } from "../../src/state/open.ts";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const SECOND = 1_000;
const LARGE: readonly (keyof OpenedStore)[] = ["commitPoll", "seal", "record"];

it("fault 60: a disk that is almost full is one trouble to people, however often a write succeeds", async () => {
  let isFull = false;
  const daemon = await startInnerDaemon({
    watches: () => ({ w: { type: "search", query: "zebra", schedule: "@every 2s" } }),
    prepare: (control) => control("accounts", { username: "loud_one" }),
    storeFilter: (store) =>
      new Proxy(store, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== "function" || !LARGE.includes(name as keyof OpenedStore))
            return value;
          return (...args: unknown[]) =>
            isFull
              ? Promise.reject(new StoreError("STORE_FULL", "The disk of the server is full."))
              : value.apply(target, args);
        },
      }),
  });
  const { clock, control, hook } = daemon;
  await clock.advance(30 * SECOND);
  isFull = true;
  const posts: string[] = [];
  for (let count = 0; count < 8; count += 1) {
    const { ids } = await control("tweets", { username: "loud_one", text: "a new zebra" });
    posts.push(...ids);
    await clock.advance(5 * SECOND);
  }
  isFull = false;
  await clock.advance(STORE_RETRY_MS + STORE_HELD_MS + 30 * SECOND);
  expect(daemon.opsAlerts()).toEqual([
    { type: "state.trouble", message: expect.stringContaining("cannot write its state") },
    {
      type: "state.trouble",
      message: expect.stringMatching(
        /can write its state again.*could not be written, \d+ times: /,
      ),
    },
  ]);
  expect(hook.subjects().toSorted()).toEqual(posts.toSorted());
  const said = daemon.logged.filter(({ message }) =>
    /state (?:cannot|can) be written/.test(message),
  );
  expect(said.map(({ level }) => level)).toEqual(["error", "info"]);
});
