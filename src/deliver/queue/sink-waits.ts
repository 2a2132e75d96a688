/**
 * Stores that a sink asked to wait: until when nothing is sent to it, and how many refusals there
 * were in a row. model/asked-wait.ts decides how long the waits are.
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
 * The wait that a sink asked for. It is measured by the monotonic clock, so that setting the wall
 * clock does not change it, and is forgotten at a restart.
 */
export interface SinkWaits {
  /** The refusals in a row; undefined after the sink has accepted a message. */
  row: RefusalRow | undefined;
  /** The text of the last refusal. `hint` says what the operator can do about it. */
  reason: string;
  hint: string;
  /**
   * Whether an operator ended the wait, so that one message tests whether the sink accepts messages
   * again.
   */
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

/**
 * Records that the sink refused a message and asked to wait. If it did not say for how long,
 * `addRefusal` chooses the length.
 */
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

/** Records the wait of another sink of the same type, which hit a limit that both share. */
export function keepWaitOfOther({ waits }: Waiting, { untilMs }: RefusalRow): void {
  waits.row = addWaitOfOther(waits.row, untilMs);
}

/** Returns for how many milliseconds the sink still asks to wait; 0 if it does not. */
export const pauseMs = ({ waits }: Waiting, clock: Clock): number =>
  waitOfRow(waits.row, clock.monotonic());

/** Ends the wait that the sink asked for, so that one message is tried now. */
export function endWait({ waits }: Waiting, clock: Clock): void {
  if (waits.row === undefined) return;
  waits.row = withoutWait(waits.row, clock.monotonic());
  waits.isTrial = true;
}

/**
 * Forgets the wait. Called when the sink has accepted something, or when another process delivers
 * to it from now on.
 */
export function forgetWaits({ waits }: Waiting): void {
  waits.row = undefined;
  waits.isTrial = false;
}
