/**
 * Moves stored times back after the clock was set back. Otherwise everything that waits until such
 * a time, or counts from it, would be late by the same amount. The ends of time intervals and the
 * times of scheduled digests stay, because they are times of day.
 */
import type { ExpressionBuilder } from "kysely";
import { digestGroup } from "../../model/digest.ts";
import { snoozeName } from "../../model/snooze.ts";
import { CLOCK_SEEN_NOTE } from "../../model/store.ts";
import { fromText, toText } from "../db/json-text.ts";
import { GROUPED, OPEN, WAITING } from "../db/literals.ts";
import { type Executor, transact } from "../db/statement.ts";
import type { Tables } from "../db/tables.ts";

export function setTimesBack(db: Executor, byMs: number): Promise<void> {
  return transact(db, async (on) => {
    // Detectors compare `registered_at` with the service's time: until a target has had an item,
    // items after `registered_at` count as new. The new revision makes a poll that is under way
    // read the target again.
    await on
      .updateTable("targets")
      .set((eb) => ({
        registered_at: eb("registered_at", "-", byMs),
        revision: eb("revision", "+", 1),
      }))
      .execute();
    await setSeenClockBack(on, byMs);
    await setDeliveriesBack(on, byMs);
    await setMessagesBack(on, byMs);
    // A silence lasts for a period, not until a time of day.
    await on
      .updateTable("silences")
      .set((eb) => ({ starts_at: eb("starts_at", "-", byMs), ends_at: eb("ends_at", "-", byMs) }))
      .execute();
    await on
      .updateTable("enrichments")
      .set((eb) => ({ created_at: eb("created_at", "-", byMs), next_at: eb("next_at", "-", byMs) }))
      .where("state", "=", WAITING)
      .execute();
    await on
      .updateTable("edits")
      .set((eb) => ({ wanted_at: eb("wanted_at", "-", byMs), due_at: eb("due_at", "-", byMs) }))
      .execute();
    await on
      .updateTable("message_footers")
      .set((eb) => ({ due_at: eb("due_at", "-", byMs) }))
      .execute();
    await on
      .updateTable("escalations")
      .set((eb) => ({
        base_at: eb("base_at", "-", byMs),
        begun_at: eb("begun_at", "-", byMs),
        due_at: eb("due_at", "-", byMs),
      }))
      .execute();
    await on
      .updateTable("levels")
      .set((eb) => ({ next_at: eb("next_at", "-", byMs) }))
      .execute();
    await on
      .updateTable("sink_health")
      .set((eb) => ({
        opened_at: eb("opened_at", "-", byMs),
        probe_at: eb("probe_at", "-", byMs),
        reported_at: eb("reported_at", "-", byMs),
      }))
      .execute();
  });
}

/**
 * Moves the note of the last seen clock in the same transaction, so that the next start does not
 * move the times again.
 */
async function setSeenClockBack(on: Executor, byMs: number): Promise<void> {
  const note = await on
    .selectFrom("notes")
    .select("value")
    .where("name", "=", CLOCK_SEEN_NOTE)
    .executeTakeFirst();
  if (note === undefined) return;
  const value = toText(Number(fromText(note.value)) - byMs);
  await on.updateTable("notes").set({ value }).where("name", "=", CLOCK_SEEN_NOTE).execute();
}

async function setDeliveriesBack(on: Executor, byMs: number): Promise<void> {
  await on
    .updateTable("deliveries")
    .set((eb) => ({
      created_at: eb("created_at", "-", byMs),
      not_before: eb
        .case()
        .when(isMovable(eb))
        .then(eb("not_before", "-", byMs))
        .else(eb.ref("not_before"))
        .end(),
      due_at: eb
        .case()
        .when(isSnoozed(eb))
        .then(eb("due_at", "-", byMs))
        .when(
          eb.and([
            eb("held_by", "is not", null),
            eb(eb("due_at", "-", byMs), "<", eb.ref("not_before")),
          ]),
        )
        .then(eb.ref("not_before"))
        .when("group_key", "like", `${digestGroup("schedule", "")}%`)
        .then(eb.ref("due_at"))
        .else(eb("due_at", "-", byMs))
        .end(),
    }))
    .where("state", "=", WAITING)
    .execute();
  await on
    .updateTable("groups")
    .set((eb) => ({ due_at: earliestIn(eb), last_sealed_at: eb("last_sealed_at", "-", byMs) }))
    .execute();
}

/** Whether a snooze holds the delivery. A snooze lasts for a period, as a silence does. */
const isSnoozed = (eb: ExpressionBuilder<Tables, "deliveries">) =>
  eb.and([
    eb("held_by", "like", `${snoozeName("")}%`),
    eb("group_key", "like", `${digestGroup("snooze", "")}%`),
  ]);

/** Whether the delivery does not wait for the end of a time interval. */
const isMovable = (eb: ExpressionBuilder<Tables, "deliveries">) =>
  eb.or([eb("held_by", "is", null), isSnoozed(eb)]);

const earliestIn = (eb: ExpressionBuilder<Tables, "groups">) =>
  eb
    .selectFrom("deliveries as d")
    .select((d) => d.fn.min("d.due_at").as("due_at"))
    .whereRef("d.sink", "=", "groups.sink")
    .whereRef("d.group_key", "=", "groups.group_key")
    .where("d.state", "=", WAITING)
    .where("d.grouped", "=", GROUPED);

async function setMessagesBack(on: Executor, byMs: number): Promise<void> {
  await on
    .updateTable("messages")
    .set((eb) => ({
      first_attempt_at: eb("first_attempt_at", "-", byMs),
      next_attempt_at: eb
        .case()
        .when("held_by", "is", null)
        .then(eb("next_attempt_at", "-", byMs))
        .else(eb.ref("next_attempt_at"))
        .end(),
    }))
    .where("state", "=", OPEN)
    .execute();
  // The times of sent messages are moved, too, if a throttle counts the messages.
  await on
    .updateTable("messages")
    .set((eb) => ({ sealed_at: eb("sealed_at", "-", byMs) }))
    .where((eb) => eb.or([eb("state", "=", OPEN), eb("throttle_key", "is not", null)]))
    .execute();
  await on
    .updateTable("threads")
    .set((eb) => ({ ends_at: eb("ends_at", "-", byMs) }))
    .execute();
  await on
    .updateTable("mentions")
    .set((eb) => ({ mentioned_at: eb("mentioned_at", "-", byMs) }))
    .execute();
  await on
    .updateTable("crossposts")
    .set((eb) => ({
      created_at: eb("created_at", "-", byMs),
      next_attempt_at: eb("next_attempt_at", "-", byMs),
    }))
    .where("state", "=", WAITING)
    .execute();
}
