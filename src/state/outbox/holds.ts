/**
 * Stores what mutes hold back when it is about to be sent: due deliveries, and messages before
 * their next attempt.
 */
import type { MuteableDelivery } from "../../model/outbox.ts";
import type { HeldDelivery, HeldMessage } from "../../model/waits.ts";
import { eventOf } from "../items/insert-events.ts";
import { fromText } from "../db/json-text.ts";
import { OPEN, WAITING } from "../db/literals.ts";
import { scopeOfSink } from "../db/scopes.ts";
import {
  type Executor,
  listStatement,
  statement,
  statementForEach,
  transact,
} from "../db/statement.ts";
import { refreshGroupsOf } from "./group-timers.ts";

const placesOf = listStatement<object, number>()((on, list) =>
  on
    .selectFrom("deliveries")
    .select(["sink", "group_key", "grouped"])
    .where("id", "in", list)
    .where("state", "=", WAITING),
);

const putOff = statementForEach<{ id: number; groupKey: string; until: number; by: string }>()(
  (on, slot) =>
    on
      .updateTable("deliveries")
      .set({
        group_key: slot("groupKey"),
        not_before: slot("until"),
        due_at: slot("until"),
        held_by: slot("by"),
      })
      .where("id", "=", slot("id"))
      .where("state", "=", WAITING)
      .returning(["sink", "group_key", "grouped"]),
);

/** Holds deliveries back. Deliveries that were sealed meanwhile are not changed. */
export function holdDeliveries(
  db: Executor,
  sink: string,
  held: readonly HeldDelivery[],
): Promise<void> {
  const work = async (on: Executor) => {
    const ids = held.map(({ deliveryId }) => Number(deliveryId));
    const left = (await placesOf(on, ids, {})).rows;
    const { rows } = await putOff(
      on,
      held.map(({ deliveryId, groupKey, untilMs, heldBy }) => ({
        id: Number(deliveryId),
        groupKey,
        until: untilMs,
        by: heldBy,
      })),
    );
    await refreshGroupsOf(on, [...left, ...rows]);
  };
  return transact(db, work, [scopeOfSink(sink)]);
}

const hold = statementForEach<{ id: string; until: number; by: string; forMs: number }>()(
  (on, slot) =>
    on
      .updateTable("messages")
      .set((eb) => ({
        next_attempt_at: slot("until"),
        // `retry_for` must not count the time in which the message may not be sent.
        first_attempt_at: eb("first_attempt_at", "+", slot("forMs")),
        held_by: slot("by"),
      }))
      .where("id", "=", slot("id"))
      .where("state", "=", OPEN),
);

export function holdMessages(
  db: Executor,
  held: readonly HeldMessage[],
  nowMs: number,
): Promise<void> {
  const rows = held.map(({ messageId, untilMs, heldBy }) => ({
    id: messageId,
    until: untilMs,
    by: heldBy,
    forMs: untilMs - nowMs,
  }));
  return transact(db, async (on) => void (await hold(on, rows)));
}

const release = statement<{ sink: string; now: number }>()((on, slot) =>
  on
    .updateTable("messages")
    .set((eb) => ({
      first_attempt_at: eb("first_attempt_at", "-", eb("next_attempt_at", "-", slot("now"))),
      next_attempt_at: eb.ref("sealed_at"),
      held_by: null,
    }))
    .where("state", "=", OPEN)
    .where("sink", "=", slot("sink"))
    .where("held_by", "is not", null)
    .where("next_attempt_at", ">", slot("now")),
);

export async function releaseHeld(db: Executor, sink: string, nowMs: number): Promise<void> {
  await release(db, { sink, now: nowMs });
}

const members = listStatement<object, string>()((on, list) =>
  on
    .selectFrom("deliveries as d")
    .innerJoin("events as e", "e.id", "d.event_id")
    .select(["d.message_id", "d.replayed_at", "d.routed"])
    .selectAll("e")
    .where("d.message_id", "in", list)
    .where("d.message_id", "is not", null)
    .orderBy("d.id"),
);

export async function messageMembers(
  db: Executor,
  messageIds: readonly string[],
): Promise<ReadonlyMap<string, readonly MuteableDelivery[]>> {
  const found = new Map<string, MuteableDelivery[]>(messageIds.map((id) => [id, []]));
  for (const { message_id: id, replayed_at: replayedAt, routed, ...event } of (
    await members(db, messageIds, {})
  ).rows)
    found.get(id ?? "")?.push({
      event: eventOf(event),
      isReplay: replayedAt !== null,
      ...(routed === null ? {} : { routed: fromText(routed) }),
    });
  return found;
}
