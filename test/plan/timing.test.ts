import { expect, it } from "vitest";
import { scheduleOf } from "../../src/plan/timing.ts";

it("is a schedule, or as often as even reads with the mean delay that freshness asks for", () => {
  const noon = { kind: "cron", pattern: "0 12 * * *", timezone: "UTC" } as const;
  expect(scheduleOf({ kind: "schedule", schedule: noon })).toBe(noon);
  const mean = { kind: "mean", meanMs: 60_000, maxMs: 300_000 } as const;
  expect(scheduleOf({ kind: "freshness", freshness: mean })).toEqual({
    kind: "every",
    intervalMs: 120_000,
  });
  expect(scheduleOf({ kind: "freshness", freshness: { kind: "p95", p95Ms: 60_000 } })).toEqual({
    kind: "every",
    intervalMs: 60_000,
  });
});
