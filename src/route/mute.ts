/** Whether the muted hours of a route or a sink hold an event back, and until when. */
import type { Muting, TimeInterval } from "./route.ts";
import { LONGEST_MUTE_MS, outsideOf } from "./time-interval.ts";

type Muted = Pick<TimeInterval, "name" | "endsAt">;

export type Mute =
  | { readonly kind: "none" }
  | { readonly kind: "hold"; readonly untilMs: number; readonly name: string }
  | { readonly kind: "drop"; readonly name: string };

/** `sendAtMs` is when a held-open group would go out: a message due inside the muted hours waits for their end too. */
export function muteOf({ mutes = [], actives = [], onMute }: Muting, nowMs: number, sendAtMs: number): Mute {
  const intervals: readonly Muted[] = actives.length === 0 ? mutes : [...mutes, outsideOf(actives)];
  const holding = intervals.find((interval) => interval.endsAt(nowMs) !== undefined);
  if (onMute === "drop") return holding === undefined ? { kind: "none" } : { kind: "drop", name: holding.name };
  const fromMs = [nowMs, sendAtMs].find((atMs) => heldUntil(intervals, atMs) !== undefined);
  if (fromMs === undefined) return { kind: "none" };
  const name = intervals.find((interval) => interval.endsAt(fromMs) !== undefined)?.name ?? "";
  return { kind: "hold", untilMs: heldUntil(intervals, fromMs) ?? fromMs, name };
}

const YEAR_MS = 365 * 86_400_000;
/** A mute without an end holds for about so long: by then somebody has changed the route, and what waits is asked anew. */
const FOREVER_MS = 5 * YEAR_MS;

/** Different intervals that touch are one mute. */
function heldUntil(intervals: readonly Muted[], atMs: number): number | undefined {
  let untilMs = atMs;
  while (untilMs - atMs < LONGEST_MUTE_MS) {
    const ends = intervals.map((interval) => interval.endsAt(untilMs) ?? untilMs);
    const furtherMs = Math.max(untilMs, ...ends);
    if (furtherMs === untilMs) return untilMs === atMs ? undefined : untilMs;
    untilMs = furtherMs;
  }
  // The same time for what is held within a year, so that it stays one group.
  return Math.ceil((atMs + FOREVER_MS) / YEAR_MS) * YEAR_MS;
}
