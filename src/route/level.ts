/**
 * Decides what is sent after an alert on a value that crossed a threshold: repeats while the value
 * stays beyond the threshold, and a message when the value is back to normal. Both use the values
 * that the detector remembers, so neither needs another poll. Pure.
 */
import type { ChirpEvent, EventBody } from "../model/event.ts";
import { eventId } from "../model/event.ts";
import type { Hash } from "../model/hash.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { LevelRules, LevelOptions, OpenLevel } from "../model/level.ts";
import type { Shaping } from "./route.ts";

/**
 * Returns the names of the numbers that crossed a threshold; empty for every other event. Numbers
 * with a step (`every`) are included: `thresholdState` leaves them out.
 */
const crossedOf = ({ body }: Pick<ChirpEvent, "body">): readonly string[] =>
  Array.isArray(body["crossed"]) ? body["crossed"].filter((name) => typeof name === "string") : [];

/** Whether the event is the first alert on a value that crossed a threshold. */
export const isThresholdAlert = (event: Pick<ChirpEvent, "body">): boolean =>
  crossedOf(event).length > 0 && !isFollowUp(event);

/**
 * Returns which messages a sink or route wants after an alert on a threshold; undefined if none.
 */
export function levelOptionsOf({ repeatMs, sendResolved }: Shaping): LevelOptions | undefined {
  const isRepeated = repeatMs !== undefined && repeatMs !== false;
  if (!isRepeated && sendResolved !== true) return undefined;
  return {
    ...(isRepeated ? { repeatMs } : {}),
    ...(sendResolved === true ? { sendResolved } : {}),
  };
}

/** Whether an alert is a repeat or reports that a value is back to normal. */
export const isFollowUp = ({ body }: Pick<ChirpEvent, "body">): boolean =>
  body["repeat"] !== undefined || body["resolved"] !== undefined;

export type ThresholdState =
  /** Nothing more is sent after the alert. */
  | { readonly kind: "ended" }
  /** The numbers that are still beyond their thresholds. */
  | { readonly kind: "crossed"; readonly names: readonly string[] }
  | { readonly kind: "resolved"; readonly names: readonly string[] };

/**
 * Compares an open alert with the values that the detector remembers, either now or after the poll
 * that is being committed. If the threshold was edited or removed, the alert ends without a
 * message, because a reload sends no alerts.
 */
export function thresholdState({
  event,
  rules: first,
  memory,
}: Pick<OpenLevel, "event" | "rules" | "memory">): ThresholdState {
  if (memory === null || memory["gone"] === true) return { kind: "ended" };
  const now = (memory["thresholds"] ?? {}) as LevelRules;
  const rules =
    first ??
    Object.fromEntries(
      crossedOf(event).flatMap((name) => (now[name] === undefined ? [] : [[name, now[name]]])),
    );
  const names = Object.keys(rules).filter(
    (name) => rules[name] === now[name] && rules[name]?.startsWith("every") !== true,
  );
  if (names.length === 0) return { kind: "ended" };
  const across = (memory["across"] ?? []) as readonly string[];
  const holding = names.filter((name) => across.includes(name));
  return holding.length === 0 ? { kind: "resolved", names } : { kind: "crossed", names: holding };
}

export interface FollowUpMark {
  /**
   * The number of the repeat, counted from 1. Absent if the message reports that the values are
   * back to normal.
   */
  readonly repeat?: number;
  readonly names: readonly string[];
  /** When the values were measured. */
  readonly asOfMs: number;
  /** The sinks that get the message. Other sinks may be at a different repeat. */
  readonly sinks: readonly string[];
}

/**
 * Returns the event of a repeat, or of the message that the values are back: the first alert's
 * event with the values that the detector remembers. Its id is derived from the first alert's id.
 */
export function followUp(
  { event, memory }: Pick<OpenLevel, "event" | "memory">,
  mark: FollowUpMark,
  at: FollowUpDeps,
): ChirpEvent {
  const { repeat, names, asOfMs, sinks } = mark;
  const episode = `${event.id} ${repeat === undefined ? "resolved" : `repeat ${repeat}`} ${[...sinks].sort().join(" ")}`;
  const body = bodyNow(
    event.body,
    names,
    (memory?.["values"] ?? {}) as JsonObject,
    repeat === undefined,
  );
  return {
    ...event,
    id: eventId(at.hash, event.watchKey, { type: event.type, subject: event.subject, episode }),
    body: { ...body, ...(repeat === undefined ? { resolved: names } : { crossed: names, repeat }) },
    occurredAtMs: asOfMs,
    detectedAtMs: at.nowMs,
  };
}

export interface FollowUpDeps {
  readonly hash: Hash;
  readonly nowMs: number;
}

/**
 * Returns the body with the current values. For a value that is back to normal, `previous` holds
 * the values of the first alert.
 */
function bodyNow(
  body: EventBody,
  names: readonly string[],
  values: JsonObject,
  isBack: boolean,
): EventBody {
  const under = placeOf(body, names[0] ?? "");
  if (under === undefined) return body;
  const before = body[under] as JsonObject;
  const now = Object.fromEntries(
    names.flatMap((name): readonly (readonly [string, Json])[] =>
      values[name] === undefined ? [] : [[name, values[name]]],
    ),
  );
  return { ...body, [under]: { ...before, ...now }, ...(isBack ? { previous: before } : {}) };
}

/**
 * Returns the name of the body's field that holds the value. The accounts under `user` and `target`
 * may have a value of the same name, so they are tried last.
 */
function placeOf(body: EventBody, name: string): string | undefined {
  const places = Object.keys(body).filter((key) => {
    const value = body[key];
    return key !== "previous" && typeof value === "object" && value !== null && name in value;
  });
  return places.find((key) => key !== "user" && key !== "target") ?? places[0];
}
