/**
 * Schema 26: for which type of sink a message was sealed: a sink of another type cannot send it.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("messages").addColumn("sealed_for", "text").execute();
}
