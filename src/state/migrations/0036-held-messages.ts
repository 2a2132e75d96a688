/** Schema 36: messages that a mute holds back before their next attempt. */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("messages").addColumn("held_by", "text").execute();
}
