import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isUsableLimit, spendingLimit } from "../../src/budget/spending-limit.ts";

describe("spending limit", () => {
  it("stops scheduled polls at the reserve, and lets baselines and commands use it", () => {
    const limits = { monthly: 10_000, reserve: 0.1 };
    expect(spendingLimit({ ...limits, purpose: "poll" })).toBe(9_000);
    expect(spendingLimit({ ...limits, purpose: "baseline" })).toBe(10_000);
    expect(spendingLimit({ ...limits, purpose: "command" })).toBe(10_000);
  });

  it.each([undefined, Number.NaN, -1, Number.POSITIVE_INFINITY])(
    "gives none for the odd limit %s",
    (monthly) => {
      expect(spendingLimit({ monthly, reserve: 0.1, purpose: "poll" })).toBeUndefined();
    },
  );

  it.each([null, "100", {}, -5, Number.NaN, undefined])("calls %j an unknown limit", (limit) => {
    expect(isUsableLimit(limit)).toBe(false);
  });

  it("takes a zero at its word", () => {
    expect(spendingLimit({ monthly: 0, reserve: 0.1, purpose: "command" })).toBe(0);
  });

  it("never lets anything pass the month, nor a poll pass the reserve", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        fc.double({ min: -1, max: 2, noNaN: true }),
        (monthly, reserve) => {
          const [poll, command] = [
            spendingLimit({ monthly, reserve, purpose: "poll" }),
            spendingLimit({ monthly, reserve, purpose: "command" }),
          ];
          expect(command).toBeLessThanOrEqual(monthly);
          expect(poll).toBeLessThanOrEqual(command ?? -1);
          expect(poll).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});
