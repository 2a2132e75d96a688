/**
 * Reverts messages to waiting deliveries, for example if they were sealed for a sink of another
 * type, which cannot send them.
 */
import { OPEN } from "../db/literals.ts";
import { type Executor, listStatement, statement, transact } from "../db/statement.ts";
import { passThreadOn } from "../messages/threads.ts";
import { refreshGroupsOf } from "./group-timers.ts";
import { takenOfMessage } from "./taken.ts";

const foreign = statement<{ sink: string; type: string }>()((on, slot) =>
  on
    .selectFrom("messages")
    .select("id")
    .where("state", "=", OPEN)
    .where("sink", "=", slot("sink"))
    .where("sealed_for", "!=", slot("type")),
);

const release = listStatement<object, string>()((on, list) =>
  on
    .updateTable("deliveries")
    .set((eb) => ({
      state: "waiting",
      taken: takenOfMessage(eb),
      message_id: null,
      worded_by: null,
      wording_error: null,
    }))
    .where("message_id", "in", list)
    .returning(["sink", "group_key", "grouped"]),
);

const remove = listStatement<object, string>()((on, list) =>
  on.deleteFrom("messages").where("id", "in", list).returning("id"),
);

const uncall = listStatement<object, string>()((on, list) =>
  on.deleteFrom("mentions").where("message_id", "in", list),
);

/**
 * Reverts those of the messages that are open. If one of them was to begin a thread, the next
 * message of the thread begins it.
 */
export function revertSealed(db: Executor, messageIds: readonly string[]): Promise<void> {
  return transact(db, async (on) => {
    const ids = (await stillOpen(on, messageIds, {})).rows.map(({ id }) => id);
    const { rows } = await release(on, ids, {});
    for (const id of ids) await passThreadOn(on, id);
    await uncall(on, ids, {});
    await remove(on, ids, {});
    await refreshGroupsOf(on, rows);
  });
}

const stillOpen = listStatement<object, string>()((on, list) =>
  on.selectFrom("messages").select("id").where("id", "in", list).where("state", "=", OPEN),
);

/** Reverts the messages of a sink that were sealed for another type. Returns their number. */
export function unseal(db: Executor, sink: string, type: string): Promise<number> {
  return transact(db, async (on) => {
    const ids = (await foreign(on, { sink, type })).rows.map(({ id }) => id);
    const { rows } = await release(on, ids, {});
    await remove(on, ids, {});
    await refreshGroupsOf(on, rows);
    return ids.length;
  });
}
