/**
 * Stores that due deliveries are not sent now: their tweet is gone, another alert reports the same,
 * the alert that they follow up was never shown, or they are postponed.
 */
import type { Withheld } from "../../model/outbox.ts";
import { MERGED, WAITING } from "../db/literals.ts";
import { type Executor, listStatement, statement, transact } from "../db/statement.ts";
import { refreshGroupsOf } from "./group-timers.ts";

const markDeleted = listStatement<object, number>()((on, list) =>
  on
    .updateTable("deliveries")
    .set({ state: "deleted", detail: "its post was gone before it was sent" })
    .where("id", "in", list)
    .where("state", "=", WAITING)
    .returning(["sink", "group_key", "grouped"]),
);

/**
 * Finds deliveries that joined one of the given deliveries because of the same content, but are
 * about another tweet.
 */
const othersJoined = listStatement<object, number>()((on, list) =>
  on
    .selectFrom("deliveries as d")
    .innerJoin("events as e", "e.id", "d.event_id")
    .innerJoin("deliveries as o", "o.joined_id", "d.id")
    .innerJoin("events as f", "f.id", "o.event_id")
    .select([
      "d.id",
      "d.event_id",
      "d.sink",
      "d.group_key",
      "d.grouped",
      "o.id as other_id",
      "o.event_id as other_event_id",
    ])
    .where("d.id", "in", list)
    .where("o.joined_id", "is not", null)
    .where("o.state", "=", MERGED)
    .whereRef("f.subject", "!=", "e.subject")
    .orderBy("o.id"),
);

const takePlace = statement<{ id: number; ofId: number; groupKey: string }>()((on, slot) =>
  on
    .updateTable("deliveries")
    .set((eb) => ({
      state: "waiting",
      detail: "",
      joined_id: null,
      group_key: slot("groupKey"),
      grouped: eb
        .selectFrom("deliveries as d")
        .select("d.grouped")
        .where("d.id", "=", slot("ofId")),
      due_at: eb.selectFrom("deliveries as d").select("d.due_at").where("d.id", "=", slot("ofId")),
    }))
    .where("id", "=", slot("id")),
);

const joinInstead = listStatement<{ withId: number }, number>()((on, list, slot) =>
  on
    .updateTable("deliveries")
    .set({ joined_id: slot("withId") })
    .where("id", "in", list),
);

const joinOne = statement<{ id: number; withId: number; detail: string }>()((on, slot) =>
  on
    .updateTable("deliveries")
    .set({ state: "merged", joined_id: slot("withId"), detail: slot("detail") })
    .where("id", "=", slot("id"))
    .where("state", "=", WAITING)
    .returning(["sink", "group_key", "grouped"]),
);

const dropOne = statement<{ id: number; detail: string }>()((on, slot) =>
  on
    .updateTable("deliveries")
    .set({ state: "duplicate", detail: slot("detail") })
    .where("id", "=", slot("id"))
    .where("state", "=", WAITING)
    .returning(["sink", "group_key", "grouped"]),
);

const postpone = listStatement<{ dueAt: number }, number>()((on, list, slot) =>
  on
    .updateTable("deliveries")
    .set({ due_at: slot("dueAt") })
    .where("id", "in", list)
    .where("state", "=", WAITING)
    .returning(["sink", "group_key", "grouped"]),
);

export function withhold(
  db: Executor,
  { deletedIds, joined, dropped, postponed }: Withheld,
): Promise<void> {
  return transact(db, async (on) => {
    const deleted = deletedIds.map(Number);
    const { rows } = await markDeleted(on, deleted, {});
    const changed = [...rows];
    await promoteJoined(on, deleted);
    for (const { deliveryId, withId, detail } of joined)
      changed.push(
        ...(await joinOne(on, { id: Number(deliveryId), withId: Number(withId), detail })).rows,
      );
    for (const { deliveryId, detail } of dropped)
      changed.push(...(await dropOne(on, { id: Number(deliveryId), detail })).rows);
    changed.push(
      ...(await postpone(on, postponed.ids.map(Number), { dueAt: postponed.dueAtMs })).rows,
    );
    await refreshGroupsOf(on, changed);
  });
}

/**
 * Handles deliveries whose tweet is gone and that other deliveries had joined. The oldest joined
 * delivery that is about another tweet takes the place of each; the other joined deliveries join
 * that one.
 */
async function promoteJoined(on: Executor, ids: readonly number[]): Promise<void> {
  const { rows } = await othersJoined(on, ids, {});
  for (const id of new Set(rows.map((row) => Number(row.id)))) {
    const [first, ...others] = rows.filter((row) => Number(row.id) === id);
    if (first === undefined) continue;
    const isAlone = Number(first.grouped) === 0;
    const groupKey = isAlone ? first.other_event_id : first.group_key;
    await takePlace(on, { id: Number(first.other_id), ofId: id, groupKey });
    await joinInstead(
      on,
      others.map((row) => Number(row.other_id)),
      { withId: Number(first.other_id) },
    );
  }
}
