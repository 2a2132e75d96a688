/** Records the results of attempts to send messages. */
import type { DeliveryResult } from "../../model/outbox.ts";
import type { MissedReceiver } from "../../model/sink.ts";
import { scopeOfSink } from "../db/scopes.ts";
import {
  type Executor,
  insertRows,
  listStatement,
  statementForEach,
  transact,
} from "../db/statement.ts";
import type { CrosspostsTable, MessagesTable } from "../db/outbox-tables.ts";
import { beginAnew, passThreadOn } from "../messages/threads.ts";
import { OPEN } from "../db/literals.ts";
import { toText } from "../db/json-text.ts";
import { addFailedAttempt, isRecorded } from "./failed-attempts.ts";
import { beginEscalations } from "./begin-escalations.ts";
import { joinDuplicates } from "./joined-dead.ts";

interface Outcome {
  readonly id: string;
  readonly state: MessagesTable["state"];
  /** Null if no attempt was made because the message was given up behind an open breaker. */
  readonly attemptAt: number | null;
  readonly step: number;
  readonly nextAttemptAt: number;
  readonly doneAt: number | null;
  readonly ref: string | null;
  readonly channel: string | null;
  readonly error: string;
  readonly cause: string;
  /** The new value for `taken`, as JSON; null if the stored value stays. */
  readonly taken: string | null;
}

const writeAll = statementForEach<Outcome>()((on, slot) =>
  on
    .updateTable("messages")
    .set((eb) => ({
      state: slot("state"),
      attempts: eb("attempts", "+", slot("step")),
      first_attempt_at: eb.fn.coalesce("first_attempt_at", eb.val(slot("attemptAt"))),
      next_attempt_at: slot("nextAttemptAt"),
      done_at: slot("doneAt"),
      ref: slot("ref"),
      channel: slot("channel"),
      error: slot("error"),
      cause: slot("cause"),
      taken: eb.fn.coalesce(eb.val(slot("taken")), "taken"),
      held_by: null,
    }))
    .where("id", "=", slot("id"))
    .where("state", "=", OPEN)
    .returning(["id", "sink"]),
);

/**
 * Adds crossposts. A message that was sent twice, because the first answer got lost, gets only one
 * crosspost.
 */
const addCrossposts = insertRows(
  "crossposts",
  [
    "message_id",
    "sink",
    "ref",
    "state",
    "attempts",
    "created_at",
    "next_attempt_at",
    "done_at",
    "reported_at",
    "error",
  ],
  (insert) => insert.onConflict((conflict) => conflict.column("message_id").doNothing()),
);

const sinksOf = listStatement<object, string>()((on, list) =>
  on.selectFrom("messages").select("sink").distinct().where("id", "in", list),
);

/**
 * Records all results in one transaction. A message that is already done is not changed. Alerts of
 * the sinks in `escalating` begin to count for their escalation.
 */
export function record(
  db: Executor,
  results: readonly DeliveryResult[],
  escalating?: ReadonlySet<string>,
): Promise<void> {
  const work = async (on: Executor) => {
    const unrecorded: DeliveryResult[] = [];
    for (const result of results)
      if (result.kind !== "retry" || !(await isRecorded(on, result))) unrecorded.push(result);
    const written = new Map(
      (await writeAll(on, unrecorded.map(outcomeOf))).rows.map(({ id, sink }) => [id, sink]),
    );
    const dead = unrecorded.flatMap(({ kind, messageId }) =>
      kind === "dead" && written.has(messageId) ? [messageId] : [],
    );
    await joinDuplicates(on, dead);
    for (const result of unrecorded) {
      const sink = written.get(result.messageId);
      if (result.kind === "dead") await passThreadOn(on, result.messageId);
      if (result.kind === "sent" && result.missingThread !== undefined)
        await beginAnew(on, result.messageId, result.missingThread);
      if (result.kind !== "sent" && sink !== undefined && wasAttempted(result))
        await addFailedAttempt(on, result);
      if (result.kind === "sent" && sink !== undefined && result.crosspost === true)
        await addCrossposts(on, [crosspostOf(result, sink)]);
    }
    if (escalating !== undefined)
      await beginEscalations(
        on,
        unrecorded.filter(({ messageId }) => escalating.has(written.get(messageId) ?? "")),
      );
  };
  const ids = results.map(({ messageId }) => messageId);
  return transact(db, work, async (on) =>
    (await sinksOf(on, ids, {})).rows.map(({ sink }) => scopeOfSink(sink)),
  );
}

/**
 * Whether an attempt was made. A message that expires behind an open breaker is given up without
 * one.
 */
const wasAttempted = (result: DeliveryResult): boolean =>
  result.kind === "retry" || (result.kind === "dead" && result.countAttempt);

const crosspostOf = (
  { messageId, atMs, ref }: DeliveryResult & { kind: "sent" },
  sink: string,
): CrosspostsTable => ({
  message_id: messageId,
  sink,
  ref: ref ?? "",
  state: "waiting",
  attempts: 0,
  created_at: atMs,
  next_attempt_at: atMs,
  done_at: null,
  reported_at: null,
  error: "",
});

function outcomeOf(result: DeliveryResult): Outcome {
  const { messageId: id, atMs } = result;
  if (result.kind === "sent") {
    const { ref = null, channel = null, missed, taken } = result;
    return {
      id,
      state: "sent",
      attemptAt: atMs,
      step: 1,
      nextAttemptAt: atMs,
      doneAt: atMs,
      ref,
      channel,
      error: missed === undefined ? "" : lackOf(missed),
      cause: "",
      taken: taken === undefined ? null : toText(taken),
    };
  }
  const isDead = result.kind === "dead";
  return {
    id,
    state: isDead ? "dead" : "open",
    attemptAt: isDead && !result.countAttempt ? null : atMs,
    step: result.countAttempt ? 1 : 0,
    nextAttemptAt: isDead ? atMs : result.nextAttemptAtMs,
    doneAt: isDead ? atMs : null,
    ref: null,
    channel: null,
    error: result.error,
    cause: isDead ? result.cause : "",
    taken: isDead || result.taken === undefined ? null : toText(result.taken),
  };
}

const lackOf = (missed: readonly MissedReceiver[]): string =>
  missed.length === 0
    ? ""
    : `not taken by ${missed.map((one) => `${one.receiver}: ${one.error}`).join("; ")}`;
