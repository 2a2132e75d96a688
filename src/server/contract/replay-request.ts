/**
 * Reads and checks the request to send alerts again. Its text comes from the address of a request
 * or from the options of `replay`.
 */
import type { z } from "zod";
import { lazy } from "../../model/lazy.ts";
import { timeValue } from "./event-query.ts";
import { queryProblem, addressSchema, textValue } from "./query.ts";
import type { ReplayRequest } from "../schema/replay-view.ts";

const MAX_CHARS = 100;

export const byValue = () => textValue("The name of the caller, for the audit.");
export const sinkValue = () => textValue("The name of a sink; all sinks if it is absent.");

/** Returns the name of the caller for the audit; `caller` if the request names nobody. */
export const byOf = (by: string | undefined, caller: string): string =>
  (by ?? "").slice(0, MAX_CHARS) || caller;

/** The values that choose what is sent again: one event, or everything since a time. */
export const replayFilters = lazy(() =>
  addressSchema({
    event: textValue("The id of an event."),
    since: timeValue(),
    sink: sinkValue(),
    by: byValue(),
  }),
);

type ReplayFilters = z.infer<ReturnType<typeof replayFilters>>;
type ReplayText = { readonly [Name in keyof ReplayFilters]?: string | undefined };

/** Returns the parsed request, or a sentence that says what to write instead. */
export function readReplayRequest(
  text: ReplayText,
  nowMs: number,
  caller: string,
): ReplayRequest | string {
  const read = replayFilters().safeParse(text);
  return read.success ? replayRequestOf(read.data, nowMs, caller) : queryProblem(read.error.issues);
}

export function replayRequestOf(
  { event, since, sink, by }: ReplayFilters,
  nowMs: number,
  caller: string,
): ReplayRequest | string {
  const who = { sink, by: byOf(by, caller) };
  if (event !== undefined && since !== undefined) return "give an event or a time, not both";
  if (event !== undefined) return { what: { eventId: event }, ...who };
  if (since !== undefined) return { what: { sinceMs: since(nowMs) }, ...who };
  return "name what to send again: an event or a time";
}
