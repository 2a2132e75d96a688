import fc from "fast-check";
import { expect, test } from "vitest";
import { fullPollEvery } from "../../../src/groups/accounts/account-estimate.ts";
import { type GroupMemory, restoreGroup } from "../../../src/groups/accounts/group-memory.ts";
import { firstPace } from "../../../src/groups/accounts/pacing/group-mean.ts";
import type { Poll } from "../../../src/plan/poll.ts";

const pace = firstPace([1, 2, 3], { kind: "mean", meanMs: 60_000, maxMs: 600_000 }, 0);

test("a group goes on at the pace it had learned", () => {
  expect(restoreGroup({ pace, probedAtMs: 7 })).toMatchObject({ pace, probedAtMs: 7 });
});

test("a pace in the words of an older release is left, and the rest is kept", () => {
  const older = {
    worth: 1,
    leastWorth: 1,
    meanMs: 60_000,
    posts: 60,
    delayMs: 1,
    rootWorth: 1,
    atMs: 0,
  } as unknown as typeof pace;
  const restored: GroupMemory = restoreGroup({ pace: older, probedAtMs: 7 });
  expect(restored.probedAtMs).toBe(7);
  expect(restored.pace).toBeUndefined();
});

test("full polls stay well within max_age, and are no more frequent than a small share of the rest allows", () => {
  const hour = 3_600_000;
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000 }),
      fc.integer({ min: 10_000, max: hour }),
      (count, intervalMs) => {
        const subscribers = [{ watch: { maxAgeMs: 24 * hour } }] as unknown as Poll["subscribers"];
        const group = {
          kind: "accounts",
          members: Array.from({ length: count }, () => ({}) as Poll),
          override: "auto",
        } as const;
        const everyMs = fullPollEvery({
          timing: { kind: "schedule", schedules: [] },
          intervalMs,
          subscribers,
          group,
        });
        expect(everyMs).toBeLessThan(12 * hour);
        expect(everyMs).toBeGreaterThanOrEqual(1_800_000);
      },
    ),
  );
});
