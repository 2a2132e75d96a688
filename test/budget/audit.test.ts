import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAlarming, evaluateAudit } from "../../src/budget/audit.ts";

describe("the comparison with the service's count", () => {
  it("agrees with anything between what is certain and what is possible", () => {
    expect(evaluateAudit(1_000, 990, { certain: 10, possible: 10 })).toEqual({ kind: "agrees" });
    expect(evaluateAudit(1_000, 988, { certain: 10, possible: 13 })).toEqual({ kind: "agrees" });
    expect(evaluateAudit(1_000, 1_000, { certain: 0, possible: 4 })).toEqual({ kind: "agrees" });
  });

  it("says by how many the service counted more, or fewer", () => {
    expect(evaluateAudit(1_000, 950, { certain: 10, possible: 13 })).toEqual({
      kind: "drift",
      requests: 37,
    });
    expect(evaluateAudit(1_000, 996, { certain: 10, possible: 13 })).toEqual({
      kind: "drift",
      requests: -6,
    });
  });

  it("waits while the service's figure stands still, and begins anew when it goes up", () => {
    expect(evaluateAudit(1_000, 1_000, { certain: 10, possible: 13 })).toEqual({
      kind: "stands_still",
    });
    expect(evaluateAudit(10, 10_000, { certain: 10, possible: 13 })).toEqual({ kind: "restarted" });
  });

  it("never accuses an honest count", () => {
    const attempts = fc.record({ billed: fc.nat(500), failed: fc.nat(50), open: fc.nat(20) });
    fc.assert(
      fc.property(
        attempts,
        fc.double({ min: 0, max: 1, noNaN: true }),
        ({ billed, failed, open }, share) => {
          const drop = billed + Math.round((failed + open) * share);
          expect(
            evaluateAudit(10_000, 10_000 - drop, {
              certain: billed,
              possible: billed + failed + open,
            }).kind,
          ).not.toBe("drift");
        },
      ),
    );
  });
});

describe("the alarm", () => {
  it("is raised for any request the ledger does not know", () => {
    expect(isAlarming(1, 10_000)).toBe(true);
    expect(isAlarming(0, 10_000)).toBe(false);
  });

  it("is not raised while the ledger counts just a little too much", () => {
    expect(isAlarming(-10, 100)).toBe(false);
    expect(isAlarming(-11, 100)).toBe(true);
    expect(isAlarming(-200, 10_000)).toBe(false);
    expect(isAlarming(-201, 10_000)).toBe(true);
  });
});
