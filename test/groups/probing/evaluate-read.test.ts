import { expect, it } from "vitest";
import { type AccountRead, evaluateRead } from "../../../src/groups/probing/evaluate-read.ts";
import type { AccountMemory } from "../../../src/groups/probing/probe-states.ts";
import { NOTHING_POLLED } from "../../../src/polling/run/poll-outcome.ts";
import { timeline } from "../../../src/watches/timeline.ts";
import { makeWatch } from "../../support/make-watch.ts";

const START = Date.UTC(2026, 2, 2);
const MIN = 60_000;
const HOUR = 60 * MIN;
const NOW = START + 2 * HOUR;

const account: AccountMemory = {
  probe: { fields: {}, probedAtMs: START + HOUR, fullAtMs: START },
  rate: { posts: 0, days: 0, excited: 0, atMs: START },
  handle: "alice",
  checkedAtMs: START + HOUR,
};
const watch = makeWatch("w", "timeline", { accounts: ["alice"] });
const subscriber = { watch, type: timeline, watchKey: "w", targetKey: "t", targetName: "alice" };

/**
 * Evaluates a search that found posts of the account. The service's clock is that of this machine.
 */
function evaluate(postedMs: readonly number[], before = account, more: Partial<AccountRead> = {}) {
  const read = {
    endpoint: "search",
    isFull: false,
    overlapMs: HOUR,
    outcome: { ...NOTHING_POLLED, postedMs },
    isSuspicious: false,
    ...more,
  } as const;
  const times = { startedAtMs: NOW - MIN, nowMs: NOW };
  return evaluateRead(before, read, { ...times, toService: (localMs) => localMs });
}

it("blames the pace for a late post if it came after the last check, or if a search may have lacked it then", () => {
  expect(evaluate([START + 54 * MIN, START + 56 * MIN]).delaysMs).toEqual([64 * MIN]);
  const open = { sinceMs: START, calmMs: START + 30 * MIN, owed: 1, reads: 1, dueMs: START + HOUR };
  expect(
    evaluate([START + 24 * MIN, START + 26 * MIN], {
      ...account,
      probe: { ...account.probe, open },
    }).delaysMs,
  ).toEqual([94 * MIN]);
});

it("learns how often an account posts from its first read, and nothing of the pace", () => {
  const outcome = { ...NOTHING_POLLED, postedMs: [START, START + HOUR], baselined: [subscriber] };
  const { account: after, postedMs, delaysMs } = evaluate([], account, { outcome });
  expect(after.rate.days).toBeGreaterThan(0);
  expect([postedMs, delaysMs]).toEqual([[], []]);
});

it("does not count an account as checked by a search that shows not even what is known", () => {
  expect(evaluate([]).account.checkedAtMs).toBe(NOW - MIN);
  expect(evaluate([], account, { isSuspicious: true }).account.checkedAtMs).toBe(START + HOUR);
});
