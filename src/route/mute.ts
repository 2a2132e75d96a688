/** Whether the muted hours of a route or a sink hold an event back, and until when. */
import type { Muting, TimeInterval } from "./route.ts";
import { datesEndOf, outsideOf, WEEKLY_MS } from "./time-interval.ts";

type Muted = Omit<TimeInterval, "startsAt">;

export type Mute =
  | { readonly kind: "none" }
  | { readonly kind: "hold"; readonly untilMs: number; readonly name: string }
  | { readonly kind: "drop"; readonly name: string };

/**
 * `sendAtMs` is when a held-open group would go out: a message due inside the muted hours waits for
 * their end too.
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
 * A mute without an end holds for about so long: by then somebody has changed the route, and what
 * waits is asked anew.
 */
const FOREVER_MS = 5 * YEAR_MS;

/** Whether a mute that holds at that time never ends. */
export function isMutedForever({ mutes = [], actives = [] }: Muting, atMs: number): boolean {
  return (
    reachOf(actives.length === 0 ? mutes : [...mutes, outsideOf(actives)], atMs) ===
    Number.POSITIVE_INFINITY
  );
}

function heldUntil(intervals: readonly Muted[], atMs: number): number | undefined {
  const untilMs = reachOf(intervals, atMs);
  if (untilMs === atMs) return undefined;
  // The same time for what is held within a year, so that it stays one group.
  return untilMs === Number.POSITIVE_INFINITY
    ? Math.ceil((atMs + FOREVER_MS) / YEAR_MS) * YEAR_MS
    : untilMs;
}

/**
 * Different intervals that touch are one mute. `atMs` where none holds, Infinity where that never
 * ends.
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
