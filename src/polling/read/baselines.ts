/** Decides whether a poll sets a baseline. */
import type { TargetState } from "../../model/watch-store.ts";
import type { Poll } from "../watch-poll.ts";

/**
 * Whether a list has its baseline. A baseline belongs to the list from which it was taken: a watch
 * that now reads another list must not report everyone on it.
 */
export const isMemberListBaselined = (
  { baselineAtMs, memory }: Pick<TargetState, "baselineAtMs" | "memory">,
  list: string,
): boolean =>
  baselineAtMs !== null && (memory["baseline_of"] === undefined || memory["baseline_of"] === list);

/**
 * Whether one of the poll's targets still needs its baseline. A target for values counts only until
 * its first answer, even if that did not have its record.
 */
export const isFirstRead = ({ detector, source }: Poll, targets: readonly TargetState[]): boolean =>
  targets.some((target) => {
    if (detector === "roster") return !isMemberListBaselined(target, source.endpoint);
    return target.baselineAtMs === null && (detector === "feed" || target.status === "pending");
  });
