/**
 * Decides when a sink's edits may be sent. All kinds of edits of a sink share this pace: one edit
 * at a time, only while no message is being sent, and not while the vendor asks to wait. Vendors
 * limit edits separately from messages.
 */
import type { Clock } from "../model/clock.ts";
import type { Json } from "../model/json.ts";
import type { Sink, SinkError } from "../model/sink.ts";
import { isAskedToWait } from "./outcome/classify.ts";
import type { SinkQueue } from "./queue/sink-queue.ts";
import { createSinkWaits, forgetWaits, keepWait, pauseMs } from "./queue/sink-waits.ts";

/**
 * The time between two edits in ms. It allows fewer than one edit per second, which is what vendors
 * allow per channel, so that messages are not delayed.
 */
const SPACING_MS = 1_200;
/**
 * The waits after the first, second and third failure in ms; an answer that asks to wait counts as
 * a failure. After the last wait and another failure, the edit is dropped.
 */
export const EDIT_RETRY_MS = [60_000, 300_000, 900_000] as const;

export interface EditPace {
  /**
   * Returns in how many milliseconds an edit may be sent: 0 for now, undefined if the next check is
   * needed only after a message was sent.
   */
  waitMs(): number | undefined;
  /** Called when an edit begins to be sent. */
  begin(): void;
  accepted(): void;
  /** Called when an edit has failed. `sentAtMs` is a time of the monotonic clock. */
  failed(error: SinkError, sentAtMs: number): void;
}

export function createEditPace(queue: SinkQueue, clock: Clock): EditPace {
  const own = { waits: createSinkWaits() };
  let pausedUntilMs = 0;
  return {
    waitMs() {
      if (queue.health.breaker === "open" || queue.inHand > 0) return undefined;
      const spacing = pausedUntilMs - clock.monotonic();
      return Math.max(0, pauseMs(queue, clock), pauseMs(own, clock), spacing);
    },
    begin: () => void (pausedUntilMs = clock.monotonic() + SPACING_MS),
    accepted: () => forgetWaits(own),
    failed(error, sentAtMs) {
      if (isAskedToWait(error)) keepWait(own, error, { sentAtMs, nowMs: clock.monotonic() });
    },
  };
}

/**
 * Returns a body with the line below it, if the sink can show such a line; otherwise the same body.
 */
export const withFooter = ({ footer }: Pick<Sink, "footer">, body: Json, line: string): Json =>
  footer === undefined || line === "" ? body : footer.add(body, line);
