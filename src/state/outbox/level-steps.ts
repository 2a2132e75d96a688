/**
 * Applies what a commit does to levels, which are the open alerts on values: each is repeated or
 * closed. If the last repeat still waits, it is withdrawn, because a newer alert replaces it.
 */
import type { LevelStep } from "../../model/level.ts";
import { OPEN } from "../db/literals.ts";
import { type Executor, listStatement, statement } from "../db/statement.ts";
import { refreshGroupsOf } from "./group-timers.ts";

const find = statement<{ eventId: string; sink: string }>()((on, slot) =>
  on
    .selectFrom("levels")
    .select("last_event_id")
    .where("event_id", "=", slot("eventId"))
    .where("sink", "=", slot("sink")),
);

/**
 * Applies the steps before the deliveries of the commit are created, so that none of them waits
 * behind a withdrawn repeat. Returns false if one of the levels no longer exists.
 */
export async function applyLevelSteps(on: Executor, steps: readonly LevelStep[]): Promise<boolean> {
  for (const { eventId, sink, change, byEventId } of steps) {
    const [level] = (await find(on, { eventId, sink })).rows;
    if (level === undefined) return false;
    if (level.last_event_id !== null) await withdrawRepeat(on, sink, level.last_event_id);
    const row = { eventId, sink };
    if (change.kind === "close")
      await on
        .deleteFrom("levels")
        .where("event_id", "=", eventId)
        .where("sink", "=", sink)
        .execute();
    else
      await repeated(on, {
        ...row,
        repeats: change.repeats,
        at: change.atMs,
        nextAt: change.nextAtMs,
        by: byEventId,
      });
  }
  return true;
}

const repeated = statement<{
  eventId: string;
  sink: string;
  repeats: number;
  at: number;
  nextAt: number | null;
  by: string;
}>()((on, slot) =>
  on
    .updateTable("levels")
    .set({
      repeats: slot("repeats"),
      last_at: slot("at"),
      next_at: slot("nextAt"),
      last_event_id: slot("by"),
    })
    .where("event_id", "=", slot("eventId"))
    .where("sink", "=", slot("sink")),
);

const deliveryOf = statement<{ eventId: string; sink: string }>()((on, slot) =>
  on
    .selectFrom("deliveries as d")
    .leftJoin("messages as m", "m.id", "d.message_id")
    .select((eb) => [
      "d.id",
      "d.sink",
      "d.group_key",
      "d.grouped",
      "d.state",
      "d.message_id",
      "m.state as message_state",
      eb
        .selectFrom("deliveries as other")
        .select("other.id")
        .whereRef("other.message_id", "=", "d.message_id")
        .where("other.message_id", "is not", null)
        .whereRef("other.id", "!=", "d.id")
        .limit(1)
        .as("other_id"),
      eb
        .selectFrom("messages as below")
        .select("below.id")
        .whereRef("below.parent_id", "=", "d.message_id")
        .limit(1)
        .as("below_id"),
    ])
    .where("d.event_id", "=", slot("eventId"))
    .where("d.sink", "=", slot("sink")),
);

/**
 * Marks deliveries as replaced by a newer alert. They are not merged into the newer alert: if the
 * newer alert is given up, they are not sent in its place.
 */
const withdraw = listStatement<{ detail: string }, number>()((on, list, slot) =>
  on
    .updateTable("deliveries")
    .set({ state: "duplicate", detail: slot("detail"), message_id: null, held_by: null })
    .where("id", "in", list),
);

/**
 * Withdraws a repeat that waits, or that is alone in an open message. If an attempt at the message
 * is under way, its result is not stored.
 */
async function withdrawRepeat(on: Executor, sink: string, eventId: string): Promise<void> {
  const [row] = (await deliveryOf(on, { eventId, sink })).rows;
  if (row === undefined) return;
  const isAlone = row.message_state === "open" && row.other_id === null && row.below_id === null;
  if (row.state !== "waiting" && !isAlone) return;
  await withdraw(on, [row.id], { detail: "the value was read anew before it was sent" });
  if (isAlone) await forgetMessage(on, row.message_id ?? "");
  else await refreshGroupsOf(on, [row]);
}

/**
 * Deletes an open message with its mentions and its thread, so that later messages do not count
 * them.
 */
async function forgetMessage(on: Executor, id: string): Promise<void> {
  await on.deleteFrom("mentions").where("message_id", "=", id).execute();
  await on.deleteFrom("threads").where("message_id", "=", id).execute();
  await on.deleteFrom("messages").where("id", "=", id).where("state", "=", OPEN).execute();
}
