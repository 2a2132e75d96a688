/** Whether a poll sets a baseline: that of a list belongs to that very list. */
import type { TargetState } from "../../model/watch-store.ts";
import type { Poll } from "../watch-poll.ts";

/**
 * A baseline is one of the list it was taken of: a watch that reads another list now must not
 * report everyone on it.
 */
export const isMemberListBaselined = (
  { baselineAtMs, memory }: Pick<TargetState, "baselineAtMs" | "memory">,
  list: string,
): boolean =>
  baselineAtMs !== null && (memory["baseline_of"] === undefined || memory["baseline_of"] === list);

/**
 * Whether a poll sets the baseline of one of its targets. A value that was asked for and not found
 * is none to wait for.
 */
export const isFirstRead = ({ detector, source }: Poll, targets: readonly TargetState[]): boolean =>
  targets.some((target) => {
    if (detector === "roster") return !isMemberListBaselined(target, source.endpoint);
    return target.baselineAtMs === null && (detector === "feed" || target.status === "pending");
  });
