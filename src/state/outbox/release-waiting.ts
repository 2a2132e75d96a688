/**
 * Makes deliveries and messages that wait for a time due now, because an operator asked for it.
 * Mutes, silences, groups and digests no longer hold them back.
 */
import { GROUPED, OPEN, SINGLE, WAITING } from "../db/literals.ts";
import { type Executor, listStatement } from "../db/statement.ts";
import { refreshGroupsOf } from "./group-timers.ts";

const placesOf = listStatement<object, number>()((on, list) =>
  on
    .selectFrom("deliveries")
    .select(["sink", "group_key", "grouped"])
    .where("id", "in", list)
    .where("state", "=", WAITING),
);

const release = listStatement<{ now: number }, number>()((on, list, slot) =>
  on
    .updateTable("deliveries")
    .set((eb) => ({
      group_key: eb.fn.coalesce("original_group_key", "group_key"),
      grouped: eb
        .case()
        .when(eb.fn.coalesce("original_group_key", "group_key"), "=", eb.ref("event_id"))
        .then(SINGLE)
        .else(GROUPED)
        .end(),
      original_group_key: null,
      // Otherwise the throttle that moved the delivery into a digest would do so again.
      throttle_key: eb
        .case()
        .when("original_group_key", "is", null)
        .then(eb.ref("throttle_key"))
        .else(null)
        .end(),
      not_before: slot("now"),
      held_by: null,
      due_at: slot("now"),
      replayed_at: slot("now"),
    }))
    .where("id", "in", list)
    .where("state", "=", WAITING)
    .returning(["sink", "group_key", "grouped"]),
);

const heldMessages = listStatement<object, number>()((on, list) =>
  on
    .selectFrom("deliveries as d")
    .innerJoin("messages as m", "m.id", "d.message_id")
    .select("m.id")
    .distinct()
    .where("d.id", "in", list)
    .where("m.state", "=", OPEN)
    .where("m.held_by", "is not", null),
);

/** Marks all deliveries in these messages as replayed, because a message is sent as a whole. */
const markReplayed = listStatement<{ now: number }, string>()((on, list, slot) =>
  on
    .updateTable("deliveries")
    .set({ replayed_at: slot("now") })
    .where("message_id", "in", list)
    .where("message_id", "is not", null),
);

const sendNow = listStatement<{ now: number }, string>()((on, list, slot) =>
  on
    .updateTable("messages")
    .set((eb) => ({
      first_attempt_at: eb("first_attempt_at", "-", eb("next_attempt_at", "-", slot("now"))),
      next_attempt_at: slot("now"),
      held_by: null,
    }))
    .where("id", "in", list),
);

/** Makes deliveries due now. Returns the number of deliveries and messages that were released. */
export async function releaseWaiting(
  on: Executor,
  ids: readonly number[],
  nowMs: number,
): Promise<number> {
  const left = (await placesOf(on, ids, {})).rows;
  const { rows } = await release(on, ids, { now: nowMs });
  await refreshGroupsOf(on, [...left, ...rows]);
  const messageIds = (await heldMessages(on, ids, {})).rows.map(({ id }) => id);
  await markReplayed(on, messageIds, { now: nowMs });
  await sendNow(on, messageIds, { now: nowMs });
  return rows.length + messageIds.length;
}
