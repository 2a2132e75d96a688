/**
 * Schema 35: a message stores which of its receivers have it already, so that a further attempt
 * leaves them out.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("messages").addColumn("taken", "text").execute();
}
