/**
 * Moves one claimed message through the stages pace, send and record, and applies the result to the
 * sink's pause, breaker and rate limit. Has no loop and no timer.
 */
import type { Clock } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { Log } from "../model/log.ts";
import type { Meter } from "../model/meter.ts";
import type { DeliveryResult } from "../model/outbox.ts";
import type { Random } from "../model/random.ts";
import { isTooLarge, type MissedReceiver, receiversOf } from "../model/sink.ts";
import type { AttemptLog } from "./logs/attempt-log.ts";
import type { Breaker } from "./outcome/breaker.ts";
import type { DeliveryDelays } from "./logs/delays.ts";
import { classifyAttempt, isAskedToWait } from "./outcome/classify.ts";
import { rejectWaiting, type ClaimedMessage, type SinkQueue } from "./queue/sink-queue.ts";
import { keepWait, keepWaitOfOther } from "./queue/sink-waits.ts";
import type { MessageLog } from "./logs/message-log.ts";
import type { Halve } from "./stages/halve.ts";
import type { Mutes } from "./stages/mute.ts";
import { freeAttempt } from "./stages/pace.ts";
import { release } from "./stages/seal.ts";
import { isUnsent, type Attempt } from "./stages/send.ts";
import type { Stage } from "./stages/stage.ts";

export interface DispatchDeps {
  readonly queues: readonly SinkQueue[];
  readonly pace: Stage<ClaimedMessage, boolean>;
  readonly send: Stage<ClaimedMessage, Attempt>;
  readonly record: Stage<DeliveryResult, void>;
  readonly mutes: Pick<Mutes, "hold">;
  readonly breaker: Breaker;
  readonly delays: DeliveryDelays;
  readonly attemptLog: AttemptLog;
  readonly messageLog: MessageLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
  readonly halve: Halve;
  giveUpExpired(queue: SinkQueue): Promise<void>;
  /** Called after the store has recorded that messages were given up. */
  onDead(): void;
  /** Called after the store has recorded that some receivers of a message will never get it. */
  onPart(sink: string, missed: readonly MissedReceiver[]): void | Promise<void>;
}

type Ended = Exclude<Attempt, { kind: "aborted" | "held" }>;
type Failed = Ended & { readonly kind: "failed" };

/**
 * How long the sink pauses after the parts of a split message could not be stored. Without a pause
 * the whole message would be sent and refused again.
 */
const STORE_RETRY_MS = 5_000;

/**
 * Creates the function that dispatches a message. The function resolves when the message's result
 * is durable, or when the message was returned to the outbox unsent. It never rejects.
 */
export function createDispatcher(deps: DispatchDeps): (claimed: ClaimedMessage) => Promise<void> {
  const { queues, pace, send, record, breaker, delays } = deps;

  const dispatch = async (claimed: ClaimedMessage): Promise<void> => {
    if (await pace.run(claimed)) {
      const attempt = await send.run(claimed);
      if (attempt.kind === "aborted" || attempt.kind === "held") freeAttempt(claimed);
      else if (
        !(
          attempt.kind === "failed" &&
          isTooLarge(attempt.error) &&
          (await isHalved(claimed, attempt))
        )
      )
        await finish(claimed, attempt);
      if (attempt.kind === "held")
        await deps.mutes.hold({ ...attempt.hold, messageId: claimed.message.id });
    }
    release(claimed);
  };
  /**
   * Splits a message that was refused as too large. The parts replace the message in the queue. If
   * they cannot be stored, the message stays in the queue and is tried again later. Returns false
   * if the message cannot be split.
   */
  const isHalved = async (claimed: ClaimedMessage, refusal: Failed): Promise<boolean> => {
    const { queue, message } = claimed;
    queue.sizes.refused(message.body);
    try {
      if (!(await deps.halve(claimed, refusal))) return false;
    } catch (error) {
      deps.log.error("a message that is too large could not be halved", {
        sink: queue.name,
        error: errorText(error),
      });
      queue.pace.holdUntil(deps.clock.monotonic() + STORE_RETRY_MS);
    }
    deps.meter.count("chirpwatch_sink_errors_total", {
      sink: queue.name,
      class: refusal.error.kind,
    });
    freeAttempt(claimed);
    await breaker.recordSuccess(queue);
    return true;
  };
  const finish = async (claimed: ClaimedMessage, attempt: Ended) => {
    const { queue } = claimed;
    if (attempt.kind === "failed")
      deps.meter.count("chirpwatch_sink_errors_total", {
        sink: queue.name,
        class: attempt.error.kind,
      });
    // The pause starts here, before the next message can begin an attempt. While a breaker is open,
    // messages keep their place in the queue.
    if (attempt.kind === "failed" && isAskedToWait(attempt.error))
      pauseFor(queues, queue, attempt, deps.clock.monotonic());
    const stored = attempt.kind === "failed" ? recordFailure(breaker, claimed, attempt) : undefined;
    const result = classifyAttempt(attempt, queue.health.breaker, deps.random);
    if (attempt.kind === "accepted") queue.sizes.accepted(claimed.message.body);
    if (attempt.kind === "accepted" && attempt.receipt.holdMs !== undefined)
      queue.pace.holdUntil(deps.clock.monotonic() + attempt.receipt.holdMs);
    freeAttempt(claimed);
    if (attempt.kind === "failed") report(claimed, attempt, result);
    await record.run(result);
    await stored;
    delays.settled(claimed, result);
    if (result.kind === "dead") deps.onDead();
    if (result.kind === "sent" && result.missed !== undefined)
      await deps.onPart(queue.name, result.missed);
    deps.messageLog.settled(claimed, result);
    if (hasAnswered(attempt)) await breaker.recordSuccess(queue);
    await deps.giveUpExpired(queue).catch(onNotGivenUp(queue));
  };
  const onNotGivenUp = (queue: SinkQueue) => (error: unknown) =>
    deps.log.error("messages past retry_for could not be given up", { sink: queue.name, error });
  const report = (
    { queue, message }: ClaimedMessage,
    { error }: Failed,
    { kind }: DeliveryResult,
  ) => {
    const what = kind === "dead" ? "dead" : error.kind === "rate_limited" ? "limited" : "retried";
    deps.attemptLog.failed(queue.name, what, { messageId: message.id, error: error.message });
  };

  return dispatch;
}

function recordFailure(
  breaker: Breaker,
  claimed: ClaimedMessage,
  attempt: Failed,
): Promise<void> | undefined {
  if (isOfSink(attempt)) return breaker.recordFailure(claimed, attempt.error);
  return attempt.error.kind === "rate_limited"
    ? breaker.recordWait(claimed.queue, attempt.error)
    : undefined;
}

/**
 * Pauses the sink after a refusal. A limit that the vendor applies globally pauses every sink of
 * the same type.
 */
function pauseFor(
  queues: readonly SinkQueue[],
  queue: SinkQueue,
  { error, sentAtMs }: Failed,
  nowMs: number,
): void {
  const row = keepWait(queue, error, { sentAtMs, nowMs });
  rejectWaiting(queue);
  if (error.fields["global"] !== true) return;
  for (const other of queues.filter((one) => one !== queue && one.type === queue.type)) {
    keepWaitOfOther(other, row);
    rejectWaiting(other);
  }
}

/** Whether the failure concerns the sink, so that any other message would have failed too. */
const isOfSink = (attempt: Failed): boolean =>
  attempt.error.kind === "destination" || (attempt.error.kind === "transient" && !isPart(attempt));

/** Whether some of the message's receivers got the message. */
const isPart = (attempt: Failed): boolean => receiversOf(attempt.error).length > 0;

/**
 * Whether the attempt shows that the sink works: it accepted the message, some of its receivers
 * did, or it refused the message because of its content.
 */
const hasAnswered = (attempt: Ended): boolean =>
  attempt.kind === "accepted" ||
  isPart(attempt) ||
  (attempt.error.kind === "message" && !isUnsent(attempt.error));
