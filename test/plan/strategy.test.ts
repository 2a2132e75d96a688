import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseFullPollEvery, chooseStrategy, costOfFreshness, costsOf, type Group } from "../../src/groups/accounts/account-cost.ts";

const HOUR = 3_600_000;
const group = (rates: readonly number[], changes: Partial<Group> = {}): Group => ({
  rates,
  intervalMs: 120_000,
  fullPollEveryMs: 6 * HOUR,
  overlapMs: 900_000,
  handlesPerQuery: 17,
  ...changes,
});
const accounts = (count: number, rate: number) => Array.from({ length: count }, () => rate);

describe("the choice", () => {
  it("reads one account by itself", () => {
    expect(chooseStrategy(group([3], { intervalMs: 1_800_000 }), undefined).strategy).toBe("single");
  });

  it("probes many accounts that post now and then", () => {
    expect(chooseStrategy(group(accounts(1_000, 3)), undefined).strategy).toBe("probe");
  });

  it("searches for a few that post all the time", () => {
    expect(chooseStrategy(group(accounts(15, 400)), undefined).strategy).toBe("merge");
  });

  it("costs a thousand accounts 75 times less than single polls, late-arrival rescans and full polls included", () => {
    const [single, probe] = costsOf(group(accounts(1_000, 3), { overlapMs: 0 }));
    expect(single?.requestsPerDay).toBe(720_000);
    expect(720_000 / (probe?.requestsPerDay ?? 0)).toBeGreaterThan(75);
  });

  it("follows the user's word, whatever it costs", () => {
    for (const strategy of ["single", "probe", "merge"] as const) {
      expect(chooseStrategy(group(accounts(500, 3)), "probe", strategy).strategy).toBe(strategy);
    }
  });

  it("changes its mind only for a saving worth it, and then for good", () => {
    const rates = fc.array(fc.float({ min: 0, max: 500, noNaN: true }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(
        rates,
        fc.constantFrom("single", "probe", "merge"),
        fc.integer({ min: 10_000, max: 3_600_000 }),
        (all, current, intervalMs) => {
          const one = group(all, { intervalMs });
          const chosen = chooseStrategy(one, current);
          const kept = costsOf(one).find(({ strategy }) => strategy === current);
          if (chosen.strategy !== current) expect(chosen.requestsPerDay).toBeLessThan((kept?.requestsPerDay ?? 0) * 0.85);
          expect(chooseStrategy(one, chosen.strategy).strategy).toBe(chosen.strategy);
        },
      ),
    );
  });
});

it("allows for bursts under freshness as on the ticks of a schedule, where one probe asks for everybody", () => {
  const freshness = { kind: "mean", meanMs: 300_000, maxMs: 4 * HOUR } as const;
  for (const posts of [0.3, 1]) {
    const fresh = costOfFreshness(group(accounts(100, posts)), freshness);
    const scheduled = costsOf(group(accounts(100, posts), { intervalMs: (24 * HOUR) / fresh.probesPerDay }))[1];
    expect(fresh.readsPerDay / (scheduled?.readsPerDay ?? 0)).toBeCloseTo(1, 1);
  }
});

describe("full polls", () => {
  it("stay well within max_age, and cost a small share of the rest", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 10_000, max: HOUR }), (count, intervalMs) => {
        const { fullPollEveryMs: _, ...rest } = group(accounts(count, 3), { intervalMs });
        const everyMs = chooseFullPollEvery(rest, 24 * HOUR, { kind: "schedule", schedules: [] });
        expect(everyMs).toBeLessThan(12 * HOUR);
        expect(everyMs).toBeGreaterThanOrEqual(1_800_000);
      }),
    );
  });
});
