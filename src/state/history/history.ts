/** Queries past events. */
import type { ChirpEvent } from "../../model/event.ts";
import type { EventRecord } from "../../model/history.ts";
import { recordsOf } from "./delivery-history.ts";
import { eventOf } from "../items/insert-events.ts";
import { type Executor, statement } from "../db/statement.ts";

const newest = statement<{ limit: number }>()((on, slot) =>
  on.selectFrom("events").selectAll().orderBy("seq", "desc").limit(slot("limit")),
);

/** Returns the newest events, newest first. */
export const recentEvents = async (db: Executor, limit: number): Promise<readonly ChirpEvent[]> =>
  (await newest(db, { limit })).rows.map(eventOf);

export async function recentRecords(
  db: Executor,
  limit: number,
  nowMs: number,
): Promise<readonly EventRecord[]> {
  return recordsOf(db, await recentEvents(db, limit), nowMs);
}

/**
 * Returns the user id of a handle. Targets are searched first, because their handles are kept up to
 * date, then the last event about an account with that handle.
 */
export async function userIdOfHandle(db: Executor, handle: string): Promise<string | null> {
  const name = handle.replace(/^@/, "").toLowerCase();
  const target = await db
    .selectFrom("targets")
    .select("user_id")
    .where((eb) => eb(eb.fn<string>("lower", ["username"]), "=", name))
    .where("user_id", "is not", null)
    .orderBy("id", "desc")
    .executeTakeFirst();
  if (target !== undefined) return target.user_id;
  const event = await db
    .selectFrom("events")
    .select("user_id")
    .where("handle", "=", name)
    .orderBy("seq", "desc")
    .executeTakeFirst();
  return event?.user_id ?? null;
}
