/** Stores when groups are due, in rows, so that timers survive a restart. */
import type { ExpressionBuilder } from "kysely";
import type { NewDelivery } from "../../model/poll-store.ts";
import { type Executor, insertRows, statement } from "../db/statement.ts";
import type { GroupsTable } from "../db/outbox-tables.ts";
import type { Tables } from "../db/tables.ts";
import { GROUPED, OPEN, WAITING } from "../db/literals.ts";

const find = statement<{ sink: string; groupKey: string }>()((on, slot) =>
  on
    .selectFrom("groups")
    .selectAll()
    .where("sink", "=", slot("sink"))
    .where("group_key", "=", slot("groupKey")),
);

const upsert = insertRows(
  "groups",
  ["sink", "group_key", "due_at", "last_sealed_at", "interval_ms"],
  (insert) =>
    insert.onConflict((conflict) =>
      conflict.columns(["sink", "group_key"]).doUpdateSet((eb) => ({
        due_at: eb.ref("excluded.due_at"),
        interval_ms: eb.ref("excluded.interval_ms"),
      })),
    ),
);

export class GroupTimers {
  readonly #on: Executor;
  readonly #groups = new Map<string, GroupsTable>();

  constructor(on: Executor) {
    this.#on = on;
  }

  /**
   * Returns when a new member of a group is due: together with the members that already wait; if
   * there are none, after the group's wait and interval. A member is never due while a mute holds
   * it.
   */
  async dueAt(delivery: NewDelivery, nowMs: number): Promise<number> {
    const group = await this.#load(delivery.sink, delivery.groupKey);
    if (delivery.digestAtMs !== undefined) {
      const dueAt = Math.max(delivery.digestAtMs, delivery.notBeforeMs);
      group.due_at = Math.min(group.due_at ?? dueAt, dueAt);
      return dueAt;
    }
    group.interval_ms = delivery.groupIntervalMs;
    const interval =
      group.last_sealed_at === null ? 0 : group.last_sealed_at + delivery.groupIntervalMs;
    group.due_at ??= Math.max(nowMs + delivery.groupWaitMs, interval, delivery.notBeforeMs);
    return Math.max(group.due_at, delivery.notBeforeMs);
  }

  async save(): Promise<void> {
    await upsert(this.#on, [...this.#groups.values()]);
  }

  async #load(sink: string, groupKey: string): Promise<GroupsTable> {
    const name = `${sink}\n${groupKey}`;
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const { rows } = await find(this.#on, { sink, groupKey });
    const group = rows[0] ?? {
      sink,
      group_key: groupKey,
      due_at: null,
      last_sealed_at: null,
      interval_ms: null,
    };
    this.#groups.set(name, group);
    return group;
  }
}

const recompute = statement<{ sink: string; groupKey: string; sealedAt: number | null }>()(
  (on, slot) =>
    on
      .updateTable("groups")
      .set((eb) => ({
        due_at: eb
          .selectFrom("deliveries")
          .select((d) => d.fn.min("due_at").as("due_at"))
          .where("sink", "=", slot("sink"))
          .where("group_key", "=", slot("groupKey"))
          .where("state", "=", WAITING)
          .where("grouped", "=", GROUPED),
        last_sealed_at: eb.fn.coalesce(eb.val(slot("sealedAt")), "last_sealed_at"),
      }))
      .where("sink", "=", slot("sink"))
      .where("group_key", "=", slot("groupKey")),
);

const putOff = statement<{ sink: string; groupKey: string; sealedAt: number; dueAt: number }>()(
  (on, slot) =>
    on
      .updateTable("deliveries")
      .set({ due_at: slot("dueAt") })
      .where("sink", "=", slot("sink"))
      .where("group_key", "=", slot("groupKey"))
      .where("state", "=", WAITING)
      .where("grouped", "=", GROUPED)
      .where("due_at", "<=", slot("sealedAt")),
);

/**
 * Makes members that joined a group while its message was being sealed wait one more interval, for
 * the next message. Otherwise they would be due now, like the sealed members.
 */
export async function putOffLateMembers(
  on: Executor,
  sink: string,
  groupKey: string,
  sealedAtMs: number,
): Promise<void> {
  const interval = (await find(on, { sink, groupKey })).rows[0]?.interval_ms ?? 0;
  if (interval > 0)
    await putOff(on, { sink, groupKey, sealedAt: sealedAtMs, dueAt: sealedAtMs + interval });
}

/**
 * Whether no message of the group is open. While one is open, the group waits until that message is
 * done.
 */
export const isNotBehindMessage = (eb: ExpressionBuilder<Tables & { g: GroupsTable }, "g">) =>
  eb.not(
    eb.exists(
      eb
        .selectFrom("messages as m")
        .select("m.id")
        .where("m.state", "=", OPEN)
        .whereRef("m.sink", "=", "g.sink")
        .whereRef("m.group_key", "=", "g.group_key"),
    ),
  );

/**
 * Sets a group's timer to the earliest due time of the deliveries that wait in it. `sealedAtMs` is
 * set if one of the group's messages was just sealed.
 */
export const refreshGroup = async (
  on: Executor,
  sink: string,
  groupKey: string,
  sealedAtMs: number | null,
): Promise<void> => {
  await recompute(on, { sink, groupKey, sealedAt: sealedAtMs });
};

interface GroupMember {
  readonly sink: string;
  readonly group_key: string;
  readonly grouped: number;
}

const addTimers = insertRows(
  "groups",
  ["sink", "group_key", "due_at", "last_sealed_at"],
  (insert) => insert.onConflict((conflict) => conflict.columns(["sink", "group_key"]).doNothing()),
);

/**
 * Sets the timers of groups after deliveries began to wait or stopped waiting. A missing timer is
 * created, because it may have been deleted since it was last needed.
 */
export async function refreshGroupsOf(
  on: Executor,
  members: readonly GroupMember[],
): Promise<void> {
  const groups = new Map(
    members
      .filter(({ grouped }) => grouped === 1)
      .map((row) => [`${row.sink}\n${row.group_key}`, row]),
  );
  await addTimers(
    on,
    [...groups.values()].map(({ sink, group_key: key }) => ({
      sink,
      group_key: key,
      due_at: null,
      last_sealed_at: null,
    })),
  );
  for (const { sink, group_key: groupKey } of groups.values())
    await refreshGroup(on, sink, groupKey, null);
}
