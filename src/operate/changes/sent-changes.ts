/**
 * What an edited configuration would have sent by itself: what a first run wants, and what is made
 * up for. Pure.
 */
import { formatDuration } from "../../model/duration.ts";
import type { Watch } from "../../model/watch.ts";
import type { MemoryView } from "../../server/contract/actions.ts";
import { missedText } from "../pause.ts";

/**
 * Of a watch, or of targets, whose memory begins anew; nothing where all that is there is recorded
 * silently.
 */
export function firstRunSends({ firstRun, enabled }: Watch): Pick<MemoryView, "sends"> {
  if (!enabled || firstRun.kind === "baseline") return {};
  return firstRun.kind === "latest"
    ? { sends: `the latest ${firstRun.count} of each target (first_run)` }
    : { sends: `what is not older than ${formatDuration(firstRun.ageMs)} (first_run)` };
}

/** Of a watch that is enabled again. */
export const returnSends = ({ onReturn, enabled }: Watch): Pick<MemoryView, "sends"> =>
  !enabled || onReturn === "skip" ? {} : { sends: `${missedText(onReturn)} (on_return)` };

/** "brand: the latest 3 of each target (first_run)"; nothing for a change that sends nothing. */
export const sendsText = ({ watch, part, sends }: MemoryView): readonly string[] =>
  sends === undefined ? [] : [`${watch}: ${part === "watch" ? "" : `${part}: `}${sends}`];
