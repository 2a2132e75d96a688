/** Tests which of several muted hours apply, and which name is shown for them. */
import { describe, expect, it } from "vitest";
import { muteOf } from "../../src/route/mute.ts";
import type { TimeInterval } from "../../src/route/route.ts";

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 15, 12);

const between = (name: string, fromHour: number, toHour: number): TimeInterval => ({
  name,
  endsAt: (atMs) =>
    NOW + fromHour * HOUR <= atMs && atMs < NOW + toHour * HOUR ? NOW + toHour * HOUR : undefined,
  startsAt: (atMs) => NOW + fromHour * HOUR + (atMs < NOW + fromHour * HOUR ? 0 : 24 * HOUR),
});

const muted = (onMute: "hold" | "drop", mutes: readonly TimeInterval[], waitMs = 0) =>
  muteOf({ onMute, mutes }, NOW, NOW + waitMs);

describe("of several muted hours", () => {
  const [over, now, later] = [
    between("over", -2, -1),
    between("now", -1, 1),
    between("later", 2, 3),
  ];

  it.each(["hold", "drop"] as const)("those that are on count, under their name (%s)", (onMute) => {
    expect(muted(onMute, [over, later, now])).toMatchObject({ kind: onMute, name: "now" });
    expect(muted(onMute, [over, later])).toMatchObject({ kind: "none" });
  });

  it("those that a group's wait reaches count where they hold, and not where they drop", () => {
    expect(muted("hold", [over, later], 2 * HOUR)).toEqual({
      kind: "hold",
      untilMs: NOW + 3 * HOUR,
      name: "later",
    });
    expect(muted("drop", [over, later], 2 * HOUR)).toMatchObject({ kind: "none" });
  });

  it("a mute without an end holds for years, which is not computed day by day", () => {
    let asked = 0;
    const always: TimeInterval = {
      name: "always",
      endsAt: (atMs) => ((asked += 1), atMs + 9 * 24 * HOUR),
      startsAt: () => 0,
    };
    const mute = muted("hold", [now, always]);
    expect(mute.kind === "hold" ? mute.untilMs - NOW : 0).toBeGreaterThan(365 * 24 * HOUR);
    expect(asked).toBeLessThan(20);
  });
});

describe("active hours", () => {
  const [before, now, later] = [
    between("early", -3, -1),
    between("now", -1, 1),
    between("late", 2, 3),
  ];
  const active = (actives: readonly TimeInterval[], mutes: readonly TimeInterval[] = []) =>
    muteOf({ actives, mutes }, NOW, NOW);

  it("hold what comes outside of them until the next of them begins", () => {
    expect(active([before, later])).toEqual({
      kind: "hold",
      untilMs: NOW + 2 * HOUR,
      name: "hours outside early and late",
    });
    expect(active([before, now])).toEqual({ kind: "none" });
  });

  it("without a name exclude nothing", () => {
    expect(active([])).toEqual({ kind: "none" });
  });

  it("and muted hours that touch hold until neither does", () => {
    expect(active([later], [between("lunch", 2, 2.5)])).toMatchObject({
      kind: "hold",
      untilMs: NOW + 2.5 * HOUR,
    });
    expect(active([later], [between("all of it", 2, 3)])).toMatchObject({
      kind: "hold",
      untilMs: NOW + 26 * HOUR,
    });
  });

  it("drop what comes outside of them where they say so", () => {
    expect(muteOf({ actives: [later], onMute: "drop" }, NOW, NOW)).toEqual({
      kind: "drop",
      name: "hours outside late",
    });
  });
});
