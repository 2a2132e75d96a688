/**
 * Keeps the order of alerts on one subject at a sink: an alert that comes while an earlier one is
 * being sent becomes due when the earlier one is done.
 */
import type { ExpressionBuilder } from "kysely";
import type { DeliveriesTable } from "../db/outbox-tables.ts";
import { OPEN, WAITING } from "../db/literals.ts";
import type { Tables } from "../db/tables.ts";

type WithDelivery = ExpressionBuilder<Tables & { d: DeliveriesTable }, "d">;

/**
 * Selects the id of the earlier alert that a delivery must wait for, because it still waits or its
 * message is open. An alert that joined another delivery is done with that delivery.
 */
export const alertAhead = (eb: WithDelivery) =>
  eb
    .selectFrom("deliveries as a")
    .leftJoin("deliveries as j", "j.id", "a.joined_id")
    .leftJoin("messages as am", (join) =>
      join.onRef("am.id", "=", (on) => on.fn.coalesce("j.message_id", "a.message_id")),
    )
    .select((a) => a.fn.coalesce("j.id", "a.id").as("ahead_id"))
    .whereRef("a.id", "=", "d.after_id")
    .where((a) =>
      a.or([a("am.state", "=", OPEN), a(a.fn.coalesce("j.state", "a.state"), "=", WAITING)]),
    );

export const isNotBehindAlert = (eb: WithDelivery) =>
  eb.or([eb("d.after_id", "is", null), eb.not(eb.exists(alertAhead(eb)))]);

interface Member {
  readonly id: number;
  readonly ahead_id: number | null;
}

/**
 * Returns the members of a group, given in the order of their ids, without those that must wait for
 * an earlier alert. A member whose earlier alert goes into the same message need not wait.
 */
export function withoutBehind<T extends Member>(members: readonly T[]): readonly T[] {
  const free = new Set<number>();
  return members.filter(({ id, ahead_id: ahead }) => {
    const isFree = ahead === null || free.has(Number(ahead));
    if (isFree) free.add(Number(id));
    return isFree;
  });
}
