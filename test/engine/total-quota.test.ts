/** Tests what several keys may spend together, and which part of it scheduled polls leave alone. */
import { describe, expect, it } from "vitest";
import { spendingLimit } from "../../src/budget/spending-limit.ts";
import { type KeyQuota, limitOfKey, totalQuota } from "../../src/engine/quota/total-quota.ts";

const key = (name: string, limit: number | undefined, isUsable = true): KeyQuota => ({
  name,
  limit,
  isUsable,
});
const spent = (counts: Record<string, number>) => new Map(Object.entries(counts));

function limitsOf(
  settings: { readonly monthly?: number; readonly reserve: number },
  keys: readonly KeyQuota[],
  counts: Record<string, number>,
) {
  const { limit, reserve } = totalQuota(settings, keys, spent(counts));
  return { limit, line: spendingLimit({ monthly: limit, reserve, purpose: "poll" }) };
}

describe("the quota of all keys", () => {
  it("is what each may spend, and each one's reserve", () => {
    expect(limitsOf({ reserve: 0.1 }, [key("a", 1_000), key("b", 500)], { a: 3 })).toEqual({
      limit: 1_500,
      line: 1_350,
    });
  });

  it("keeps no reserve of what a key has spent that is suspended: the others go on to their own lines", () => {
    const keys = [key("a", 100_000, false), key("b", 10_000)];
    expect(limitsOf({ reserve: 0.1 }, keys, { a: 90_000, b: 500 })).toEqual({
      limit: 100_000,
      line: 99_000,
    });
  });

  it("never passes the configuration's own limit of all together", () => {
    const keys = [key("a", 100_000, false), key("b", 10_000)];
    expect(limitsOf({ monthly: 95_000, reserve: 0.1 }, keys, { a: 90_000 })).toEqual({
      limit: 95_000,
      line: 85_500,
    });
    expect(limitsOf({ monthly: 200_000, reserve: 0.1 }, keys, { a: 90_000 })).toEqual({
      limit: 100_000,
      line: 99_000,
    });
  });

  it("is what the service has left of the only key where that is less than the configuration allows, and what former keys have spent", () => {
    expect(limitsOf({ monthly: 700, reserve: 0.1 }, [key("a", 100)], { gone: 50 })).toEqual({
      limit: 150,
      line: 140,
    });
    expect(limitsOf({ monthly: 700, reserve: 0.1 }, [key("a", 900)], { a: 10 })).toEqual({
      limit: 700,
      line: 630,
    });
    expect([
      limitOfKey(700, undefined),
      limitOfKey(700, 90),
      limitOfKey(undefined, 90),
      limitOfKey(70, 90),
    ]).toEqual([700, 90, 90, 70]);
  });

  it("is the configuration's alone where a key's limit is not known", () => {
    expect(limitsOf({ monthly: 700, reserve: 0.1 }, [key("a", undefined)], { gone: 50 })).toEqual({
      limit: 700,
      line: 630,
    });
    expect(
      limitsOf({ monthly: 700, reserve: 0.1 }, [key("a", 100), key("b", undefined)], {}),
    ).toEqual({ limit: 700, line: 630 });
  });
});
