import { expect, it } from "vitest";
import { type CountedDays, countHour } from "../../src/forecast/counted-days.ts";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 2, 2);

/** Counts hour by hour. `requests` and `estimate` are per hour. */
function count(
  hours: number,
  requests: (hour: number) => number,
  estimate: (hour: number) => number = () => 240,
): CountedDays {
  let known: CountedDays | undefined;
  for (let hour = 0; hour <= hours; hour += 1)
    known = countHour(known, {
      nowMs: START + hour * HOUR,
      requests: requests(hour),
      estimate: estimate(hour),
      expected: estimate(hour) / 24,
    });
  if (known === undefined) throw new Error("nothing counted");
  return known;
}

it("leaves the first hour out, in which first reads are made, and counts whole days from then on", () => {
  const requests = (hour: number) => (hour <= 1 ? 1_000 : 12);
  expect(count(24, requests).ratio).toBeUndefined();
  expect(count(25, requests)).toMatchObject({ ratio: (24 * 12) / 240, days: 1 });
});

it("weighs days alike, the last ten of them", () => {
  const dayOf = (hour: number) => Math.floor((hour - 2) / 24);
  const twoDays = count(49, (hour) => (dayOf(hour) === 0 ? 10 : 20));
  expect(twoDays).toMatchObject({ ratio: 1.5, days: 2 });
  const later = count(1 + 20 * 24, (hour) => (dayOf(hour) < 10 ? 10 : 20));
  expect(later.days).toBe(10);
  expect(later.ratio).toBeGreaterThan(1.6);
});

it("keeps what was counted when the plan changes, until a day of the new plan is whole", () => {
  const estimate = (hour: number) => (hour < 30 ? 240 : 2_400);
  const requests = (hour: number) => (hour < 30 ? 10 : 150);
  expect(count(54, requests, estimate)).toMatchObject({ ratio: 1, days: 0 });
  expect(count(55, requests, estimate)).toMatchObject({ ratio: 1.5, days: 1 });
  // A list that grows a little does not change the plan.
  expect(
    count(
      49,
      () => 10,
      (hour) => (hour < 30 ? 240 : 250),
    ).days,
  ).toBe(2);
});

it("counts a day anew after a pause, as of a daemon that was stopped, and after a clock that was set back", () => {
  const known = count(25 + 20, () => 10);
  const nowMs = START + 48 * HOUR;
  const paused = countHour(known, { nowMs, requests: 500, estimate: 240, expected: 10 });
  expect(paused).toMatchObject({ ratio: 1, days: 1, sinceMs: nowMs, requests: 0 });
  expect(
    countHour(known, { nowMs: START, requests: 500, estimate: 240, expected: 10 }),
  ).toMatchObject({ sinceMs: START, requests: 0 });
});

it("says nothing of a watch for which next to nothing is expected", () => {
  const ofEstimate = (estimate: number) =>
    count(
      30,
      () => 0,
      () => estimate,
    );
  expect([0, 9, 24].map((estimate) => ofEstimate(estimate).ratio)).toEqual([
    undefined,
    undefined,
    0,
  ]);
});
