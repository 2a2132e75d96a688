/** How often accounts change without a post, by what groups have shown. */
import { describe, expect, it } from "vitest";
import { changesPerDay, countChanges, type OtherChanges } from "../../../src/plan/rates/other-changes.ts";

const START = Date.UTC(2026, 2, 2, 7, 13);
const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;

interface Days {
  readonly accounts?: number;
  /** From one run to the next. */
  readonly everyMs?: number;
  /** When the accounts changed. */
  readonly changedMs?: readonly number[];
}

/** A group whose every change is given up in the run after it. */
function watch(known: OtherChanges | undefined, fromMs: number, toMs: number, days: Days = {}): OtherChanges {
  const { accounts = 100, everyMs = 10 * MIN, changedMs = [] } = days;
  let latest = known;
  for (let atMs = fromMs; atMs <= toMs; atMs += everyMs) {
    const given = changedMs.filter((ms) => ms < atMs && ms >= atMs - everyMs);
    latest = countChanges(latest, { accounts, changedMs: given, startedAtMs: atMs, intervalMs: everyMs });
  }
  return latest as OtherChanges;
}
const evenly = (count: number, fromMs: number, toMs: number) =>
  Array.from({ length: count }, (_, i) => Math.floor(fromMs + ((i + 0.5) * (toMs - fromMs)) / count));

const rateOf = (own: OtherChanges | undefined, others: readonly OtherChanges[] = []) => changesPerDay(own, others) ?? 0;

describe("changes that no post accounts for", () => {
  it("are two in a hundred accounts a day until something else was seen, and said to be unknown until anything was", () => {
    expect(changesPerDay(undefined, [])).toBeUndefined();
    expect(changesPerDay(watch(undefined, START, START), [])).toBeUndefined();
    expect(rateOf(watch(undefined, START, START + 10 * MIN))).toBeCloseTo(0.02, 3);
  });

  it("are thought to be a third as many after a day of a hundred accounts without any, and a seventh after three", () => {
    const day = watch(undefined, START, START + DAY);
    expect(rateOf(day) / 0.02).toBeCloseTo(1 / 3, 1);
    expect(rateOf(watch(day, START + DAY, START + 3 * DAY)) / 0.02).toBeCloseTo(1 / 7, 1);
  });

  it("are as many as were seen after some days, be it many times what is usual", () => {
    for (const perDay of [0.02, 0.06, 0.2]) {
      const changedMs = evenly(perDay * 100 * 10, START, START + 10 * DAY);
      expect(rateOf(watch(undefined, START, START + 10 * DAY, { changedMs })) / perDay).toBeCloseTo(1, 0);
    }
  });

  it("are forgotten by half in three weeks", () => {
    const busy = watch(undefined, START, START + 10 * DAY, { changedMs: evenly(60, START, START + 10 * DAY) });
    const after = watch(busy, START + 10 * DAY, START + 31 * DAY);
    expect(after.changes / busy.changes).toBeCloseTo(0.5, 2);
    expect(watch(undefined, START, START + 400 * DAY, { everyMs: HOUR }).accountDays).toBeLessThan(100 * 31);
  });
});

describe("what teaches nothing", () => {
  it("is a pause, and what changed in it", () => {
    const before = watch(undefined, START, START + DAY);
    const after = watch(before, START + 3 * DAY, START + 3 * DAY, { changedMs: [START + 3 * DAY - 1] });
    expect(after).toMatchObject({ changes: before.changes, accountDays: before.accountDays });
    // Looks go on for half an hour after the probe that showed it.
    const late = { accounts: 100, changedMs: [START + DAY], startedAtMs: START + 3 * DAY + 10 * MIN, intervalMs: 10 * MIN };
    expect(countChanges(after, late).changes).toBeCloseTo(before.changes);
    expect(countChanges(after, { ...late, changedMs: [START + 3 * DAY] }).changes).toBeCloseTo(1);
  });

  it("is a clock that was set back, or ahead", () => {
    const before = watch(undefined, START, START + DAY);
    for (const startedAtMs of [START, START + 300 * DAY]) {
      const after = watch(before, startedAtMs, startedAtMs);
      expect(after).toMatchObject({ changes: before.changes, accountDays: before.accountDays });
      expect(watch(after, startedAtMs + 10 * MIN, startedAtMs + DAY).accountDays / before.accountDays).toBeCloseTo(2, 1);
    }
  });

  it("is a change of more accounts at once than change by themselves: the service showed them wrongly", () => {
    const before = watch(undefined, START, START + DAY);
    const after = (count: number) =>
      watch(before, START + DAY, START + DAY, { changedMs: Array.from({ length: count }, () => START + DAY - 1) });
    expect(after(100).changes).toBe(0);
    expect(after(4).changes).toBe(0);
    expect(after(3).changes).toBe(3);
    // Of ten thousand, dozens change between two looks that are hours apart.
    const many = { accounts: 10_000, everyMs: 4 * HOUR };
    const changedMs = evenly(200 * 5, START, START + 5 * DAY);
    expect(watch(undefined, START, START + 5 * DAY, { ...many, changedMs }).changes).toBeGreaterThan(850);
  });
});

describe("a group of which little was seen", () => {
  const quiet = watch(undefined, START, START + 30 * DAY);
  const busy = watch(undefined, START, START + 30 * DAY, { changedMs: evenly(300, START, START + 30 * DAY) });
  const few = watch(undefined, START, START + 2 * DAY, { accounts: 5 });

  it("is thought to do as the others do", () => {
    expect(rateOf(few)).toBeGreaterThan(0.015);
    expect(rateOf(few, [quiet])).toBeLessThan(0.001);
    expect(rateOf(undefined, [busy])).toBeGreaterThan(0.08);
    expect(rateOf(few, [busy])).toBeGreaterThan(0.06);
  });

  it("goes by its own accounts as soon as these have shown more", () => {
    expect(rateOf(quiet, [busy])).toBeLessThan(0.004);
    expect(rateOf(busy, [quiet, quiet])).toBeGreaterThan(0.08);
  });
});
