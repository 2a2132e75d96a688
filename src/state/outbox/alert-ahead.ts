/**
 * Alerts on one subject keep their order at a sink: one that came while an earlier one was on its
 * way is due once that is done.
 */
import type { ExpressionBuilder } from "kysely";
import type { DeliveriesTable } from "../db/outbox-tables.ts";
import { OPEN, WAITING } from "../db/literals.ts";
import type { Tables } from "../db/tables.ts";

type WithDelivery = ExpressionBuilder<Tables & { d: DeliveriesTable }, "d">;

/**
 * The id of the alert that goes first and is not done: it waits, or its message is under way. What
 * joined another one is done with that.
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
 * Members of a group, in the order of their ids: one goes with the alert ahead of it where both are
 * in the same message.
 */
export function withoutBehind<T extends Member>(members: readonly T[]): readonly T[] {
  const free = new Set<number>();
  return members.filter(({ id, ahead_id: ahead }) => {
    const isFree = ahead === null || free.has(Number(ahead));
    if (isFree) free.add(Number(id));
    return isFree;
  });
}
