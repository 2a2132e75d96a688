/**
 * What a sink asked to wait: how long nothing is sent to it, and the row of its refusals. Holds
 * state; how waits are bounded and grow is model/asked-wait.ts's.
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
 * What the other side asks to wait, by the monotonic clock: a wall clock that is set changes
 * nothing of it. Forgotten at a restart.
 */
export interface SinkWaits {
  /** Refusals in a row; undefined once something was accepted. */
  row: RefusalRow | undefined;
  /** What the last of them said, and what can be done about it. */
  reason: string;
  hint: string;
  /** Somebody ended the wait: one message tries whether the sink is back. */
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

/** The sink refused a message with a wait, or with none. */
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

/** Another sink of its type was refused, by a limit of all of them. */
export function keepWaitOfOther({ waits }: Waiting, { untilMs }: RefusalRow): void {
  waits.row = addWaitOfOther(waits.row, untilMs);
}

/** For how long the other side still wants silence. */
export const pauseMs = ({ waits }: Waiting, clock: Clock): number =>
  waitOfRow(waits.row, clock.monotonic());

/** Ends the wait that the other side asked for: one message is tried at once. */
export function endWait({ waits }: Waiting, clock: Clock): void {
  if (waits.row === undefined) return;
  waits.row = withoutWait(waits.row, clock.monotonic());
  waits.isTrial = true;
}

/** Something was accepted, or others deliver to it now. */
export function forgetWaits({ waits }: Waiting): void {
  waits.row = undefined;
  waits.isTrial = false;
}
