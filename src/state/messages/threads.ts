/**
 * Stores which message a thread begins with while the thread's window is open. The thread is chosen
 * when a message is sealed, so that a restart changes nothing.
 */
import type { NewMessage } from "../../model/outbox.ts";
import { DEAD, OPEN } from "../db/literals.ts";
import { type Executor, insertRows, statement } from "../db/statement.ts";

const find = statement<{ sink: string; threadKey: string; now: number }>()((on, slot) =>
  on
    .selectFrom("threads as t")
    .innerJoin("messages as m", "m.id", "t.message_id")
    .select("m.id")
    .where("t.sink", "=", slot("sink"))
    .where("t.thread_key", "=", slot("threadKey"))
    .where("t.ends_at", ">", slot("now"))
    .where("m.state", "!=", DEAD),
);

const begin = insertRows("threads", ["sink", "thread_key", "message_id", "ends_at"], (insert) =>
  insert.onConflict((conflict) =>
    conflict.columns(["sink", "thread_key"]).doUpdateSet((eb) => ({
      message_id: eb.ref("excluded.message_id"),
      ends_at: eb.ref("excluded.ends_at"),
    })),
  ),
);

/**
 * Returns the messages, each placed under the first message of its thread. If a thread has no
 * message yet, the message begins it. A message with a parent, such as a further part of a long
 * list, goes to the same thread as the parent.
 */
export async function placeInThreads(
  on: Executor,
  messages: readonly NewMessage[],
): Promise<readonly NewMessage[]> {
  if (messages.every(({ thread }) => thread === undefined)) return messages;
  const begun = new Map<string, string>();
  const parents = new Map<string, string>();
  const placed: NewMessage[] = [];
  for (const message of messages) {
    const own =
      message.parentId === undefined
        ? await threadOf(on, message, begun)
        : (parents.get(message.parentId) ?? message.parentId);
    if (own !== undefined) parents.set(message.id, own);
    placed.push(own === undefined ? message : { ...message, parentId: own });
  }
  return placed;
}

/**
 * Returns the id of the message that a message's thread begins with; undefined if the message is in
 * no thread or begins one. `begun` contains the threads that earlier messages of the same call
 * begin.
 */
async function threadOf(
  on: Executor,
  { id, sink, sealedAtMs, thread }: NewMessage,
  begun: Map<string, string>,
): Promise<string | undefined> {
  if (thread === undefined) return undefined;
  const key = `${sink}\n${thread.key}`;
  const first =
    begun.get(key) ??
    (await find(on, { sink, threadKey: thread.key, now: sealedAtMs })).rows[0]?.id;
  if (first !== undefined) return first;
  begun.set(key, id);
  await begin(on, [
    { sink, thread_key: thread.key, message_id: id, ends_at: sealedAtMs + thread.windowMs },
  ]);
  return undefined;
}

const move = statement<{ from: string; to: string }>()((on, slot) =>
  on
    .updateTable("threads")
    .set({ message_id: slot("to") })
    .where("message_id", "=", slot("from")),
);
const follow = statement<{ from: string; to: string }>()((on, slot) =>
  on
    .updateTable("messages")
    .set({ parent_id: slot("to") })
    .where("parent_id", "=", slot("from"))
    .where("state", "=", OPEN),
);
const standAlone = statement<{ to: string }>()((on, slot) =>
  on.updateTable("messages").set({ parent_id: null }).where("id", "=", slot("to")),
);

/**
 * Makes the thread that begins with `from` begin with `to`: open messages go below `to`. The end of
 * the window stays the same.
 */
async function moveThread(on: Executor, from: string, to: string): Promise<void> {
  await move(on, { from, to });
  await follow(on, { from, to });
  await standAlone(on, { to });
}

const nextInThread = statement<{ first: string }>()((on, slot) =>
  on
    .selectFrom("messages as m")
    .innerJoin("threads as t", "t.message_id", "m.parent_id")
    .select("m.id")
    .where("m.parent_id", "=", slot("first"))
    .where("m.state", "=", OPEN)
    .orderBy("m.sealed_at")
    .orderBy("m.seq")
    .limit(1),
);

/**
 * Lets another message begin the thread after its first message was given up: the oldest open
 * message that was to go below it.
 */
export async function passThreadOn(on: Executor, deadId: string): Promise<void> {
  const next = (await nextInThread(on, { first: deadId })).rows[0];
  if (next !== undefined) await moveThread(on, deadId, next.id);
}

const parentBy = statement<{ id: string; ref: string }>()((on, slot) =>
  on
    .selectFrom("messages as m")
    .innerJoin("messages as parent", "parent.id", "m.parent_id")
    .select("parent.id")
    .where("m.id", "=", slot("id"))
    .where("parent.ref", "=", slot("ref")),
);

/**
 * Begins the thread again with a message that was just sent, because its parent, known to the sink
 * as `missingRef`, no longer exists there.
 */
export async function beginAnew(on: Executor, id: string, missingRef: string): Promise<void> {
  const parent = (await parentBy(on, { id, ref: missingRef })).rows[0];
  if (parent !== undefined) await moveThread(on, parent.id, id);
}
