/** What an attempt means for its message. Pure but for the jitter. */
import { WAITS_GROW_FROM } from "../../model/asked-wait.ts";
import type { Random } from "../../model/random.ts";
import type { DeliveryResult, SinkHealth } from "../../model/outbox.ts";
import type { DeadCause } from "../../model/dead-letters.ts";
import { receiversOf, type SinkError } from "../../model/sink.ts";
import { nextAttemptAt } from "./retry-schedule.ts";
import { isUnsent, type Attempt } from "../stages/send.ts";

/**
 * `breaker`: as it stands after this attempt. While it is open its pauses count, and the message
 * uses up no step of its own schedule. So it is while the sink asks to wait, until it has refused
 * too often in a row.
 */
export function classifyAttempt(
  attempt: Exclude<Attempt, { kind: "cut" | "held" }>,
  breaker: SinkHealth["breaker"],
  random: Random,
): DeliveryResult {
  const { message, queue } = attempt.claimed;
  const about = { messageId: message.id, atMs: attempt.atMs };
  if (attempt.kind === "taken") {
    const { holdMs: _, ...receipt } = attempt.receipt;
    return { ...about, kind: "sent", ...receipt };
  }
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
  // Behind an open breaker or a wait it keeps its place in the queue: first in order when the sink
  // is back, and due at a restart.
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

/** The sink wants silence, for as long as it says or without a word. */
export const isAskedToWait = ({ kind, retry }: SinkError): boolean =>
  kind === "rate_limited" || typeof retry === "object";

/**
 * The sink's own code, where it has finer ones than HTTP: what is refused for the same reason is
 * one cause.
 */
function refusalOf(error: SinkError): DeadCause {
  if (isUnsent(error)) return "unrendered";
  const { refusal } = error.fields;
  return `refused ${typeof refusal === "string" ? refusal : (error.status ?? "content")}`;
}
