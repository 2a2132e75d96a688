/** Turns waiting deliveries into messages: id, members and body are committed before the first attempt. */
import type { NewMessage } from "../model/outbox.ts";
import { StoreError } from "../model/store-error.ts";
import { refreshGroup } from "./group-timers.ts";
import { toText } from "./json-text.ts";
import { type Executor, insertRows, listStatement, transact } from "./statement.ts";
import type { MessagesTable } from "./tables.ts";
import { WAITING } from "./literals.ts";

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
] as const;

const insertMessages = insertRows("messages", COLUMNS, (insert) => insert);

const markSealed = listStatement<{ messageId: string }, number>()((on, list, slot) =>
  on
    .updateTable("deliveries")
    .set({ state: "sealed", message_id: slot("messageId") })
    .where("id", "in", list)
    .where("state", "=", WAITING)
    .returning(["grouped", "group_key"]),
);

/** @throws StoreError when a delivery is not waiting any more: nothing is sealed twice. */
export function seal(db: Executor, messages: readonly NewMessage[]): Promise<void> {
  return transact(db, async (on) => {
    await insertMessages(on, messages.map(messageRow));
    for (const message of messages) {
      const { rows } = await markSealed(on, message.deliveryIds.map(Number), { messageId: message.id });
      if (rows.length !== message.deliveryIds.length) {
        throw new StoreError("STORE_WRITE_FAILED", `Message ${message.id} names deliveries that do not wait any more.`, { retry: "no" });
      }
      // A digest gathers several groups: each of them was served now.
      const groups = new Set(rows.filter((row) => row.grouped === 1).map((row) => row.group_key));
      for (const groupKey of groups) await refreshGroup(on, message.sink, groupKey, message.sealedAtMs);
    }
  });
}

const messageRow = (message: NewMessage): MessagesTable => ({
  id: message.id,
  seq: message.deliveryIds.reduce((least, id) => Math.min(least, Number(id)), Number.MAX_SAFE_INTEGER),
  sink: message.sink,
  group_key: message.groupKey,
  throttle_key: message.throttleKey,
  body: toText(message.body),
  sealed_at: message.sealedAtMs,
  state: "open",
  attempts: 0,
  first_attempt_at: null,
  next_attempt_at: message.sealedAtMs,
  done_at: null,
  ref: null,
  error: "",
});
