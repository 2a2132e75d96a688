/**
 * Schema 26: the type of sink for which a message was sealed, because a sink of another type cannot
 * send it.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("messages").addColumn("sealed_for", "text").execute();
}
