/** Moves the time until which a snooze holds deliveries and messages back, and counts these. */
import { digestGroup } from "../../model/digest.ts";
import type { SilencedCount } from "../../model/silence.ts";
import { snoozeName } from "../../model/snooze.ts";
import { OPEN, WAITING } from "../db/literals.ts";
import { type Executor, statement } from "../db/statement.ts";
import { refreshGroupsOf } from "./group-timers.ts";

const moveDeliveries = statement<{ by: string; until: number }>()((on, slot) =>
  on
    .updateTable("deliveries")
    .set({ not_before: slot("until"), due_at: slot("until") })
    .where("state", "=", WAITING)
    .where("held_by", "=", slot("by"))
    .where("group_key", "like", `${digestGroup("snooze", "")}%`)
    .returning(["sink", "group_key", "grouped"]),
);

const moveMessages = statement<{ by: string; until: number }>()((on, slot) =>
  on
    .updateTable("messages")
    .set((eb) => ({
      // `retry_for` must not count the time in which the message may not be sent.
      first_attempt_at: eb(
        "first_attempt_at",
        "+",
        eb(eb.val(slot("until")), "-", eb.ref("next_attempt_at")),
      ),
      next_attempt_at: slot("until"),
    }))
    .where("state", "=", OPEN)
    .where("held_by", "=", slot("by")),
);

/** Makes everything that the snooze holds back due at a time: its new end, or now. */
export async function moveSnoozeEnd(on: Executor, id: string, untilMs: number): Promise<void> {
  const args = { by: snoozeName(id), until: untilMs };
  await refreshGroupsOf(on, (await moveDeliveries(on, args)).rows);
  await moveMessages(on, args);
}

/** Counts the waiting alerts of each snooze and sink. */
const countBySnooze = statement<object>()((on) =>
  on
    .selectFrom("deliveries")
    .select((eb) => ["held_by", "sink", eb.fn.countAll<number>().as("count")])
    .where("state", "=", WAITING)
    .where("held_by", "like", `${snoozeName("")}%`)
    .where("group_key", "like", `${digestGroup("snooze", "")}%`)
    .groupBy(["held_by", "sink"])
    .orderBy("sink"),
);

export async function countSnoozed(db: Executor): Promise<readonly SilencedCount[]> {
  const { rows } = await countBySnooze(db, {});
  return rows.map(({ held_by: by, sink, count }) => ({
    silenceId: (by ?? "").slice(snoozeName("").length),
    sink,
    alerts: Number(count),
  }));
}
