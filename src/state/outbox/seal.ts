/**
 * Turns waiting deliveries into messages: id, members and body are committed before the first
 * attempt. Seals all messages of a call or none.
 */
import { sql, type SqlBool } from "kysely";
import { JsonText } from "../../model/json.ts";
import type { NewMessage } from "../../model/outbox.ts";
import type { MessageBody } from "../../model/sink.ts";
import { StoreError } from "../../model/store-error.ts";
import { isMarked, wantFootersIn } from "../messages/wanted-footers.ts";
import { recordMentions } from "../messages/mentions.ts";
import { MEMBERS_AT_ONCE } from "./due-work.ts";
import { savePeriod } from "./digest-period.ts";
import { putOffLateMembers, refreshGroup } from "./group-timers.ts";
import { DELIVERED_ALREADY, NAMED_WITH_ANOTHER } from "./joined-dead.ts";
import { placeInThreads } from "../messages/threads.ts";
import { keepTaken } from "./taken.ts";
import { toText } from "../db/json-text.ts";
import { scopeOfSink } from "../db/scopes.ts";
import {
  type Executor,
  insertRows,
  type Listed,
  listStatement,
  listStatementForEach,
  transact,
} from "../db/statement.ts";
import type { DeliveriesTable, MessagesTable } from "../db/outbox-tables.ts";
import { MERGED, WAITING } from "../db/literals.ts";

const COLUMNS = [
  "id",
  "seq",
  "sink",
  "group_key",
  "throttle_key",
  "body",
  "sealed_at",
  "state",
  "attempts",
  "first_attempt_at",
  "next_attempt_at",
  "done_at",
  "ref",
  "error",
  "parent_id",
  "cause",
  "reported_at",
  "acknowledged_at",
  "sealed_for",
  "held_by",
  "footer",
] as const;

export const insertMessages = insertRows("messages", COLUMNS, (insert) => insert);

interface Mark {
  readonly messageId: string;
  readonly state: DeliveriesTable["state"];
  readonly template: string | null;
  readonly error: string | null;
}

const markAll = listStatementForEach<Mark, number>()((on, list, slot) =>
  on
    .updateTable("deliveries")
    .set({
      state: slot("state"),
      message_id: slot("messageId"),
      worded_by: slot("template"),
      wording_error: slot("error"),
    })
    .where("id", "in", list)
    .where("state", "=", WAITING)
    .returning(["message_id", "grouped", "event_id", "group_key", "original_group_key"])
    .returning((eb) => [
      isMarked(eb).as("is_marked"),
      eb
        .selectFrom("deliveries as j")
        .select((own) => own.fn.countAll<number>().as("count"))
        .whereRef("j.joined_id", "=", "deliveries.id")
        .where("j.joined_id", "is not", null)
        .where("j.follows_id", "is", null)
        .where("j.state", "=", MERGED)
        .as("joined"),
    ]),
);

const joinedTo = listStatement<object, number>()((on, list) =>
  on
    .selectFrom("deliveries")
    .select("id")
    .where("joined_id", "in", list)
    .where("joined_id", "is not", null)
    .where("follows_id", "is", null)
    .where("state", "=", MERGED),
);

const makeDuplicates = listStatement<object, number>()((on, list) =>
  on
    .updateTable("deliveries")
    .set((eb) => ({
      state: "duplicate",
      detail: eb.fn<string>("replace", [
        "detail",
        sql.lit(NAMED_WITH_ANOTHER),
        sql.lit(DELIVERED_ALREADY),
      ]),
    }))
    .where("id", "in", list),
);

/**
 * Makes duplicates of alerts that joined those of a message while it was rendered. The body does not
 * name their watches, so they count as if they had come after the message was sealed.
 */
async function leaveOutLate(
  on: Executor,
  { deliveryIds, summarisedIds = [], joinedIds = [] }: NewMessage,
): Promise<void> {
  const named = new Set(joinedIds);
  const { rows } = await joinedTo(on, [...deliveryIds, ...summarisedIds].map(Number), {});
  const late = rows.flatMap(({ id }) => (named.has(String(id)) ? [] : [Number(id)]));
  await makeDuplicates(on, late, {});
}

/** Seals messages. @throws StoreError if a delivery no longer waits, so nothing is sealed twice */
export function seal(db: Executor, messages: readonly NewMessage[]): Promise<void> {
  const work = async (on: Executor) => {
    await insertMessages(on, inOrder(await placeInThreads(on, messages)));
    for (const { id, taken } of messages)
      if (taken !== undefined) await keepTaken(on, [id], { taken: toText(taken) });
    await wantFootersIn(on, await markMembers(on, messages), messages[0]?.sealedAtMs ?? 0);
    await recordMentions(on, messages);
    for (const { sink, digest } of messages)
      if (digest !== undefined) await savePeriod(on, sink, digest.name, digest.period);
  };
  return transact(
    db,
    work,
    messages.map(({ sink }) => scopeOfSink(sink)),
  );
}

/** Returns the messages with an alert that somebody acknowledged or released. */
async function markMembers(
  on: Executor,
  messages: readonly NewMessage[],
): Promise<readonly string[]> {
  const marked = new Map<string, MarkedRow[]>(messages.map(({ id }) => [id, []]));
  for (const row of (await markAll(on, messages.flatMap(marksOf))).rows)
    marked.get(row.message_id ?? "")?.push(row);
  for (const message of messages) {
    const { id, deliveryIds, summarisedIds = [] } = message;
    const rows = marked.get(id) ?? [];
    if (rows.length !== deliveryIds.length + summarisedIds.length)
      throw new StoreError(
        "STORE_WRITE_FAILED",
        `Message ${id} names deliveries that do not wait any more.`,
        { retry: "no" },
      );
    const joined = rows.reduce((sum, row) => sum + Number(row.joined), 0);
    if (joined > (message.joinedIds?.length ?? joined)) await leaveOutLate(on, message);
    await refreshGroups(on, message, rows);
  }
  const withMark = ([id, rows]: readonly [string, readonly MarkedRow[]]) =>
    rows.some((row) => row.is_marked) ? [id] : [];
  return [...marked].flatMap(withMark);
}

/** Groups the deliveries of a message by template and error, because most of them have the same. */
function marksOf({
  id: messageId,
  deliveryIds,
  summarisedIds = [],
  worded = [],
}: NewMessage): readonly Listed<Mark, number>[] {
  const unworded = { messageId, template: null, error: null };
  const summarised: Listed<Mark, number> = {
    items: summarisedIds.map(Number),
    args: { ...unworded, state: "summarised" },
  };
  if (worded.length === 0)
    return [{ items: deliveryIds.map(Number), args: { ...unworded, state: "sealed" } }, summarised];
  const wordedIds = new Set(worded.flatMap((one) => one.deliveryIds));
  const lists = new Map<string, { readonly items: number[]; readonly args: Mark }>();
  for (const { deliveryIds: ids, template, error = null } of worded) {
    const key = `${template}\n${error}`;
    const list = lists.get(key) ?? {
      items: [],
      args: { messageId, state: "sealed", template, error },
    };
    list.items.push(...ids.map(Number));
    lists.set(key, list);
  }
  return [
    {
      items: deliveryIds.filter((one) => !wordedIds.has(one)).map(Number),
      args: { ...unworded, state: "sealed" },
    },
    ...lists.values(),
    summarised,
  ];
}

type MarkedRow = Pick<
  DeliveriesTable,
  "grouped" | "event_id" | "group_key" | "original_group_key"
> & { readonly is_marked: SqlBool; readonly joined: number | null };

async function refreshGroups(
  on: Executor,
  { sink, groupKey: own, sealedAtMs }: NewMessage,
  rows: readonly MarkedRow[],
): Promise<void> {
  const grouped = rows.filter((row) => row.grouped === 1);
  if (grouped.length === 0) return;
  // A digest contains deliveries of several groups, and all these groups have had a message now.
  // Deliveries that were gathered for a digest and then sent alone form no digest.
  const served = new Set([own, ...grouped.flatMap(ownGroup)]);
  // If a group is too large for one message, the rest of it is sent without a further wait.
  const isWhole = rows.length < MEMBERS_AT_ONCE;
  for (const groupKey of new Set(grouped.flatMap((row) => [row.group_key, ...ownGroup(row)]))) {
    if (served.has(groupKey) && isWhole) await putOffLateMembers(on, sink, groupKey, sealedAtMs);
    await refreshGroup(on, sink, groupKey, served.has(groupKey) ? sealedAtMs : null);
  }
}

/**
 * Returns the group in which the delivery was created; none if the event is sent alone, because
 * then there is no timer.
 */
function ownGroup(row: {
  readonly event_id: string;
  readonly group_key: string;
  readonly original_group_key: string | null;
}): string[] {
  if (row.original_group_key === null) return [row.group_key];
  return row.original_group_key === row.event_id ? [] : [row.original_group_key];
}

/**
 * Gives the messages of a group consecutive positions in the given order, beginning at the position
 * of the group's oldest member.
 */
function inOrder(messages: readonly NewMessage[]): readonly MessagesTable[] {
  const next = new Map<string, number>();
  for (const { sink, groupKey, deliveryIds, summarisedIds = [] } of messages) {
    const group = `${sink}\n${groupKey}`;
    const oldest = [...deliveryIds, ...summarisedIds].reduce(
      (least, id) => Math.min(least, Number(id)),
      Number.MAX_SAFE_INTEGER,
    );
    next.set(group, Math.min(next.get(group) ?? Number.MAX_SAFE_INTEGER, oldest));
  }
  return messages.map((message) => {
    const group = `${message.sink}\n${message.groupKey}`;
    const seq = next.get(group) ?? 0;
    next.set(group, seq + 1);
    return messageRow(message, seq);
  });
}

export const bodyText = (body: MessageBody): string =>
  body instanceof JsonText ? body.text : toText(body);

export const messageRow = (message: NewMessage, seq: number): MessagesTable => ({
  id: message.id,
  seq,
  sink: message.sink,
  group_key: message.groupKey,
  throttle_key: message.throttleKey,
  body: bodyText(message.body),
  sealed_at: message.sealedAtMs,
  state: "open",
  attempts: 0,
  first_attempt_at: null,
  next_attempt_at: message.sealedAtMs,
  done_at: null,
  ref: null,
  error: "",
  parent_id: message.parentId ?? null,
  cause: "",
  reported_at: null,
  acknowledged_at: null,
  sealed_for: message.sealedFor ?? null,
  held_by: null,
  footer: message.footer ?? null,
});
