import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spreadMs } from "../../src/schedule/spread.ts";

describe("spread", () => {
  it("is stable, at most a tenth of the interval and never over 30 s", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.integer({ min: 10_000, max: 90_000_000 }),
        (fingerprint, intervalMs) => {
          const offset = spreadMs(fingerprint, intervalMs);
          expect(offset).toBe(spreadMs(fingerprint, intervalMs));
          expect(offset).toBeGreaterThanOrEqual(0);
          expect(offset).toBeLessThanOrEqual(Math.min(intervalMs / 10, 30_000));
        },
      ),
    );
  });

  it("leaves intervals under 10 s alone", () => {
    for (const fingerprint of ["a", "b", "c"]) expect(spreadMs(fingerprint, 9_999)).toBe(0);
  });

  it("fault 78: a thousand polls of one cron minute never ask for more than the rate in any second", () => {
    const perSecond = new Map<number, number>();
    for (let i = 0; i < 1_000; i += 1) {
      const second = Math.floor(spreadMs(`watch-${i}`, 600_000) / 1_000);
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    }
    expect(perSecond.size).toBe(30);
    expect(Math.max(...perSecond.values())).toBeLessThan(80);
  });
});
