import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { longestWaitMs, type P95 } from "../../../../src/plan/delay-aims.ts";
import type { Candidate } from "../../../../src/groups/probing/probe-choice.ts";
import {
  busyRate,
  chooseRound,
  learnLate,
  roundEveryMs,
} from "../../../../src/groups/accounts/pacing/group-p95.ts";
import { runRounds } from "../simulated-rounds.ts";

const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const WITHIN: P95 = { kind: "p95", p95Ms: MIN };
/** Twenty busy accounts make most of the posts of three hundred. */
const RATES = Array.from({ length: 300 }, (_, i) => 0.03 * 1.028 ** i);
const candidates = fc
  .array(
    fc.record({
      rate: fc.float({ min: 0, max: 200, noNaN: true }),
      ageMs: fc.integer({ min: 0, max: 10 * MIN }),
    }),
    { maxLength: 400 },
  )
  .map((all): Candidate[] => all.map((one, index) => ({ id: String(index), ...one })));
const round = { busyRate: 2, everyMs: 58_000, maxMs: 4 * MIN };
const isBusy = ({ rate, ageMs }: Candidate) => rate >= round.busyRate && ageMs > round.everyMs / 2;
const waitsLong = ({ ageMs }: Candidate) => ageMs > round.maxMs - round.everyMs / 2;

describe("rounds", () => {
  // test/long/freshness-pace.test.ts measures the accuracy, over days and seeds.
  it("keep most posts in time with fewer probes than even ones take", () => {
    const { delays, longestMs, probesPerDay } = runRounds(RATES, WITHIN, 1, 7);
    expect(delays.filter((delay) => delay > MIN).length / delays.length).toBeLessThan(0.08);
    expect(longestMs).toBeLessThanOrEqual(longestWaitMs(WITHIN));
    expect(probesPerDay / ((3 * DAY) / MIN)).toBeLessThan(0.7);
  });

  it("leave no account for later if one probe requests all of them, and come as late as that allows", () => {
    const few = RATES.slice(0, 100);
    expect(busyRate(few, WITHIN)).toBe(0);
    const everyMs = roundEveryMs(WITHIN, 100);
    // Posts come at any moment between two rounds and are found two seconds after the second round.
    // This is the share that is late.
    expect((everyMs - 58_000) / everyMs).toBeCloseTo(0.045);
    expect(roundEveryMs(WITHIN, 101)).toBe(58_000);
  });

  it("keep some time between them however short the limit is", () => {
    expect(roundEveryMs({ kind: "p95", p95Ms: 5_000 }, 300)).toBe(4_000);
  });

  it("leave as many for later as may be late together, of whose posts a quarter is found in time by chance", () => {
    const calm: P95 = { kind: "p95", p95Ms: 10 * HOUR };
    const of = (quiet: number) => [
      ...Array.from({ length: 100 }, () => quiet),
      ...Array.from({ length: 100 }, () => 14),
    ];
    expect(busyRate(of(0.88), calm)).toBeCloseTo(7);
    expect(busyRate(of(0.91), calm)).toBeCloseTo(0.91 / 2);
  });

  it("take more accounts for busy the more of the posts the quiet ones have", () => {
    const shareOf = (rates: readonly number[]) =>
      rates.filter((rate) => rate >= busyRate(rates, WITHIN)).length / rates.length;
    const alike = Array.from({ length: 300 }, () => 3);
    expect(shareOf(alike)).toBe(1);
    expect(shareOf(RATES)).toBeLessThan(0.7);
  });
});

describe("a round", () => {
  it("asks for the busy and for those who waited long, once, and fills its probes", () => {
    fc.assert(
      fc.property(candidates, (all) => {
        const chosen = chooseRound(all, round);
        const due = all.filter((one) => isBusy(one) || waitsLong(one));
        expect(new Set(chosen)).toEqual(new Set([...due, ...chosen]));
        expect(new Set(chosen).size).toBe(chosen.length);
        expect(chosen).toHaveLength(Math.min(all.length, Math.ceil(due.length / 100) * 100));
      }),
    );
  });

  it("gives spare slots to the accounts from which most posts are expected", () => {
    const busy = { id: "busy", rate: 9, ageMs: 58_000 };
    const others = Array.from({ length: 150 }, (_, index) => ({
      id: String(index),
      rate: index / 150,
      ageMs: 100_000,
    }));
    const old = { id: "old", rate: 0.1, ageMs: 200_000 };
    const older = { id: "older", rate: 0.5, ageMs: 200_000 };
    const fresh = { id: "fresh", rate: 1.9, ageMs: 5_000 };
    const chosen = chooseRound([busy, old, older, fresh, ...others], round).map(({ id }) => id);
    expect(chosen).toHaveLength(100);
    expect(chosen).toEqual(expect.arrayContaining(["busy", "149", "older"]));
    expect(chosen).not.toContain("old");
    expect(chosen).not.toContain("fresh");
  });

  it("requests no account if none is due", () => {
    expect(chooseRound([{ id: "a", rate: 1, ageMs: 58_000 }], round)).toEqual([]);
    expect(chooseRound([], round)).toEqual([]);
  });
});

describe("the correction", () => {
  it("stays the same if about five of a hundred posts are late, and counts more accounts as busy if more are", () => {
    const found = (late: number) =>
      Array.from({ length: 200 }, (_, index) => (index < late ? 2 * MIN : 1_000));
    expect(learnLate(1, found(9), WITHIN)).toBeCloseTo(1);
    expect(learnLate(1, found(40), WITHIN)).toBeLessThan(0.8);
    expect(learnLate(1, found(0), WITHIN)).toBeGreaterThan(1.05);
  });

  it("stays within a factor of four, whatever comes", () => {
    expect(
      learnLate(
        1,
        Array.from({ length: 1_000 }, () => HOUR),
        WITHIN,
      ),
    ).toBe(0.25);
    expect(
      learnLate(
        1,
        Array.from({ length: 100_000 }, () => 0),
        WITHIN,
      ),
    ).toBe(4);
  });
});
