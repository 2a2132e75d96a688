/**
 * Decides which facts happened during an absence of a watch, which is a time when it was paused,
 * disabled or removed, and applies its `on_return` to them.
 */
import type { RosterMode } from "../../detect/roster.ts";
import type { Absence, TargetState } from "../../model/watch-store.ts";
import type { OnReturn, Watch } from "../../model/watch.ts";
import type { MemberListObservation } from "../read/read-member-list.ts";
import type { EvaluatedEvent } from "./verdicts.ts";

/** The minimum time that a digest of missed facts waits for more of them. */
const GATHER_MS = 60_000;
/**
 * How many poll intervals the digest waits if further polls are needed to find all missed facts.
 */
const POLLS_GATHERED = 3;
const MAX_GATHER_MS = 1_800_000;

/** How facts from an absence of the watch are delivered. */
export interface Missed {
  /** The end of the absence, on our clock. */
  readonly untilMs: number;
  readonly mode: OnReturn;
  /** Why the facts raise no alert, if `mode` is `skip`. */
  readonly detail: string;
  /**
   * Whether an operator resumed the watch so that it skips what it missed. `on_return` does not
   * apply then.
   */
  readonly isFromNow: boolean;
}

export const absenceOf = ({ memory }: Pick<TargetState, "memory">): Absence | undefined =>
  memory["away"] as Absence | undefined;

/**
 * Returns how facts from the last absence of the watch are delivered, however late they are found.
 * `isDone` means that the whole absence has been read. Undefined if the watch was never absent.
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
    isFromNow,
    detail: `it came while the watch was away (${isFromNow ? "resumed from now" : "on_return: skip"})`,
    isDone: absence.done === true,
  };
}

/**
 * Returns the same as `missedBy`, but undefined once the whole absence has been read. It is for
 * facts without a time of their own, which count as missed until then.
 */
export function missedOnce(watch: Watch, target: Pick<TargetState, "memory">): Missed | undefined {
  const missed = missedBy(watch, target);
  return missed?.isDone === false ? missed : undefined;
}

/**
 * Applies `on_return` to events from an absence. `skip` drops them, `digest` marks them for the
 * digest, and `deliver` leaves them as they are.
 */
export function withMissed(
  events: readonly EvaluatedEvent[],
  missed: Missed | undefined,
): readonly EvaluatedEvent[] {
  if (missed === undefined || missed.mode === "deliver") return events;
  return missed.mode === "skip" ? [] : events.map((event) => ({ ...event, isMissed: true }));
}

/** Whether the time of an absence need not be read at all, because its facts are skipped. */
export function isSkipping(watch: Watch, target: Pick<TargetState, "memory">): boolean {
  const missed = missedBy(watch, target);
  return missed !== undefined && !missed.isDone && missed.mode === "skip";
}

/**
 * Whether this step completes the read of what an absence missed of a member list. A window is read
 * completely in one step. A list that is read from its newest member is complete once no gap is
 * left and no running read of the whole list may still find new members out of order. Any other
 * list needs a complete read. `isPartial` means that members that only such a read finds are not
 * new.
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

/** Returns the memory of a target after the whole absence has been read. */
export function withoutAbsence(memory: TargetState["memory"]): TargetState["memory"] {
  const absence = absenceOf({ memory });
  const { resume_ms: _, ...kept } = memory;
  return absence === undefined ? kept : { ...kept, away: { ...absence, done: true } };
}

/**
 * Returns how long a digest of missed facts waits for more of them, in ms. `isWhole` means that the
 * poll found everything that was missed.
 */
export const gatherMs = (intervalMs: number, isWhole: boolean): number =>
  isWhole ? GATHER_MS : Math.max(GATHER_MS, Math.min(POLLS_GATHERED * intervalMs, MAX_GATHER_MS));
