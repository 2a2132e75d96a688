/**
 * Decides which silence holds an event back. Pure. Silences are stored in state/; their matchers
 * are compiled where they are loaded.
 */
import type { ChirpEvent } from "../model/event.ts";
import { matchesAll } from "./matcher.ts";
import type { Matcher } from "./route.ts";
import { isOpsAlert, namesEvent } from "./select-routes.ts";

export interface Silence {
  readonly id: string;
  readonly matchers: readonly Matcher[];
  /** When the silence ends, in epoch ms. At this moment the silence no longer holds. */
  readonly endsAtMs: number;
}

/** The fields of an event that a silence can match. */
export type Silenceable = Pick<ChirpEvent, "watchType" | "labels">;

/** Returns the first silence that holds now and matches; undefined if none does. */
export const findSilence = (
  silences: readonly Silence[],
  event: Silenceable,
  nowMs: number,
): Silence | undefined =>
  silences.find((silence) => nowMs < silence.endsAtMs && isSilenced(silence, event));

/**
 * Whether the matchers match. As with routes, the daemon's own events are matched only by silences
 * that name `event`.
 */
const isSilenced = ({ matchers }: Silence, event: Silenceable): boolean =>
  matchesAll(matchers, event.labels) && (!isOpsAlert(event) || matchers.some(namesEvent));
