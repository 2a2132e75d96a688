/**
 * Schema 33: a delivery stores the alert that it waits behind and the one that it follows up on.
 * Events are found by their subject. Duplicates of an alert that was given up become part of it.
 */
import { type Kysely, sql } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("deliveries").addColumn("after_id", "integer").execute();
  await db.schema.alterTable("deliveries").addColumn("follows_id", "integer").execute();
  await db.schema.createIndex("events_subject").on("events").column("subject").execute();
  await sql`update deliveries set state = 'merged' where state = 'duplicate' and joined_id in (
    select d.id from deliveries d join messages m on m.id = d.message_id where m.state = 'dead')`.execute(
    db,
  );
}
