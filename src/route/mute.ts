/** Decides whether the muted hours of a route or sink hold an event back, and until when. */
import type { Muting, TimeInterval } from "./route.ts";
import { datesEndOf, outsideOf, WEEKLY_MS } from "./time-interval.ts";

type Muted = Omit<TimeInterval, "startsAt">;

export type Mute =
  | { readonly kind: "none" }
  | { readonly kind: "hold"; readonly untilMs: number; readonly name: string }
  | { readonly kind: "drop"; readonly name: string };

/**
 * Returns what the muted hours do with an event. `sendAtMs` is when its group would be sent. A
 * message that becomes due during muted hours also waits until they end.
 */
export function muteOf(
  { mutes = [], actives = [], onMute }: Muting,
  nowMs: number,
  sendAtMs: number,
): Mute {
  const intervals: readonly Muted[] = actives.length === 0 ? mutes : [...mutes, outsideOf(actives)];
  const holding = intervals.find((interval) => interval.endsAt(nowMs) !== undefined);
  if (onMute === "drop")
    return holding === undefined ? { kind: "none" } : { kind: "drop", name: holding.name };
  const fromMs = [nowMs, sendAtMs].find((atMs) => heldUntil(intervals, atMs) !== undefined);
  if (fromMs === undefined) return { kind: "none" };
  const name = intervals.find((interval) => interval.endsAt(fromMs) !== undefined)?.name ?? "";
  return { kind: "hold", untilMs: heldUntil(intervals, fromMs) ?? fromMs, name };
}

const YEAR_MS = 365 * 86_400_000;
/**
 * For about how long a delivery is held if its mute never ends. In so long a time the route will
 * have changed, and every reload decides again about the deliveries that wait.
 */
const FOREVER_MS = 5 * YEAR_MS;

/** Whether the mute that holds at `atMs` never ends. */
export function isMutedForever({ mutes = [], actives = [] }: Muting, atMs: number): boolean {
  return (
    reachOf(actives.length === 0 ? mutes : [...mutes, outsideOf(actives)], atMs) ===
    Number.POSITIVE_INFINITY
  );
}

function heldUntil(intervals: readonly Muted[], atMs: number): number | undefined {
  const untilMs = reachOf(intervals, atMs);
  if (untilMs === atMs) return undefined;
  // Round up, so that everything held within a year ends at the same time and stays one group.
  return untilMs === Number.POSITIVE_INFINITY
    ? Math.ceil((atMs + FOREVER_MS) / YEAR_MS) * YEAR_MS
    : untilMs;
}

/**
 * Returns when the mute that holds at `atMs` ends: `atMs` if there is none, Infinity if it never
 * ends. Intervals that touch each other count as one mute.
 */
function reachOf(intervals: readonly Muted[], atMs: number): number {
  const alwaysMs = Math.max(atMs, ...intervals.map(datesEndOf)) + WEEKLY_MS;
  let untilMs = atMs;
  while (untilMs < alwaysMs) {
    const furtherMs = Math.max(
      untilMs,
      ...intervals.map((interval) => interval.endsAt(untilMs) ?? untilMs),
    );
    if (furtherMs === untilMs || furtherMs === Number.POSITIVE_INFINITY) return furtherMs;
    untilMs = furtherMs;
  }
  return intervals.some((interval) => interval.endsAt(untilMs) !== undefined)
    ? Number.POSITIVE_INFINITY
    : untilMs;
}
