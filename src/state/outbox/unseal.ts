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

const untried = listStatement<object, string>()((on, list) =>
  on
    .selectFrom("messages as m")
    .select("m.id")
    .where("m.id", "in", list)
    .where("m.state", "=", OPEN)
    .where("m.attempts", "=", 0)
    .where("m.first_attempt_at", "is", null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("messages as other")
            .select("other.id")
            .where("other.state", "=", OPEN)
            .whereRef("other.sink", "=", "m.sink")
            .whereRef("other.group_key", "=", "m.group_key")
            .whereRef("other.id", "!=", "m.id"),
        ),
      ),
    ),
);

/** Reverts those of the messages that were never tried and whose group has no other open message. */
export async function revertUntried(
  db: Executor,
  messageIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (messageIds.length === 0) return new Set();
  const ids = (await untried(db, messageIds, {})).rows.map(({ id }) => id);
  if (ids.length > 0) await revertSealed(db, ids);
  return new Set(ids);
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
