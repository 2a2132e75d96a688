/** What an attempt means for its message. Pure but for the jitter. */
import type { Random } from "../../model/random.ts";
import type { DeliveryResult, SinkHealth } from "../../model/outbox.ts";
import type { DeadCause } from "../../model/dead-letters.ts";
import type { SinkError } from "../../model/sink.ts";
import { nextAttemptAt } from "./retry-schedule.ts";
import { isUnsent, type Attempt } from "../stages/send.ts";

export interface Classified {
  readonly result: DeliveryResult;
  /** The sink asked for silence. */
  readonly pauseMs?: number;
}

/** `breaker`: as it stands after this attempt. While it is open its pauses count, and the message uses up no step of its own schedule. */
export function classifyAttempt(attempt: Exclude<Attempt, { kind: "cut" }>, breaker: SinkHealth["breaker"], random: Random): Classified {
  const { message, queue } = attempt.claimed;
  const about = { messageId: message.id, atMs: attempt.atMs };
  if (attempt.kind === "taken") {
    const { holdMs: _, ...receipt } = attempt.receipt;
    return { result: { ...about, kind: "sent", ...receipt } };
  }
  const error = attempt.error.message;
  if (attempt.error.kind === "message")
    return { result: { ...about, kind: "dead", error, cause: refusalOf(attempt.error), countAttempt: true } };
  const pauseMs = typeof attempt.error.retry === "object" ? attempt.error.retry.afterMs : undefined;
  const pause = pauseMs === undefined ? {} : { pauseMs };
  const dueAtMs = nextAttemptAt(
    {
      nowMs: attempt.atMs,
      failures: message.attempts + 1,
      firstAttemptAtMs: message.firstAttemptAtMs ?? attempt.atMs,
      retryForMs: queue.retryForMs,
      ...(pauseMs === undefined ? {} : { retryAfterMs: pauseMs }),
    },
    random,
  );
  if (dueAtMs === undefined) return { result: { ...about, kind: "dead", error, cause: "expired", countAttempt: true }, ...pause };
  // Behind an open breaker it keeps its place in the queue: first in order when the sink is back.
  const isBehindBreaker = breaker === "open" && attempt.error.kind !== "rate_limited";
  const nextAttemptAtMs = isBehindBreaker ? message.sealedAtMs : dueAtMs;
  const countAttempt = !isBehindBreaker && pauseMs === undefined;
  return { result: { ...about, kind: "retry", nextAttemptAtMs, error, countAttempt }, ...pause };
}

/** The sink's own code, where it has finer ones than HTTP: what is refused for the same reason is one cause. */
function refusalOf(error: SinkError): DeadCause {
  if (isUnsent(error)) return "unrendered";
  const { refusal } = error.fields;
  return `refused ${typeof refusal === "string" ? refusal : (error.status ?? "content")}`;
}
