import { expect, test } from "vitest";
import { type GroupMemory, restoreGroup } from "../../../src/groups/accounts/group-memory.ts";
import { firstPace } from "../../../src/groups/accounts/pacing/group-mean.ts";

const pace = firstPace([1, 2, 3], { kind: "mean", meanMs: 60_000, maxMs: 600_000 }, 0);

test("a group goes on at the pace it had learned", () => {
  expect(restoreGroup({ pace, chosenAtMs: 7 })).toMatchObject({ pace, chosenAtMs: 7 });
});

test("a pace in the words of an older release is left, and the rest is kept", () => {
  const older = { worth: 1, leastWorth: 1, meanMs: 60_000, posts: 60, delayMs: 1, rootWorth: 1, atMs: 0 } as unknown as typeof pace;
  const restored: GroupMemory = restoreGroup({ pace: older, chosenAtMs: 7 });
  expect(restored.chosenAtMs).toBe(7);
  expect(restored.pace).toBeUndefined();
});
