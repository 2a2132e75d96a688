/**
 * The texts about pausing and resuming a watch: since when it was away, and what happens to what it
 * missed.
 */
import type { Config } from "../config/config.ts";
import { DEFAULTS } from "../config/defaults.ts";
import { isoTime } from "../model/clock.ts";
import { formatDuration } from "../model/duration.ts";
import type { PausedBefore } from "../model/watch-store.ts";
import type { OnReturn } from "../model/watch.ts";
import type { PauseView } from "../server/contract/actions.ts";

/**
 * What becomes of what came while a watch was away; the default of one that the configuration has
 * no more.
 */
export const onReturnOf = ({ watches }: Pick<Config, "watches">, watchId: string): OnReturn =>
  watches.find(({ id }) => id === watchId)?.onReturn ?? DEFAULTS.watch.on_return;

/** Says what happens to what came while a watch was away. */
export const missedText = (onReturn: OnReturn): string => `what was missed ${MISSED[onReturn]}`;

const MISSED: Readonly<Record<OnReturn, string>> = {
  digest: "is sent as one digest to chat sinks and as single events to others",
  deliver: "is delivered alert by alert",
  skip: "raises no alert",
};

/** Returns a text such as "brand-mentions: back after 3d, what was missed raises no alert". */
export const returnText = (watch: string, awayMs: number, onReturn: OnReturn): string =>
  `${watch}: back after ${formatDuration(awayMs)}, ${missedText(onReturn)}`;

/** Returns the view of a change to `paused`. */
export function pauseView(
  watch: string,
  paused: boolean,
  before: PausedBefore,
  onReturn: OnReturn,
): PauseView {
  const { wasPaused, awaySinceMs } = before;
  const since = awaySinceMs === null ? null : isoTime(awaySinceMs);
  return { watch, paused, was_paused: wasPaused, away_since: since, on_return: onReturn };
}

/**
 * Returns a text such as "brand-mentions is resumed; what was missed since 2026-03-06T13:38:49Z
 * raises no alert".
 */
export function pauseText({
  watch,
  paused,
  was_paused: wasPaused,
  away_since: since,
  on_return: onReturn,
}: PauseView): string {
  if (paused) return `${watch} is paused`;
  if (!wasPaused || since === null) return `${watch} is resumed`;
  return `${watch} is resumed; what was missed since ${since.slice(0, 19)}Z ${MISSED[onReturn]}`;
}
