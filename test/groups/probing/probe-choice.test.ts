import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Candidate,
  chooseProbe,
  waitBeforeProbe,
  worthOf,
} from "../../../src/groups/probing/probe-choice.ts";

const HOUR = 3_600_000;
const candidates = fc
  .array(
    fc.record({
      rate: fc.float({ min: 0, max: 200, noNaN: true }),
      ageMs: fc.integer({ min: 0, max: 4 * HOUR }),
    }),
    { maxLength: 400 },
  )
  .map((all): Candidate[] => all.map((one, index) => ({ id: String(index), ...one })));
const score = ({ rate, ageMs }: Candidate) => rate * ageMs ** 2;

describe("choosing", () => {
  it("takes the hundred accounts with the greatest rate x age², and none twice", () => {
    fc.assert(
      fc.property(candidates, (all) => {
        const chosen = chooseProbe(all, Number.POSITIVE_INFINITY);
        const best = [...all].sort((a, b) => score(b) - score(a)).slice(0, 100);
        expect(chosen.map(score)).toEqual(best.map(score));
        expect(new Set(chosen).size).toBe(Math.min(100, all.length));
      }),
    );
  });

  it("takes those that waited for the longest time allowed before all others, whatever their rate", () => {
    fc.assert(
      fc.property(candidates, fc.integer({ min: 1, max: 4 * HOUR }), (all, maxMs) => {
        const late = all.filter(({ ageMs }) => ageMs >= maxMs);
        const chosen = chooseProbe(all, maxMs);
        expect(chosen.filter(({ ageMs }) => ageMs >= maxMs)).toHaveLength(
          Math.min(100, late.length),
        );
      }),
    );
  });
});

describe("waiting", () => {
  it("ends when the accounts are worth a probe, or the first of them waited long enough", () => {
    fc.assert(
      fc.property(candidates, fc.integer({ min: 1, max: 1_000_000 }), (all, worth) => {
        const chosen = chooseProbe(all, 4 * HOUR + 1);
        const wait = waitBeforeProbe(chosen, worth, 4 * HOUR + 1);
        const later = chosen.map((one) => ({ ...one, ageMs: one.ageMs + wait }));
        const oldest = Math.max(0, ...later.map(({ ageMs }) => ageMs));
        expect(oldest).toBeLessThanOrEqual(4 * HOUR + 2);
        if (oldest < 4 * HOUR && wait > 0 && chosen.some(({ rate }) => rate > 0))
          expect(worthOf(later) / worth).toBeCloseTo(1, 2);
        if (wait === 0) expect(worthOf(chosen)).toBeGreaterThanOrEqual(worth);
      }),
    );
  });

  it("is longer where a search is sure to follow than where none is expected, for the same waiting", () => {
    const many = Array.from({ length: 100 }, () => ({ id: "busy", rate: 100, ageMs: 20_000 }));
    const few = Array.from({ length: 100 }, () => ({ id: "quiet", rate: 0.01, ageMs: 2_000_000 }));
    expect(worthOf(many) / worthOf(few)).toBeCloseTo(
      1 / (2 - Math.exp((-0.88 * 100 * 100 * 20) / 86_400)),
      1,
    );
  });

  it("is shorter when an account is in a burst", () => {
    const calm = Array.from({ length: 100 }, (_, i) => ({ id: String(i), rate: 3, ageMs: 60_000 }));
    const burst = calm.map((one, i) => (i === 0 ? { ...one, rate: 300 } : one));
    expect(waitBeforeProbe(burst, 500_000, HOUR)).toBeLessThan(
      waitBeforeProbe(calm, 500_000, HOUR),
    );
  });
});
