/** What an attempt means: for the message, and for the way to its sink. Pure but for the jitter. */
import type { Random } from "../model/random.ts";
import type { DeliveryResult } from "../model/outbox.ts";
import { nextAttemptAt } from "./ladder.ts";
import type { Attempt } from "./send.ts";

export interface Judgement {
  readonly result: DeliveryResult;
  /** Consequence for the sink: taken, nobody there, silence asked for, or an ordinary failure. */
  readonly way: "taken" | "destination" | "transient" | "refused" | { readonly pauseMs: number };
}

export function judge(attempt: Exclude<Attempt, { kind: "cut" }>, random: Random): Judgement {
  const { message, lane } = attempt.parcel;
  const about = { messageId: message.id, atMs: attempt.atMs };
  if (attempt.kind === "taken") {
    const ref = attempt.receipt.ref;
    return { result: { ...about, kind: "sent", ...(ref === undefined ? {} : { ref }) }, way: "taken" };
  }
  const error = attempt.error.message;
  if (attempt.error.kind === "message") return { result: { ...about, kind: "dead", error }, way: "refused" };
  const pauseMs = typeof attempt.error.retry === "object" ? attempt.error.retry.afterMs : undefined;
  const isDestination = attempt.error.kind === "destination";
  const dueAtMs = nextAttemptAt(
    {
      nowMs: attempt.atMs,
      failures: message.attempts + 1,
      firstAttemptAtMs: message.firstAttemptAtMs ?? attempt.atMs,
      retryForMs: lane.retryForMs,
      ...(isDestination ? { retryAfterMs: 0 } : pauseMs === undefined ? {} : { retryAfterMs: pauseMs }),
    },
    random,
  );
  const way = isDestination ? "destination" : pauseMs === undefined ? "transient" : { pauseMs };
  if (dueAtMs === undefined) return { result: { ...about, kind: "dead", error: `given up after retry_for: ${error}` }, way };
  // Behind an open breaker it keeps its place in the queue: first in order when the destination is back.
  const nextAttemptAtMs = isDestination ? message.sealedAtMs : dueAtMs;
  return { result: { ...about, kind: "retry", nextAttemptAtMs, error, countAttempt: way === "transient" }, way };
}
