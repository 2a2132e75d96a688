import { expect, it } from "vitest";
import { detectFeed, newestIds } from "../../src/detect/feed.ts";

const NOW = 1_000_000_000;
const HOUR = 3_600_000;
const rules = { nowMs: NOW, maxAgeMs: HOUR, horizonMs: NOW, chosen: new Set<string>() };
const target = { birth: "100", sinceMs: NOW - HOUR / 2 };
const verdicts = (
  items: readonly { id: string; timeMs: number }[],
  changes: Partial<typeof rules> = {},
  known = new Set<string>(),
) =>
  detectFeed(items, known, target, { ...rules, ...changes }).map(
    ({ id, verdict }) => `${id} ${verdict}`,
  );

it("takes what lies at or below the baseline watermark for baseline, and what lies above it for news", () => {
  const old = NOW - 40 * 60_000;
  expect(verdicts([99, 100, 101].map((n) => ({ id: String(n), timeMs: old })))).toEqual([
    "99 baseline",
    "100 baseline",
    "101 news",
  ]);
});

it("takes what is newer than the registration for news even below the baseline watermark", () => {
  expect(verdicts([{ id: "90", timeMs: NOW - 60_000 }])).toEqual(["90 news"]);
});

it("reports oldest first, each once, and nothing that has a verdict", () => {
  const items = [103, 102, 102, 101].map((n) => ({ id: String(n), timeMs: NOW }));
  expect(verdicts(items, {}, new Set(["101"]))).toEqual(["102 news", "103 news"]);
});

it("orders and compares ids of different length as numbers", () => {
  expect(
    verdicts([
      { id: "1000", timeMs: NOW - HOUR / 1.5 },
      { id: "99", timeMs: NOW - HOUR / 1.5 },
    ]),
  ).toEqual(["99 baseline", "1000 news"]);
});

it("calls too old what is past max_age, unless it could not have been reported before", () => {
  const items = [{ id: "101", timeMs: NOW - 3 * HOUR }];
  expect(verdicts(items)).toEqual(["101 too_old"]);
  expect(verdicts(items, { horizonMs: NOW - 4 * HOUR })).toEqual(["101 news"]);
});

it("does not take a list for news because the service's dates run ahead", () => {
  const ahead = 5 * HOUR;
  const items = [
    { id: "90", timeMs: NOW + ahead - HOUR },
    { id: "100", timeMs: NOW + ahead },
  ];
  const found = detectFeed(items, new Set(), { birth: "100", sinceMs: NOW }, rules);
  expect(found.map(({ verdict }) => verdict)).toEqual(["baseline", "baseline"]);
});

it("reports what a first run chose, whatever its age and place", () => {
  expect(verdicts([{ id: "5", timeMs: 0 }], { chosen: new Set(["5"]) })).toEqual(["5 news"]);
  expect(
    newestIds(
      [
        { id: "9", timeMs: 0 },
        { id: "10", timeMs: 0 },
        { id: "11", timeMs: 0 },
      ],
      2,
    ),
  ).toEqual(new Set(["11", "10"]));
});
