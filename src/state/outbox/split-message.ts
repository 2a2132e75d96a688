/**
 * Replaces an open message that is too large for its receiver by several messages: all of them or
 * none.
 */
import type { MessageMembers, MessagePart, MessageSplit } from "../../model/outbox.ts";
import type { MessagesTable } from "../db/outbox-tables.ts";
import { OPEN } from "../db/literals.ts";
import { wantFootersIn } from "../messages/wanted-footers.ts";
import { scopeOfSink } from "../db/scopes.ts";
import { type Executor, listStatement, statement, transact } from "../db/statement.ts";
import { lastPeriodOf } from "./digest-period.ts";
import { readGroups } from "./read-groups.ts";
import { addFailedAttempt } from "./failed-attempts.ts";
import { bodyText, insertMessages } from "./seal.ts";
import { keepTaken } from "./taken.ts";

const deliveriesOf = statement<{ id: string }>()((on, slot) =>
  on
    .selectFrom("deliveries")
    .select(["id", "sink", "group_key", "state"])
    .where("message_id", "=", slot("id"))
    .where("message_id", "is not", null)
    .orderBy("id"),
);

export async function membersOfMessage(db: Executor, messageId: string): Promise<MessageMembers> {
  const { rows } = await deliveriesOf(db, { id: messageId });
  const [sink, groupKey] = [rows[0]?.sink ?? "", rows[0]?.group_key ?? ""];
  const idsOf = (state: "sealed" | "summarised") =>
    rows.flatMap((row) => (row.state === state ? [Number(row.id)] : []));
  const groups = (["sealed", "summarised"] as const).map((state) => ({
    sink,
    groupKey,
    members: idsOf(state),
  }));
  const [listed, summarised] = await readGroups(db, groups);
  const period = await lastPeriodOf(db, sink, groupKey);
  return {
    listed: listed?.members ?? [],
    summarised: summarised?.members ?? [],
    period,
  };
}

const openMessage = statement<{ id: string }>()((on, slot) =>
  on.selectFrom("messages").selectAll().where("id", "=", slot("id")).where("state", "=", OPEN),
);

/** Moves the later messages of the group back in the order, to make room for the further parts. */
const moveBack = statement<{ sink: string; groupKey: string; seq: number; by: number }>()(
  (on, slot) =>
    on
      .updateTable("messages")
      .set((eb) => ({ seq: eb("seq", "+", slot("by")) }))
      .where("state", "=", OPEN)
      .where("sink", "=", slot("sink"))
      .where("group_key", "=", slot("groupKey"))
      .where("seq", ">", slot("seq")),
);

const moveMembers = listStatement<{ from: string; to: string }, number>()((on, list, slot) =>
  on
    .updateTable("deliveries")
    .set({ message_id: slot("to") })
    .where("id", "in", list)
    .where("message_id", "=", slot("from")),
);

interface Move {
  readonly from: string;
  readonly to: string;
}

/**
 * Moves everything else that refers to the message to the first part: deliveries that are only
 * counted, messages below it, its thread, mentions and attempts.
 */
const moves = [
  statement<Move>()((on, slot) =>
    on
      .updateTable("deliveries")
      .set({ message_id: slot("to") })
      .where("message_id", "=", slot("from")),
  ),
  statement<Move>()((on, slot) =>
    on
      .updateTable("messages")
      .set({ parent_id: slot("to") })
      .where("parent_id", "=", slot("from")),
  ),
  statement<Move>()((on, slot) =>
    on
      .updateTable("threads")
      .set({ message_id: slot("to") })
      .where("message_id", "=", slot("from")),
  ),
  statement<Move>()((on, slot) =>
    on
      .updateTable("mentions")
      .set({ message_id: slot("to") })
      .where("message_id", "=", slot("from")),
  ),
  statement<Move>()((on, slot) =>
    on
      .updateTable("attempts")
      .set({ message_id: slot("to") })
      .where("message_id", "=", slot("from")),
  ),
] as const;

const remove = statement<{ id: string }>()((on, slot) =>
  on.deleteFrom("messages").where("id", "=", slot("id")),
);

/**
 * Splits a message. Does nothing if it is no longer open, because the answer to a successful COMMIT
 * may have been lost.
 */
export function splitMessage(
  db: Executor,
  { messageId, parts, atMs, error }: MessageSplit,
): Promise<void> {
  const find = async (on: Executor) => (await openMessage(on, { id: messageId })).rows[0];
  const work = async (on: Executor) => {
    const whole = await find(on);
    const [first] = parts;
    if (whole === undefined || first === undefined) return;
    await moveBack(on, {
      sink: whole.sink,
      groupKey: whole.group_key,
      seq: Number(whole.seq),
      by: parts.length - 1,
    });
    await insertMessages(
      on,
      parts.map((part, index) => rowOf(whole, part, { index, firstId: first.id })),
    );
    // A receiver that has the whole message needs none of its parts.
    if (typeof whole.taken === "string")
      await keepTaken(
        on,
        parts.map(({ id }) => id),
        { taken: whole.taken },
      );
    for (const { id, deliveryIds } of parts)
      await moveMembers(on, deliveryIds.map(Number), { from: messageId, to: id });
    for (const move of moves) await move(on, { from: messageId, to: first.id });
    await remove(on, { id: messageId });
    await wantFootersIn(
      on,
      parts.map(({ id }) => id),
      atMs,
    );
    for (const { id } of parts) await addFailedAttempt(on, { messageId: id, atMs, error });
  };
  return transact(db, work, async (on) =>
    [await find(on)].flatMap((row) => (row === undefined ? [] : [scopeOfSink(row.sink)])),
  );
}

/**
 * Returns the row of a part. Attempts begin again for each part. Only the first part counts against
 * the throttle. The further parts are posted under the first one; if the whole message has a
 * parent, all parts are posted under that parent.
 */
const rowOf = (
  whole: Omit<MessagesTable, "channel" | "taken">,
  { id, body }: MessagePart,
  { index, firstId }: { readonly index: number; readonly firstId: string },
): MessagesTable => ({
  ...whole,
  id,
  seq: Number(whole.seq) + index,
  body: bodyText(body),
  throttle_key: index === 0 ? whole.throttle_key : null,
  parent_id: whole.parent_id ?? (index === 0 ? null : firstId),
  attempts: 0,
  first_attempt_at: null,
  next_attempt_at: Number(whole.sealed_at),
  error: "",
  footer: whole.footer === null ? null : "",
});
