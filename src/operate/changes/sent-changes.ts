/**
 * Reports which alerts an edited configuration causes by itself: those that `first_run` asks for,
 * and those that were missed while a watch was disabled. Pure.
 */
import { formatDuration } from "../../model/duration.ts";
import type { Watch } from "../../model/watch.ts";
import type { MemoryView } from "../../server/schema/change-view.ts";
import { missedText } from "../pause.ts";

/**
 * Returns which items a watch or a target with a new baseline sends. The result is empty if all of
 * them are recorded without an alert.
 */
export function firstRunSends({ firstRun, enabled }: Watch): Pick<MemoryView, "sends"> {
  if (!enabled || firstRun.kind === "baseline") return {};
  return firstRun.kind === "latest"
    ? { sends: `the latest ${firstRun.count} of each target (first_run)` }
    : { sends: `what is not older than ${formatDuration(firstRun.ageMs)} (first_run)` };
}

/** Returns which missed events a watch sends when it is enabled again. */
export const returnSends = ({ onReturn, enabled }: Watch): Pick<MemoryView, "sends"> =>
  !enabled || onReturn === "skip" ? {} : { sends: `${missedText(onReturn)} (on_return)` };

/**
 * Returns a text such as "brand: the latest 3 of each target (first_run)"; nothing for a change
 * that sends nothing.
 */
export const sendsText = ({ watch, part, sends }: MemoryView): readonly string[] =>
  sends === undefined ? [] : [`${watch}: ${part === "watch" ? "" : `${part}: `}${sends}`];
