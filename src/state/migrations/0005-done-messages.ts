/**
 * Schema 5: an index for counting the messages that are done, which status and metrics ask for all
 * the time.
 */
import type { Kysely } from "kysely";
import { OPEN } from "../db/literals.ts";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createIndex("messages_done")
    .on("messages")
    .columns(["sink", "state", "done_at"])
    .where("state", "!=", OPEN)
    .execute();
}
