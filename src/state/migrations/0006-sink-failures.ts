/**
 * Schema 6: stores why a sink's breaker is open, and when the operator was notified. Before, only a
 * destination that no longer exists opened a breaker, and the operator was notified at once.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("sink_health")
    .addColumn("cause", "text", (c) => c.notNull().defaultTo("transient"))
    .execute();
  await db.schema
    .alterTable("sink_health")
    .addColumn("hint", "text", (c) => c.notNull().defaultTo(""))
    .execute();
  await db.schema
    .alterTable("sink_health")
    .addColumn("is_reported", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable("sink_health").addColumn("reported_at", "bigint").execute();
  await db
    .updateTable("sink_health")
    .set((eb) => ({ cause: "destination", is_reported: 1, reported_at: eb.ref("opened_at") }))
    .where("breaker", "=", "open")
    .execute();
}
