/**
 * The texts about a watch that is paused or resumed: since when it was not polled, and what happens
 * to the events that it missed.
 */
import type { Config } from "../config/config.ts";
import { DEFAULTS } from "../config/defaults.ts";
import { isoTime } from "../model/clock.ts";
import { formatDuration } from "../model/duration.ts";
import type { PausedBefore } from "../model/watch-store.ts";
import type { OnReturn } from "../model/watch.ts";
import type { PauseView } from "../server/schema/change-view.ts";

/**
 * Returns `on_return` of a watch: what happens to events that it missed while it was paused,
 * disabled or removed. A watch that the configuration no longer has gets the default.
 */
export const onReturnOf = ({ watches }: Pick<Config, "watches">, watchId: string): OnReturn =>
  watches.find(({ id }) => id === watchId)?.onReturn ?? DEFAULTS.watch.on_return;

/**
 * Returns a text that says what happens to the events that a watch missed while it was paused,
 * disabled or removed.
 */
export const missedText = (onReturn: OnReturn): string => `what was missed ${MISSED[onReturn]}`;

const MISSED: Readonly<Record<OnReturn, string>> = {
  digest: "is sent as one digest to chat sinks and as single events to others",
  deliver: "is delivered alert by alert",
  skip: "raises no alert",
};

/** Returns a text such as "brand-mentions: back after 3d, what was missed raises no alert". */
export const returnText = (watch: string, awayMs: number, onReturn: OnReturn): string =>
  `${watch}: back after ${formatDuration(awayMs)}, ${missedText(onReturn)}`;

/** Returns the answer to a request that pauses or resumes a watch. */
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
