/**
 * Alerts on values that crossed a threshold: what is sent again while the value stays across, and
 * what is sent when it is back. Decides by what the detector remembers, so neither needs a poll of
 * its own. Pure.
 */
import type { ChirpEvent, EventBody } from "../model/event.ts";
import { eventId } from "../model/event.ts";
import type { Hash } from "../model/hash.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { LevelRules, LevelOptions, OpenLevel } from "../model/level.ts";
import type { Shaping } from "./route.ts";

/**
 * Numbers that crossed a threshold; empty for every other event. Milestones are sorted out later:
 * their thresholds begin with `every`.
 */
const crossedOf = ({ body }: Pick<ChirpEvent, "body">): readonly string[] =>
  Array.isArray(body["crossed"]) ? body["crossed"].filter((name) => typeof name === "string") : [];

/** Whether it is the first alert on a value that crossed a threshold. */
export const isLevel = (event: Pick<ChirpEvent, "body">): boolean =>
  crossedOf(event).length > 0 && !isFollowUp(event);

/** Undefined where a sink or a route wants nothing of such alerts. */
export function levelOptionsOf({ repeatMs, sendResolved }: Shaping): LevelOptions | undefined {
  const isRepeated = repeatMs !== undefined && repeatMs !== false;
  if (!isRepeated && sendResolved !== true) return undefined;
  return {
    ...(isRepeated ? { repeatMs } : {}),
    ...(sendResolved === true ? { sendResolved } : {}),
  };
}

/** An alert that was repeated, or that says that a value is back. */
export const isFollowUp = ({ body }: Pick<ChirpEvent, "body">): boolean =>
  body["repeat"] !== undefined || body["resolved"] !== undefined;

export type LevelState =
  /** There is nothing to wait for any more. */
  | { readonly kind: "over" }
  /** Names of the numbers that are still across. */
  | { readonly kind: "across"; readonly names: readonly string[] }
  | { readonly kind: "back"; readonly names: readonly string[] };

/**
 * Compares an open alert with what the detector remembers, now or after the poll that is being
 * committed. An alert whose threshold was edited or removed ends without a message, because a
 * reload sends no alert.
 */
export function levelState({
  event,
  rules: first,
  memory,
}: Pick<OpenLevel, "event" | "rules" | "memory">): LevelState {
  if (memory === null || memory["gone"] === true) return { kind: "over" };
  const now = (memory["thresholds"] ?? {}) as LevelRules;
  const rules =
    first ??
    Object.fromEntries(
      crossedOf(event).flatMap((name) => (now[name] === undefined ? [] : [[name, now[name]]])),
    );
  const names = Object.keys(rules).filter(
    (name) => rules[name] === now[name] && rules[name]?.startsWith("every") !== true,
  );
  if (names.length === 0) return { kind: "over" };
  const across = (memory["across"] ?? []) as readonly string[];
  const holding = names.filter((name) => across.includes(name));
  return holding.length === 0 ? { kind: "back", names } : { kind: "across", names: holding };
}

export interface FollowUpMark {
  /** Which repeat it is, of the numbers that are still across; absent: the numbers are back. */
  readonly repeat?: number;
  readonly names: readonly string[];
  /** When the values were so. */
  readonly asOfMs: number;
  /** The sinks that get it: others may be at another repeat. */
  readonly sinks: readonly string[];
}

/**
 * The same fact once more, with the values that are remembered. Its id follows from the first
 * alert's.
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
 * With the values as they are now; what they were is, of one that is back, what they were at the
 * alert.
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

/** Where the body has the value. An account that it is about may have one of the same name. */
function placeOf(body: EventBody, name: string): string | undefined {
  const places = Object.keys(body).filter((key) => {
    const value = body[key];
    return key !== "previous" && typeof value === "object" && value !== null && name in value;
  });
  return places.find((key) => key !== "user" && key !== "target") ?? places[0];
}
