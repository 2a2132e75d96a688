/** Whether a route's muted hours hold an event back, and until when. */
import type { Route, TimeInterval } from "./route.ts";

export type Mute =
  | { readonly kind: "none" }
  | { readonly kind: "hold"; readonly untilMs: number; readonly name: string }
  | { readonly kind: "drop"; readonly name: string };

/** `sendAtMs` is when a held-open group would go out: a message due inside the muted hours waits for their end too. */
export function muteOf(route: Route, nowMs: number, sendAtMs: number): Mute {
  const holding = route.mutes.find((interval) => interval.endsAt(nowMs) !== undefined);
  if (route.onMute === "drop") return holding === undefined ? { kind: "none" } : { kind: "drop", name: holding.name };
  const fromMs = [nowMs, sendAtMs].find((atMs) => heldUntil(route.mutes, atMs) !== undefined);
  if (fromMs === undefined) return { kind: "none" };
  const name = route.mutes.find((interval) => interval.endsAt(fromMs) !== undefined)?.name ?? "";
  return { kind: "hold", untilMs: heldUntil(route.mutes, fromMs) ?? fromMs, name };
}

/** Different intervals that touch are one mute. */
function heldUntil(intervals: readonly TimeInterval[], atMs: number): number | undefined {
  let untilMs = atMs;
  // Each round leaves at least one interval: more rounds than a week has hours would mean a mute without an end.
  for (let round = 0; round < 200; round += 1) {
    const ends = intervals.map((interval) => interval.endsAt(untilMs) ?? untilMs);
    const furtherMs = Math.max(untilMs, ...ends);
    if (furtherMs === untilMs) break;
    untilMs = furtherMs;
  }
  return untilMs === atMs ? undefined : untilMs;
}
