/**
 * Reads how many messages a throttle has counted, and moves the deliveries that exceed its limit
 * into a digest.
 */
import { announcementGroup, DIGEST_PREFIX } from "../../model/digest.ts";
import type { Overflow, ThrottleState } from "../../model/outbox.ts";
import { refreshGroup } from "./group-timers.ts";
import { GROUPED, OPEN, WAITING } from "../db/literals.ts";
import { insertMessages, messageRow } from "./seal.ts";
import { type Executor, insertRows, statement, transact } from "../db/statement.ts";
import { scopeOfSink } from "../db/scopes.ts";

const countSealed = statement<{ throttleKey: string; since: number }>()((on, slot) =>
  on
    .selectFrom("messages")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("throttle_key", "=", slot("throttleKey"))
    .where("throttle_key", "is not", null)
    .where("sealed_at", ">", slot("since")),
);

const timerOf = statement<{ sink: string; groupKey: string }>()((on, slot) =>
  on
    .selectFrom("groups")
    .select(["due_at", "last_sealed_at"])
    .where("sink", "=", slot("sink"))
    .where("group_key", "=", slot("groupKey")),
);

export interface ThrottleQuery {
  readonly sink: string;
  readonly throttleKey: string;
  readonly digestKey: string;
  readonly sinceMs: number;
}

export async function throttleState(db: Executor, query: ThrottleQuery): Promise<ThrottleState> {
  const { sink, throttleKey, digestKey, sinceMs } = query;
  const sealed = Number(
    (await countSealed(db, { throttleKey, since: sinceMs })).rows[0]?.count ?? 0,
  );
  const timer = (await timerOf(db, { sink, groupKey: digestKey })).rows[0];
  const announced = (await timerOf(db, { sink, groupKey: announcementGroup(throttleKey) })).rows[0];
  return {
    sealed,
    digestDueAtMs: timer?.due_at ?? null,
    digestSealedAtMs: timer?.last_sealed_at ?? null,
    announcedAtMs: announced?.last_sealed_at ?? null,
  };
}

/**
 * Moves the due deliveries of a throttle into its digest. While a message of a delivery's group is
 * open, the delivery stays in the group, because the digest must not overtake that message.
 */
const move = statement<{
  sink: string;
  throttleKey: string;
  now: number;
  digestKey: string;
  dueAt: number;
}>()((on, slot) =>
  on
    .updateTable("deliveries")
    .set((eb) => ({
      original_group_key: eb.ref("group_key"),
      group_key: slot("digestKey"),
      grouped: GROUPED,
      due_at: slot("dueAt"),
    }))
    .where("state", "=", WAITING)
    .where("sink", "=", slot("sink"))
    .where("throttle_key", "=", slot("throttleKey"))
    .where("due_at", "<=", slot("now"))
    .where("group_key", "not like", `${DIGEST_PREFIX}%`)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("messages as m")
            .select("m.id")
            .where("m.state", "=", OPEN)
            .whereRef("m.sink", "=", "deliveries.sink")
            .whereRef("m.group_key", "=", "deliveries.group_key"),
        ),
      ),
    )
    .returning(["event_id", "original_group_key"]),
);

const addTimer = insertRows("groups", ["sink", "group_key", "due_at", "last_sealed_at"], (insert) =>
  insert.onConflict((conflict) => conflict.columns(["sink", "group_key"]).doNothing()),
);

const timerRow = (sink: string, groupKey: string) => ({
  sink,
  group_key: groupKey,
  due_at: null,
  last_sealed_at: null,
});

/**
 * Moves the due deliveries of a throttle into its digest, and stores the announcement of the digest
 * if there is one. Deliveries that were sealed in the meantime are not moved.
 */
export function gather(db: Executor, overflow: Overflow): Promise<void> {
  const { sink, throttleKey, nowMs: now, digestKey, digestDueAtMs: dueAt, announcement } = overflow;
  const work = async (on: Executor) => {
    const { rows } = await move(on, { sink, throttleKey, now, digestKey, dueAt });
    if (rows.length === 0) return;
    await addTimer(
      on,
      [digestKey, ...(announcement === undefined ? [] : [announcement.groupKey])].map((key) =>
        timerRow(sink, key),
      ),
    );
    const left = rows.flatMap((row) =>
      row.original_group_key === row.event_id ? [] : [row.original_group_key ?? ""],
    );
    for (const groupKey of new Set([digestKey, ...left]))
      await refreshGroup(on, sink, groupKey, null);
    if (announcement === undefined) return;
    await insertMessages(on, [messageRow(announcement, 0)]);
    await refreshGroup(on, sink, announcement.groupKey, announcement.sealedAtMs);
  };
  return transact(db, work, [scopeOfSink(sink)]);
}
