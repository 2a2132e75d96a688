import { expect, it } from "vitest";
import {
  spikeLimit,
  usualCount,
  usualSpans,
  type Watched,
  watchedMs,
  watchedOn,
  windowsSince,
} from "../../src/detect/volume.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = 100 * DAY;
const whole: Watched = { sinceMs: 0, okMs: NOW, gaps: [] };

it("counts the time between two polls, unless they are too far apart", () => {
  const first = watchedOn(undefined, 1_000, 100);
  expect(first).toEqual({ sinceMs: 1_000, okMs: 1_000, gaps: [] });
  const later = watchedOn(watchedOn(first, 1_100, 100), 1_500, 100);
  expect(later.gaps).toEqual([{ fromMs: 1_100, toMs: 1_500 }]);
  expect([
    watchedMs(later, 1_000, 1_500),
    watchedMs(later, 1_200, 1_300),
    watchedMs(later, 1_050, 2_000),
  ]).toEqual([100, 0, 550]);
});

it("forgets gaps that are too old to matter", () => {
  const gap = { fromMs: NOW - 16 * DAY, toMs: NOW - 15 * DAY - 1 };
  expect(watchedOn({ ...whole, gaps: [gap] }, NOW, HOUR).gaps).toEqual([]);
});

it("learns from the same hour of at least three days that were checked", () => {
  expect(usualSpans(whole, 0, NOW, HOUR)).toHaveLength(14);
  expect(usualSpans(whole, 0, NOW, HOUR)[0]).toEqual({ fromMs: NOW - DAY - HOUR, toMs: NOW - DAY });
  expect(usualSpans(whole, NOW - 3 * DAY - HOUR, NOW, HOUR)).toHaveLength(3);
  expect(usualSpans(whole, NOW - 3 * DAY, NOW, HOUR)).toEqual([]);
  const down: Watched = { ...whole, gaps: [{ fromMs: NOW - 12 * DAY, toMs: NOW - 2 * DAY - 1 }] };
  expect(usualSpans(down, 0, NOW, HOUR).map(({ toMs }) => (NOW - toMs) / DAY)).toEqual([
    1, 12, 13, 14,
  ]);
});

it("scales the hour to a shorter window, and takes a longer one as it is", () => {
  const spans = usualSpans(whole, 0, NOW, HOUR / 4);
  expect(spans[0]).toEqual({ fromMs: NOW - DAY - HOUR, toMs: NOW - DAY });
  expect(usualCount(spans.slice(0, 4), [8, 4, 0, 4], HOUR / 4)).toBe(1);
  expect(usualCount(spans.slice(0, 2), [8, 4], 2 * HOUR)).toBe(6);
  expect([spikeLimit(0.5, { factor: 3, min: 10 }), spikeLimit(20, { factor: 3, min: 10 })]).toEqual(
    [10, 60],
  );
});

it("asks whole windows since the last spike, the newest last", () => {
  expect(windowsSince(NOW - HOUR + 1, NOW, HOUR)).toEqual([]);
  expect(windowsSince(NOW - 2.5 * HOUR, NOW, HOUR)).toEqual([
    { fromMs: NOW - 2 * HOUR, toMs: NOW - HOUR },
    { fromMs: NOW - HOUR, toMs: NOW },
  ]);
  expect(windowsSince(0, NOW, HOUR)).toHaveLength(24);
});
