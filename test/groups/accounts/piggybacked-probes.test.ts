import { describe, expect, it } from "vitest";
import { probeAlgorithm } from "../../../src/groups/accounts/pacing/group-algorithms.ts";
import { createPiggybackedProbes, roundsBeside } from "../../../src/groups/accounts/piggybacked-probes.ts";

const DAY_MS = 86_400_000;
const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => String(from + i));
const requests = (perDay: number, from: number, to: number) => ({ perDay, userIds: new Set(ids(from, to)) });
const P95 = probeAlgorithm({ kind: "p95", p95Ms: 60_000 });
const MEAN = probeAlgorithm({ kind: "mean", meanMs: 60_000, maxMs: 4 * 3_600_000 });

describe("spare slots in the requests of others", () => {
  it("go to whoever fits into what is left of a hundred places, and to those who are asked for anyway", () => {
    const piggybacked = createPiggybackedProbes([requests(1_440, 0, 40)]);
    expect(piggybacked.helpFor(ids(40, 70))).toEqual({ perDay: 1_440, covered: 1 });
    expect(piggybacked.helpFor(ids(40, 160))).toEqual({ perDay: 1_440, covered: 0.5 });
    expect(piggybacked.helpFor(ids(20, 30))).toEqual({ perDay: 1_440, covered: 1 });
  });

  it("are taken in those that are sent most often a day", () => {
    const piggybacked = createPiggybackedProbes([requests(1_440, 0, 95), requests(288, 100, 120)]);
    expect(piggybacked.helpFor(ids(200, 260))).toEqual({ perDay: 288, covered: 1 });
    expect(piggybacked.helpFor(ids(200, 205))).toEqual({ perDay: 1_440, covered: 1 });
  });

  it("are gone once others have taken the places, whose own requests have places again", () => {
    const piggybacked = createPiggybackedProbes([requests(1_440, 0, 60)]);
    piggybacked.join(ids(100, 140), 700);
    expect(piggybacked.helpFor(ids(200, 210))).toEqual({ perDay: 700, covered: 1 });
    piggybacked.join(ids(200, 300), 0);
    expect(piggybacked.helpFor(ids(400, 410))).toBeUndefined();
  });

  it("are nothing where nobody asks for profiles", () => {
    expect(createPiggybackedProbes([]).helpFor(ids(0, 10))).toBeUndefined();
  });
});

describe("the rounds that a group still needs", () => {
  const rounds = { times: 1_400, probesEach: 1 };

  it("are none where others probe everybody as often", () => {
    expect(roundsBeside(rounds, 40, P95, { perDay: 1_440, covered: 1 }).times).toBe(0);
    expect(roundsBeside(rounds, 40, MEAN, { perDay: 1_440, covered: 1 }).times).toBe(0);
  });

  it("are those between rarer probes of others, each counted from the last probe", () => {
    expect(roundsBeside(rounds, 40, P95, { perDay: 400, covered: 1 }).times).toBe(400 * 3);
    expect(roundsBeside(rounds, 40, MEAN, { perDay: 400, covered: 1 }).times).toBeCloseTo(1_400 - 200);
  });

  it("are saved in part where only some are probed", () => {
    const all = roundsBeside(rounds, 40, P95, { perDay: 1_440, covered: 1 }).times;
    const half = roundsBeside(rounds, 40, P95, { perDay: 1_440, covered: 0.5 }).times;
    expect(half).toBeCloseTo((rounds.times + all) / 2);
  });

  it("are fewer by what free probes are worth where a probe asks for some of many", () => {
    const { times } = roundsBeside({ times: 1_000, probesEach: 2 }, 300, MEAN, { perDay: 1_440, covered: 0.2 });
    expect(times).toBeLessThan(1_000 - 0.5 * (1_440 * 0.6) * 0.5);
    expect(times).toBeGreaterThan(1_000 - 1_440 * 0.6 * 0.5);
    expect(roundsBeside({ times: 10, probesEach: 1 }, 300, MEAN, { perDay: DAY_MS / 10_000, covered: 1 }).times).toBe(0);
  });
});
