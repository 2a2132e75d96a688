/**
 * Reads and checks what is to be sent again, whose text comes from an address or from the options
 * of `replay`.
 */
import { parseTime, TIMES } from "./event-query.ts";
import type { ReplayRequest } from "./replay-view.ts";

export type ReplayText = Readonly<Partial<Record<"event" | "since" | "sink" | "by", string>>>;

const MAX_CHARS = 100;

/** Returns who asks, for the audit; `caller` if nobody is named. */
export const byOf = (by: string | undefined, caller: string): string =>
  (by ?? "").slice(0, MAX_CHARS) || caller;

/** Returns the request, or a sentence that says what to write instead. */
export function readReplayRequest(
  { event, since, sink, by }: ReplayText,
  nowMs: number,
  caller: string,
): ReplayRequest | string {
  const who = { sink: sink === "" ? undefined : sink, by: byOf(by, caller) };
  if ((event ?? "") === "" && (since ?? "") === "")
    return "name what to send again: an event or a time";
  if (event !== undefined && since !== undefined) return "give an event or a time, not both";
  if (event !== undefined) return { what: { eventId: event.trim() }, ...who };
  const sinceMs = parseTime((since ?? "").trim(), nowMs);
  return sinceMs === undefined
    ? `since must be ${TIMES}, not "${(since ?? "").slice(0, 80)}"`
    : { what: { sinceMs }, ...who };
}
