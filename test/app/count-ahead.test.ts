/**
 * Tests that the first reader of a page after a start finds the sums of the month ready and the
 * code loaded.
 */
import { expect, it } from "vitest";
import { countAhead } from "../../src/app/count-ahead.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

function setUp(status: () => Promise<never>) {
  const clock = createVirtualClock(0);
  const asked: string[] = [];
  const logged: string[] = [];
  const nothing = () => undefined;
  const log = {
    ...{ info: nothing, warn: nothing, error: nothing, child: () => log },
    debug: (text: string) => void logged.push(text),
  };
  const views = {
    activity: async () => (asked.push("activity"), { alerts: [], requests: [] }),
    status: () => (asked.push("status"), status()),
  };
  const serving = { visit: async (path: string) => void asked.push(path) };
  const collectGarbage = () => void asked.push("garbage");
  const cancel = countAhead({ views, serving, clock, log, collectGarbage });
  return { clock, asked, logged, cancel };
}

it("visits the overview once, 45 seconds after the start, when its figures are summed up", async () => {
  const { clock, asked, logged } = setUp(async () => ({}) as never);
  await clock.advance(44_999);
  expect(asked).toEqual([]);
  await clock.advance(1);
  expect(asked).toEqual(["activity", "status", "/"]);
  // The memory that the visit needed is given back afterwards.
  await clock.advance(10_000);
  expect(asked.slice(3)).toEqual(["garbage"]);
  await clock.advance(86_400_000);
  expect([asked.length, logged, clock.pending()]).toEqual([4, [], 0]);
});

it("says in the log when it fails, and asks nothing once it is stopped", async () => {
  const failing = setUp(() => Promise.reject(new Error("the state is gone")));
  await failing.clock.advance(45_000);
  expect(failing.logged).toEqual(["the overview could not be visited ahead"]);
  expect(failing.asked).toEqual(["activity", "status"]);
  const stopped = setUp(async () => ({}) as never);
  stopped.cancel();
  await stopped.clock.advance(60_000);
  expect(stopped.asked).toEqual([]);
  const visited = setUp(async () => ({}) as never);
  await visited.clock.advance(45_000);
  visited.cancel();
  expect(visited.clock.pending()).toBe(0);
});
