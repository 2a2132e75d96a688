import { expect, it } from "vitest";
import { evaluateRecheck } from "../../../src/polling/evaluate/evaluate-recheck.ts";
import type { Recheck } from "../../../src/model/recheck.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { timeline } from "../../../src/watches/timeline.ts";
import { makeTweet } from "../../support/make-event.ts";
import { makeWatch } from "../../support/make-watch.ts";

const MINUTE = 60_000;
const watch = makeWatch("w", "timeline", { accounts: ["alice"] }, { recheck: { everyMs: 10 * MINUTE, untilMs: 60 * MINUTE } });
const subscriber = { watch, type: timeline, watchKey: "w", targetKey: "t", targetName: "alice" };
const recheck: Recheck = {
  watchKey: "w",
  targetKey: "t",
  tweetId: "7",
  dueAtMs: 0,
  untilMs: 1_000 * MINUTE,
  eventId: "e",
  condition: "",
  absences: 0,
  versions: [],
};

/** When it is rechecked next, in minutes; undefined when that has ended. */
const nextOf = (atMinute: number, slowDown: number): number | undefined => {
  const context = { hash: sha256, detectedAtMs: atMinute * MINUTE, slowDown: slowDown, isSuspicious: false };
  const { next } = evaluateRecheck(subscriber, recheck, { tweet: makeTweet("7"), event: undefined }, context);
  return next === undefined ? undefined : next.dueAtMs / MINUTE;
};

it("ends with the last look within until", () => {
  expect(nextOf(985, 1)).toBe(990);
  expect(nextOf(990, 1)).toBe(1_000);
  expect(nextOf(1_000, 1)).toBeUndefined();
});

it("makes a recheck late that the quota puts off beyond until, and none after it", () => {
  expect(nextOf(940, 7)).toBe(960);
  expect(nextOf(960, 7)).toBe(1_040);
  expect(nextOf(1_040, 7)).toBeUndefined();
});
