/** Schema 42: the footers of messages, which say who acknowledged their alerts. */
import { type Kysely, sql } from "kysely";
import { OPEN } from "../db/literals.ts";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("messages").addColumn("footer", "text").execute();
  // Only messages with a footer are edited. Older messages do not say whether their sink can edit
  // them, so all that are not sent yet, or have an id of the sink's own, get an empty one.
  await db
    .updateTable("messages")
    .set({ footer: "" })
    .where((eb) => eb.or([eb("state", "=", OPEN), eb("ref", "is not", null)]))
    .execute();
  await db.schema
    .createTable("message_footers")
    .addColumn("message_id", "text", (column) => column.primaryKey())
    .addColumn("sink", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("revision", "integer", (column) => column.notNull())
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("due_at", "bigint", (column) => column.notNull())
    .addColumn("shown", "text")
    .addColumn("error", "text", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("message_footers_due")
    .on("message_footers")
    .columns(["sink", "due_at"])
    .where(sql<boolean>`state = 'waiting'`)
    .execute();
}
