/** What several keys may spend together, and what of it scheduled polls leave alone. */
import { describe, expect, it } from "vitest";
import { quotaLine } from "../../src/budget/quota-line.ts";
import { type KeyQuota, totalQuota } from "../../src/engine/quota-watch.ts";

const key = (name: string, limit: number | undefined, isUsable = true): KeyQuota => ({ name, limit, isUsable });
const spent = (counts: Record<string, number>) => new Map(Object.entries(counts));

function lineOf(
  settings: { readonly monthly?: number; readonly reserve: number },
  keys: readonly KeyQuota[],
  counts: Record<string, number>,
) {
  const { limit, reserve } = totalQuota(settings, keys, spent(counts));
  return { limit, line: quotaLine({ monthly: limit, reserve, purpose: "poll" }) };
}

describe("the quota of all keys", () => {
  it("is what each may spend, and each one's reserve", () => {
    expect(lineOf({ reserve: 0.1 }, [key("a", 1_000), key("b", 500)], { a: 3 })).toEqual({ limit: 1_500, line: 1_350 });
  });

  it("keeps no reserve of what a key has spent that is set aside: the others go on to their own lines", () => {
    const keys = [key("a", 100_000, false), key("b", 10_000)];
    expect(lineOf({ reserve: 0.1 }, keys, { a: 90_000, b: 500 })).toEqual({ limit: 100_000, line: 99_000 });
  });

  it("never passes the configuration's own limit of all together", () => {
    const keys = [key("a", 100_000, false), key("b", 10_000)];
    expect(lineOf({ monthly: 95_000, reserve: 0.1 }, keys, { a: 90_000 })).toEqual({ limit: 95_000, line: 85_500 });
    expect(lineOf({ monthly: 200_000, reserve: 0.1 }, keys, { a: 90_000 })).toEqual({ limit: 100_000, line: 99_000 });
  });

  it("is the configuration's alone where there is one key, or where one key's limit is not known", () => {
    expect(lineOf({ monthly: 700, reserve: 0.1 }, [key("a", 100)], { gone: 50 })).toEqual({ limit: 700, line: 630 });
    expect(lineOf({ monthly: 700, reserve: 0.1 }, [key("a", 100), key("b", undefined)], {})).toEqual({ limit: 700, line: 630 });
  });
});
