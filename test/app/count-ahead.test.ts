/** The first reader of a page after a start finds the sums of the month made. */
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
  return { clock, asked, logged, cancel: countAhead(views, { clock, log }) };
}

it("asks once for what the overview sums up, 45 seconds after the start", async () => {
  const { clock, asked, logged } = setUp(async () => ({}) as never);
  await clock.advance(44_999);
  expect(asked).toEqual([]);
  await clock.advance(1);
  expect(asked).toEqual(["activity", "status"]);
  await clock.advance(86_400_000);
  expect([asked.length, logged, clock.pending()]).toEqual([2, [], 0]);
});

it("says in the log when it fails, and asks nothing once it is stopped", async () => {
  const failing = setUp(() => Promise.reject(new Error("the state is gone")));
  await failing.clock.advance(45_000);
  expect(failing.logged).toEqual(["the figures of the pages could not be summed up ahead"]);
  const stopped = setUp(async () => ({}) as never);
  stopped.cancel();
  await stopped.clock.advance(60_000);
  expect(stopped.asked).toEqual([]);
});
