/** Tests which alerts go out alone, and which are gathered and until when, case by case. */
import { expect, it } from "vitest";
import { planThrottle } from "../../../src/deliver/stages/throttle.ts";
import type { ThrottleState } from "../../../src/model/outbox.ts";

const NOW = Date.UTC(2026, 0, 15, 12);
const throttle = {
  limit: 3,
  intervalMs: 600_000,
  onExceed: "digest",
  digestIntervalMs: 120_000,
} as const;
const fresh: ThrottleState = {
  sealed: 0,
  digestDueAtMs: null,
  digestSealedAtMs: null,
  announcedAtMs: null,
};

it.each<[string, Partial<ThrottleState>, [fresh: number, gathered: number], object]>([
  [
    "what the limit has room for goes out alone",
    {},
    [3, 0],
    { isDigest: false, alone: 3, isFirst: false },
  ],
  [
    "of more, the surplus is gathered, and the channel hears of it",
    {},
    [5, 0],
    { isDigest: false, alone: 3, gatherUntilMs: NOW + 120_000, isFirst: true },
  ],
  [
    "a limit that is passed lets nothing through",
    { sealed: 5 },
    [1, 0],
    { isDigest: false, alone: 0, gatherUntilMs: NOW + 120_000, isFirst: true },
  ],
  [
    "a limit that is passed makes no digest of nothing",
    { sealed: 5 },
    [0, 0],
    { isDigest: false, alone: 0, isFirst: false },
  ],
  [
    "what was gathered is a digest where the limit has no room for it",
    {},
    [0, 4],
    { isDigest: true, alone: 0, isFirst: false },
  ],
  [
    "what was gathered goes out alone where the limit has room",
    {},
    [0, 3],
    { isDigest: false, alone: 0, isFirst: false },
  ],
  [
    "what comes while a digest waits goes into it",
    { digestDueAtMs: NOW + 5_000 },
    [2, 0],
    { isDigest: false, alone: 0, gatherUntilMs: NOW + 5_000, isFirst: false },
  ],
  [
    "what comes with a digest waits for the next one",
    { digestDueAtMs: NOW },
    [2, 4],
    { isDigest: true, alone: 0, gatherUntilMs: NOW + 120_000, isFirst: false },
  ],
  [
    "what comes soon after a digest waits for the next one",
    { digestSealedAtMs: NOW - 50_000 },
    [2, 0],
    { isDigest: false, alone: 0, gatherUntilMs: NOW + 70_000, isFirst: false },
  ],
  [
    "what comes an interval after a digest goes out alone",
    { digestSealedAtMs: NOW - 120_000 },
    [2, 0],
    { isDigest: false, alone: 2, isFirst: false },
  ],
  [
    "what was gathered and goes out alone takes its places of the limit first",
    { digestDueAtMs: NOW, announcedAtMs: NOW - 599_999 },
    [2, 2],
    { isDigest: false, alone: 1, gatherUntilMs: NOW, isFirst: false },
  ],
  [
    "the channel hears of it again an interval after it last did",
    { announcedAtMs: NOW - 600_000 },
    [4, 0],
    { isDigest: false, alone: 3, gatherUntilMs: NOW + 120_000, isFirst: true },
  ],
  [
    "the channel knows it by a digest, too",
    { announcedAtMs: NOW - 700_000, digestSealedAtMs: NOW - 200_000 },
    [4, 0],
    { isDigest: false, alone: 3, gatherUntilMs: NOW, isFirst: false },
  ],
])("%s", (_, state, [count, gathered], plan) => {
  expect(planThrottle(throttle, { ...fresh, ...state }, { fresh: count, gathered }, NOW)).toEqual(
    plan,
  );
});
