/**
 * The wait that a sink asked for: how long nothing is sent to it, and its refusals in a row. Holds
 * state; model/asked-wait.ts decides how waits are bounded and grow.
 */
import {
  addRefusal,
  addWaitOfOther,
  MAX_SINK_WAIT_MS,
  type WaitRefusal,
  type RefusalRow,
  waitOfRow,
  withoutWait,
} from "../../model/asked-wait.ts";
import type { Clock } from "../../model/clock.ts";
import type { SinkError } from "../../model/sink.ts";

/**
 * The wait that the other side asked for, by the monotonic clock, so that setting the wall clock
 * does not change it. Forgotten at a restart.
 */
export interface SinkWaits {
  /** Refusals in a row; undefined once something was accepted. */
  row: RefusalRow | undefined;
  /** What the last refusal said. `hint` says what can be done about it. */
  reason: string;
  hint: string;
  /** Whether somebody ended the wait, so that one message tests whether the sink is back. */
  isTrial: boolean;
}

export const createSinkWaits = (): SinkWaits => ({
  row: undefined,
  reason: "",
  hint: "",
  isTrial: false,
});

interface Waiting {
  readonly waits: SinkWaits;
}

/** Records that the sink refused a message and asked to wait, with or without a length. */
export function keepWait(
  { waits }: Waiting,
  error: SinkError,
  times: Omit<WaitRefusal, "askedMs">,
): RefusalRow {
  const askedMs = typeof error.retry === "object" ? error.retry.afterMs : undefined;
  const row = addRefusal(waits.row, { askedMs, ...times }, MAX_SINK_WAIT_MS);
  Object.assign(waits, {
    row,
    reason: error.message,
    hint: error.hint,
    isTrial: false,
  } satisfies SinkWaits);
  return row;
}

/** Records the wait after another sink of its type hit a limit that they share. */
export function keepWaitOfOther({ waits }: Waiting, { untilMs }: RefusalRow): void {
  waits.row = addWaitOfOther(waits.row, untilMs);
}

/** Returns for how many milliseconds the other side still asks to wait. */
export const pauseMs = ({ waits }: Waiting, clock: Clock): number =>
  waitOfRow(waits.row, clock.monotonic());

/** Ends the wait that the other side asked for, so that one message is tried at once. */
export function endWait({ waits }: Waiting, clock: Clock): void {
  if (waits.row === undefined) return;
  waits.row = withoutWait(waits.row, clock.monotonic());
  waits.isTrial = true;
}

/** Forgets the wait, because something was accepted or another process delivers to the sink now. */
export function forgetWaits({ waits }: Waiting): void {
  waits.row = undefined;
  waits.isTrial = false;
}
