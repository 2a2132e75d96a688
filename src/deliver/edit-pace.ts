/**
 * The pace of a sink's edits, which all its editors share: after its messages, one edit at a time,
 * and not while the vendor asks to wait. Edits have rate limits of their own.
 */
import type { Clock } from "../model/clock.ts";
import type { Json } from "../model/json.ts";
import type { Sink, SinkError } from "../model/sink.ts";
import { isAskedToWait } from "./outcome/classify.ts";
import type { SinkQueue } from "./queue/sink-queue.ts";
import { createSinkWaits, forgetWaits, keepWait, pauseMs } from "./queue/sink-waits.ts";

/**
 * Fewer than one edit a second, which the vendors allow per channel, so that messages find room.
 */
const SPACING_MS = 1_200;
/**
 * The waits after each failure, including requests to wait. After the last one the edit is dropped.
 */
export const EDIT_RETRY_MS = [60_000, 300_000, 900_000] as const;

export interface EditPace {
  /**
   * Returns in how many milliseconds an edit may be sent: 0 for now, undefined to wait until a
   * message was sent.
   */
  waitMs(): number | undefined;
  /** Called when an edit is sent. */
  begin(): void;
  accepted(): void;
  /** `sentAtMs` is a time of the monotonic clock. */
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

/** Returns a body with the line below it, if the sink shows one. */
export const withFooter = ({ footer }: Pick<Sink, "footer">, body: Json, line: string): Json =>
  footer === undefined || line === "" ? body : footer.add(body, line);
