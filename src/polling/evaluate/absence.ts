/**
 * Decides which facts came while a watch was away (paused, disabled or removed), and what
 * `on_return` makes of them.
 */
import type { RosterMode } from "../../detect/roster.ts";
import type { Absence, TargetState } from "../../model/watch-store.ts";
import type { OnReturn, Watch } from "../../model/watch.ts";
import type { MemberListObservation } from "../read/read-member-list.ts";
import type { EvaluatedEvent } from "./verdicts.ts";

/** How long a chat waits for the rest of what was missed before it gets the digest. */
const GATHER_MS = 60_000;
/** How many poll intervals a digest waits if the rest takes further polls. */
const POLLS_GATHERED = 3;
const MAX_GATHER_MS = 1_800_000;

/** Facts that came while the watch was away, and how they are delivered. */
export interface Missed {
  /** The end of the absence, on our clock. */
  readonly untilMs: number;
  readonly mode: OnReturn;
  /** Why the facts raise no alert, if `mode` is `skip`. */
  readonly detail: string;
}

export const absenceOf = ({ memory }: Pick<TargetState, "memory">): Absence | undefined =>
  memory["away"] as Absence | undefined;

/**
 * Returns undefined if the watch was never away. What was missed and is found only now is delivered
 * in the same way, however late it is found.
 */
export function missedBy(
  watch: Watch,
  target: Pick<TargetState, "memory">,
): (Missed & { readonly isDone: boolean }) | undefined {
  const absence = absenceOf(target);
  if (absence === undefined) return undefined;
  const isFromNow = absence.from_now === true;
  return {
    untilMs: absence.to_ms,
    mode: isFromNow ? "skip" : watch.onReturn,
    detail: `it came while the watch was away (${isFromNow ? "resumed from now" : "on_return: skip"})`,
    isDone: absence.done === true,
  };
}

/**
 * Returns the absence for facts of the first answer after it, which does not say when they came.
 */
export function missedOnce(watch: Watch, target: Pick<TargetState, "memory">): Missed | undefined {
  const missed = missedBy(watch, target);
  return missed?.isDone === false ? missed : undefined;
}

/** Returns the events about what was missed, changed as `on_return` says. */
export function withMissed(
  events: readonly EvaluatedEvent[],
  missed: Missed | undefined,
): readonly EvaluatedEvent[] {
  if (missed === undefined || missed.mode === "deliver") return events;
  return missed.mode === "skip" ? [] : events.map((event) => ({ ...event, isMissed: true }));
}

/** Whether what came meanwhile is not even read. */
export function isSkipping(watch: Watch, target: Pick<TargetState, "memory">): boolean {
  const missed = missedBy(watch, target);
  return missed !== undefined && !missed.isDone && missed.mode === "skip";
}

/**
 * Whether this step has read everything that was missed of a list. A window is read at once. New
 * members are complete once no gap is left and no running read of the whole list may still find
 * some out of order. Anything else needs a complete read. `isPartial` means that what such a read
 * finds is not new.
 */
export function isMemberListCaughtUp(
  absence: Absence,
  mode: RosterMode,
  seen: MemberListObservation,
  isPartial: boolean,
): boolean {
  const { error, step, memory, completedScanAtMs } = seen;
  if (error !== undefined) return false;
  if (mode === "whole") return (completedScanAtMs ?? Number.NEGATIVE_INFINITY) >= absence.to_ms;
  if (mode === "window" || completedScanAtMs !== undefined) return true;
  const isHeadWhole = step !== "rest" && memory.gaps === undefined && memory.downToMs === undefined;
  return isHeadWhole && (isPartial || memory.scan === undefined);
}

/** Returns the memory of a target for which everything that came meanwhile was read. */
export function withoutAbsence(memory: TargetState["memory"]): TargetState["memory"] {
  const absence = absenceOf({ memory });
  const { resume_ms: _, ...kept } = memory;
  return absence === undefined ? kept : { ...kept, away: { ...absence, done: true } };
}

/**
 * Returns how long a digest waits for more. `isWhole` means that the poll found everything that was
 * missed.
 */
export const gatherMs = (intervalMs: number, isWhole: boolean): number =>
  isWhole ? GATHER_MS : Math.max(GATHER_MS, Math.min(POLLS_GATHERED * intervalMs, MAX_GATHER_MS));
