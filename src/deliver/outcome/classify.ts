/**
 * Decides what happens to a message after an attempt: it is sent, retried, or given up. Pure except
 * for the jitter.
 */
import { WAITS_GROW_FROM } from "../../model/asked-wait.ts";
import type { Random } from "../../model/random.ts";
import type { DeliveryResult, SinkHealth } from "../../model/outbox.ts";
import type { DeadCause } from "../../model/dead-letters.ts";
import { receiversOf, type SinkError } from "../../model/sink.ts";
import { nextAttemptAt } from "./retry-schedule.ts";
import { isUnsent, type Attempt } from "../stages/send.ts";

/**
 * Returns the result to record for an attempt. `breaker` is the state of the sink's breaker after
 * the attempt. While the breaker is open, its pauses apply, and the attempt uses no step of the
 * message's retry schedule. The same is true while the sink asks to wait, unless it has asked many
 * times in a row.
 */
export function classifyAttempt(
  attempt: Exclude<Attempt, { kind: "aborted" | "held" }>,
  breaker: SinkHealth["breaker"],
  random: Random,
): DeliveryResult {
  const { message, queue } = attempt.claimed;
  const about = { messageId: message.id, atMs: attempt.atMs };
  if (attempt.kind === "accepted") return { ...attempt.receipt, ...about, kind: "sent" };
  const error = attempt.error.message;
  if (attempt.error.kind === "message")
    return { ...about, kind: "dead", error, cause: refusalOf(attempt.error), countAttempt: true };
  const dueAtMs = nextAttemptAt(
    {
      nowMs: attempt.atMs,
      failures: message.attempts + 1,
      firstAttemptAtMs: message.firstAttemptAtMs ?? attempt.atMs,
      retryForMs: queue.retryForMs,
    },
    random,
  );
  if (dueAtMs === undefined)
    return { ...about, kind: "dead", error, cause: "expired", countAttempt: true };
  // While the breaker is open or the sink asks to wait, the message keeps its place in the queue.
  // So it is sent first when the sink works again, and is due after a restart.
  const asksToWait = isAskedToWait(attempt.error);
  const nextAttemptAtMs = breaker === "open" || asksToWait ? message.sealedAtMs : dueAtMs;
  const countAttempt =
    breaker === "closed" && (!asksToWait || (queue.waits.row?.count ?? 0) >= WAITS_GROW_FROM);
  const taken = receiversOf(attempt.error);
  return {
    ...about,
    kind: "retry",
    nextAttemptAtMs,
    error,
    countAttempt,
    ...(taken.length > 0 && { taken }),
  };
}

/** Whether the sink asked for a pause, with or without a length. */
export const isAskedToWait = ({ kind, retry }: SinkError): boolean =>
  kind === "rate_limited" || typeof retry === "object";

/**
 * Returns the cause of a refusal. Uses the sink's own error code if it is more specific than the
 * HTTP status, so that refusals for the same reason have one cause.
 */
function refusalOf(error: SinkError): DeadCause {
  if (isUnsent(error)) return "unrendered";
  const { refusal } = error.fields;
  return `refused ${typeof refusal === "string" ? refusal : (error.status ?? "content")}`;
}
