/** Schema 1: every table of the first release. */
import { type Kysely, sql } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await watchTables(db);
  await pollTables(db);
  await outboxTables(db);
  await ledgerTables(db);
  await noteTables(db);
}

async function watchTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("watches")
    .addColumn("key", "text", (c) => c.primaryKey())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("type", "text", (c) => c.notNull())
    .addColumn("registered_at", "bigint", (c) => c.notNull())
    .addColumn("paused", "integer", (c) => c.notNull())
    .addColumn("position", "integer", (c) => c.notNull())
    .addColumn("removed_at", "bigint")
    .execute();
  await db.schema.createIndex("watches_id").on("watches").column("id").execute();
  await db.schema
    .createTable("targets")
    .addColumn("id", "integer", (c) => c.primaryKey())
    .addColumn("watch_key", "text", (c) =>
      c.notNull().references("watches.key").onDelete("cascade"),
    )
    .addColumn("key", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("user_id", "text")
    .addColumn("username", "text")
    .addColumn("registered_at", "bigint", (c) => c.notNull())
    .addColumn("baseline_at", "bigint")
    .addColumn("memory", "text", (c) => c.notNull())
    .addColumn("revision", "integer", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("status_reason", "text", (c) => c.notNull())
    .addColumn("position", "integer", (c) => c.notNull())
    .addColumn("known_items", "integer", (c) => c.notNull())
    .addColumn("removed_at", "bigint")
    .addColumn("merged_into", "text")
    .addUniqueConstraint("targets_watch_key", ["watch_key", "key"])
    .execute();
}

async function pollTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("sources")
    .addColumn("fingerprint", "text", (c) => c.primaryKey())
    .addColumn("memory", "text", (c) => c.notNull())
    .addColumn("revision", "integer", (c) => c.notNull())
    .addColumn("last_poll_at", "bigint")
    .addColumn("last_ok_at", "bigint")
    .execute();
  await db.schema
    .createTable("items")
    .addColumn("item_id", "text", (c) => c.notNull())
    .addColumn("target_id", "integer", (c) => c.notNull())
    .addColumn("item_kind", "text", (c) => c.notNull())
    .addColumn("verdict", "text", (c) => c.notNull())
    .addColumn("detail", "text", (c) => c.notNull())
    .addColumn("occurred_at", "bigint", (c) => c.notNull())
    .addColumn("seen_at", "bigint", (c) => c.notNull())
    .addColumn("event_id", "text")
    .addPrimaryKeyConstraint("items_pk", ["item_id", "target_id"])
    .execute();
  await db.schema
    .createTable("events")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("seq", "integer", (c) => c.notNull())
    .addColumn("type", "text", (c) => c.notNull())
    .addColumn("watch_key", "text", (c) => c.notNull())
    .addColumn("watch", "text", (c) => c.notNull())
    .addColumn("watch_type", "text", (c) => c.notNull())
    .addColumn("subject", "text", (c) => c.notNull())
    .addColumn("handle", "text")
    .addColumn("user_id", "text")
    .addColumn("labels", "text", (c) => c.notNull())
    .addColumn("occurred_at", "bigint", (c) => c.notNull())
    .addColumn("detected_at", "bigint", (c) => c.notNull())
    .addColumn("body", "text", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("events_seq").on("events").column("seq").execute();
}

async function outboxTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("deliveries")
    .addColumn("id", "integer", (c) => c.primaryKey())
    .addColumn("event_id", "text", (c) => c.notNull().references("events.id"))
    .addColumn("sink", "text", (c) => c.notNull())
    .addColumn("group_key", "text", (c) => c.notNull())
    .addColumn("grouped", "integer", (c) => c.notNull())
    .addColumn("not_before", "bigint", (c) => c.notNull())
    .addColumn("once_key", "text")
    .addColumn("throttle_key", "text")
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("detail", "text", (c) => c.notNull())
    .addColumn("due_at", "bigint", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("message_id", "text")
    .addColumn("joined_id", "integer")
    .addUniqueConstraint("deliveries_event_sink", ["event_id", "sink"])
    .execute();
  const waiting = sql<boolean>`state = 'waiting'`;
  await db.schema
    .createIndex("deliveries_waiting")
    .on("deliveries")
    .columns(["sink", "grouped", "due_at"])
    .where(waiting)
    .execute();
  await db.schema
    .createIndex("deliveries_group")
    .on("deliveries")
    .columns(["sink", "group_key"])
    .where(sql<boolean>`state = 'waiting' and grouped = 1`)
    .execute();
  await db.schema
    .createIndex("deliveries_once")
    .on("deliveries")
    .columns(["sink", "once_key"])
    .where(sql<boolean>`once_key is not null`)
    .execute();
  await db.schema
    .createIndex("deliveries_joined")
    .on("deliveries")
    .column("joined_id")
    .where(sql<boolean>`joined_id is not null`)
    .execute();
  await db.schema
    .createTable("groups")
    .addColumn("sink", "text", (c) => c.notNull())
    .addColumn("group_key", "text", (c) => c.notNull())
    .addColumn("due_at", "bigint")
    .addColumn("last_sealed_at", "bigint")
    .addPrimaryKeyConstraint("groups_pk", ["sink", "group_key"])
    .execute();
  await db.schema
    .createIndex("groups_due")
    .on("groups")
    .columns(["sink", "due_at"])
    .where(sql<boolean>`due_at is not null`)
    .execute();
  await messageTables(db);
}

async function messageTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("messages")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("seq", "integer", (c) => c.notNull())
    .addColumn("sink", "text", (c) => c.notNull())
    .addColumn("group_key", "text", (c) => c.notNull())
    .addColumn("throttle_key", "text")
    .addColumn("sealed_at", "bigint", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("attempts", "integer", (c) => c.notNull())
    .addColumn("first_attempt_at", "bigint")
    .addColumn("next_attempt_at", "bigint", (c) => c.notNull())
    .addColumn("done_at", "bigint")
    .addColumn("ref", "text")
    .addColumn("error", "text", (c) => c.notNull())
    .addColumn("body", "text", (c) => c.notNull())
    .execute();
  const open = sql<boolean>`state = 'open'`;
  await db.schema
    .createIndex("messages_due")
    .on("messages")
    .columns(["sink", "next_attempt_at"])
    .where(open)
    .execute();
  await db.schema
    .createIndex("messages_group")
    .on("messages")
    .columns(["sink", "group_key", "seq"])
    .where(open)
    .execute();
  await db.schema
    .createIndex("messages_throttle")
    .on("messages")
    .columns(["throttle_key", "sealed_at"])
    .where(sql<boolean>`throttle_key is not null`)
    .execute();
  await db.schema
    .createTable("sink_health")
    .addColumn("sink", "text", (c) => c.primaryKey())
    .addColumn("breaker", "text", (c) => c.notNull())
    .addColumn("reason", "text", (c) => c.notNull())
    .addColumn("opened_at", "bigint")
    .addColumn("probe_at", "bigint")
    .execute();
}

async function ledgerTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("ledger")
    .addColumn("id", "integer", (c) => c.primaryKey())
    .addColumn("endpoint", "text", (c) => c.notNull())
    .addColumn("watch", "text", (c) => c.notNull())
    .addColumn("billed", "integer", (c) => c.notNull())
    .addColumn("reserved_at", "bigint", (c) => c.notNull())
    .addColumn("answered", "integer", (c) => c.notNull())
    .addColumn("slot_at", "bigint", (c) => c.notNull())
    .addColumn("status", "integer")
    .execute();
  await db.schema
    .createIndex("ledger_slots")
    .on("ledger")
    .columns(["answered", "slot_at"])
    .execute();
  await db.schema.createIndex("ledger_reserved").on("ledger").column("reserved_at").execute();
  await db.schema
    .createTable("spent_hours")
    .addColumn("hour", "integer", (c) => c.primaryKey())
    .addColumn("requests", "integer", (c) => c.notNull())
    .execute();
  await db.schema
    .createTable("spent_lines")
    .addColumn("hour", "integer", (c) => c.notNull())
    .addColumn("watch", "text", (c) => c.notNull())
    .addColumn("endpoint", "text", (c) => c.notNull())
    .addColumn("requests", "integer", (c) => c.notNull())
    .addPrimaryKeyConstraint("spent_lines_pk", ["hour", "watch", "endpoint"])
    .execute();
}

async function noteTables(db: Kysely<Tables>): Promise<void> {
  for (const table of ["notes", "housekeeping"] as const) {
    await db.schema
      .createTable(table)
      .addColumn("name", "text", (c) => c.primaryKey())
      .addColumn("value", "text", (c) => c.notNull())
      .execute();
  }
  await db.schema
    .createTable("sequences")
    .addColumn("name", "text", (c) => c.primaryKey())
    .addColumn("value", "integer", (c) => c.notNull())
    .execute();
  const names = ["target", "event", "delivery", "ledger"];
  await db
    .insertInto("sequences")
    .values(names.map((name) => ({ name, value: 0 })))
    .execute();
}
