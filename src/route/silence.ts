/**
 * Decides which silence or snooze holds an event back at a sink. Pure. Both are stored in state/;
 * their matchers are compiled where they are loaded.
 */
import { digestGroup } from "../model/digest.ts";
import type { ChirpEvent } from "../model/event.ts";
import type { SilenceKind } from "../model/silence.ts";
import { snoozeName } from "../model/snooze.ts";
import type { Hold } from "../model/waits.ts";
import { matchesAll } from "./matcher.ts";
import type { Matcher } from "./route.ts";
import { isOpsAlert, namesEvent } from "./select-routes.ts";

export interface Silence {
  readonly id: string;
  readonly kind: SilenceKind;
  readonly matchers: readonly Matcher[];
  /** The sinks at which it holds; every sink if the list is empty. */
  readonly sinks: readonly string[];
  /** When the silence ends, in epoch ms. At this moment the silence no longer holds. */
  readonly endsAtMs: number;
}

/** The fields of an event that a silence can match. */
export type Silenceable = Pick<ChirpEvent, "watchType" | "labels">;

/** The sink for which silences are looked up. */
export interface SilencedPlace {
  readonly sink: string;
  readonly nowMs: number;
}

/** Returns the first silence that holds at the sink now and matches; undefined if none does. */
export const findSilence = (
  silences: readonly Silence[],
  event: Silenceable,
  place: SilencedPlace,
): Silence | undefined =>
  silences.find((one) => one.kind === "silence" && holdsAt(one, place) && isSilenced(one, event));

/**
 * Returns the snooze that holds the event back at the sink now; undefined if none does. Of several,
 * it is the one that ends last.
 */
export const findSnooze = (
  silences: readonly Silence[],
  event: Silenceable,
  place: SilencedPlace,
): Silence | undefined =>
  silences
    .filter((one) => one.kind === "snooze" && holdsAt(one, place) && isSilenced(one, event))
    .sort((a, b) => b.endsAtMs - a.endsAtMs)[0];

/** Whether a snooze holds something back at the sink now. */
export const hasSnooze = (silences: readonly Silence[], place: SilencedPlace): boolean =>
  silences.some((one) => one.kind === "snooze" && holdsAt(one, place));

const holdsAt = ({ endsAtMs, sinks }: Silence, { sink, nowMs }: SilencedPlace): boolean =>
  nowMs < endsAtMs && (sinks.length === 0 || sinks.includes(sink));

/**
 * Whether the matchers match. As with routes, the daemon's own events are matched only by silences
 * that name `event`.
 */
export const isSilenced = ({ matchers }: Pick<Silence, "matchers">, event: Silenceable): boolean =>
  matchesAll(matchers, event.labels) && (!isOpsAlert(event) || matchers.some(namesEvent));

/** Where a delivery waits, as a snooze finds or leaves it. */
export interface SnoozedPlace {
  readonly groupKey: string;
  readonly notBeforeMs: number;
  readonly heldBy?: string;
}

/**
 * Returns where a snoozed delivery waits: in the digest of its snooze, until that ends. If a mute
 * holds the delivery for longer, it waits in the digest until the mute ends.
 */
export function snoozedPlace(
  { id, endsAtMs }: Silence,
  { notBeforeMs, heldBy }: Pick<SnoozedPlace, "notBeforeMs" | "heldBy">,
): SnoozedPlace {
  const groupKey = digestGroup("snooze", id);
  return heldBy !== undefined && notBeforeMs > endsAtMs
    ? { groupKey: `${groupKey}\n${notBeforeMs}`, notBeforeMs, heldBy }
    : { groupKey, notBeforeMs: endsAtMs, heldBy: snoozeName(id) };
}

/** Returns how long a snooze holds something back. */
export const snoozeHold = ({ id, endsAtMs }: Silence): Hold => ({
  untilMs: endsAtMs,
  heldBy: snoozeName(id),
});
