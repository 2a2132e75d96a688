/**
 * Which silence holds an event back. Pure; silences are kept in state/, and what has matchers is
 * compiled by whoever loads them.
 */
import type { ChirpEvent } from "../model/event.ts";
import { matchesAll } from "./matcher.ts";
import type { Matcher } from "./route.ts";
import { isOpsAlert, namesEvent } from "./select-routes.ts";

export interface Silence {
  readonly id: string;
  readonly matchers: readonly Matcher[];
  /** It holds until then, this moment excluded. */
  readonly endsAtMs: number;
}

/** What a silence sees of an event. */
export type Silenceable = Pick<ChirpEvent, "watchType" | "labels">;

/** The first of those that hold now and match; undefined when none does. */
export const findSilence = (
  silences: readonly Silence[],
  event: Silenceable,
  nowMs: number,
): Silence | undefined =>
  silences.find((silence) => nowMs < silence.endsAtMs && isSilenced(silence, event));

/**
 * The daemon's own events are matched only by silences that ask for `event` by name, as with
 * routes.
 */
const isSilenced = ({ matchers }: Silence, event: Silenceable): boolean =>
  matchesAll(matchers, event.labels) && (!isOpsAlert(event) || matchers.some(namesEvent));
