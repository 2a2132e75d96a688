/** Tests the search of events in steps: how much a step examines, and when the search ends. */
import { expect, it } from "vitest";
import type { EventPage, EventQuery } from "../../../src/model/history.ts";
import { searchEvents } from "../../../src/operate/views/events-view.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

/** Sets up a store whose events number from 1 to `count`. None of them matches. */
function setUp(count: number, msAnEvent: number) {
  const clock = createVirtualClock(0);
  const steps: number[] = [];
  const store = {
    async findEvents({ before, mostExamined = 0 }: EventQuery): Promise<EventPage> {
      const newest = before === undefined ? count : Number(before) - 1;
      const examined = Math.min(newest, mostExamined);
      steps.push(examined);
      await clock.advance(Math.round(examined * msAnEvent));
      const oldest = newest - examined + 1;
      return oldest <= 1
        ? { events: [], next: null }
        : { events: [], next: String(oldest), searchedToMs: oldest };
    },
  };
  const search = (before?: string) =>
    searchEvents({ store, clock }, { limit: 50, text: "x", ...(before && { before }) });
  return { steps, search };
}

it("examines more in a step while steps take no time, and 20,000 events in one answer", async () => {
  const { steps, search } = setUp(50_000, 0);
  const { next, searchedToMs } = await search();
  expect([next, searchedToMs]).toEqual(["30001", 30_001]);
  expect(steps.slice(0, 2)).toEqual([250, 2_000]);
  expect(Math.max(...steps)).toBe(2_000);
  expect(steps.reduce((sum, step) => sum + step, 0)).toBe(20_000);
});

it("fits its steps into 8 ms, ends after 40 ms, and goes on from there", async () => {
  const { steps, search } = setUp(50_000, 0.02);
  const { next } = await search();
  expect(steps).toEqual([250, 400, 400, 400, 400, 400]);
  expect(next).toBe(String(50_000 - 2_250 + 1));
  steps.length = 0;
  const further = await search(next ?? "");
  expect(steps.length).toBeGreaterThan(1);
  expect(Number(further.next)).toBe(Number(next) - steps.reduce((sum, step) => sum + step, 0));
});

it("examines some events in each answer, however slow they are", async () => {
  const { steps, search } = setUp(1_000, 1);
  expect((await search()).next).toBe("751");
  expect(steps).toEqual([250]);
});

it("ends where the events end", async () => {
  const { search } = setUp(300, 0);
  expect(await search()).toEqual({ events: [], next: null });
});
