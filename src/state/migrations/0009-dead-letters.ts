/**
 * Schema 9: stores why messages were given up, when the operator was notified of them, when they
 * were acknowledged, and what operators did.
 */
import { type Kysely, sql } from "kysely";
import type { Tables } from "../db/tables.ts";

const EXPIRED = "given up after retry_for: ";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("messages")
    .addColumn("cause", "text", (c) => c.notNull().defaultTo(""))
    .execute();
  await db.schema.alterTable("messages").addColumn("reported_at", "bigint").execute();
  await db.schema.alterTable("messages").addColumn("acknowledged_at", "bigint").execute();
  await db.schema
    .createIndex("messages_dead")
    .on("messages")
    .columns(["sink", "done_at"])
    .where(sql<boolean>`state = 'dead' and acknowledged_at is null`)
    .execute();
  await db.schema
    .createIndex("deliveries_message")
    .on("deliveries")
    .column("message_id")
    .where(sql<boolean>`message_id is not null`)
    .execute();
  // Messages that older releases gave up are listed, but no longer reported.
  await db
    .updateTable("messages")
    .set((eb) => ({ cause: "refused content", reported_at: eb.ref("done_at") }))
    .where("state", "=", "dead")
    .execute();
  await db
    .updateTable("messages")
    .set({ cause: "expired", error: sql<string>`substr(error, ${sql.lit(EXPIRED.length + 1)})` })
    .where("state", "=", "dead")
    .where("error", "like", `${EXPIRED}%`)
    .execute();
  await db.schema
    .createTable("audit")
    .addColumn("id", "integer", (c) => c.primaryKey())
    .addColumn("at", "bigint", (c) => c.notNull())
    .addColumn("action", "text", (c) => c.notNull())
    .addColumn("detail", "text", (c) => c.notNull())
    .execute();
  await db.insertInto("sequences").values({ name: "audit", value: 0 }).execute();
}
