/** Schema 2: the members of lists whose departures are reported. */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("members")
    .addColumn("target_id", "integer", (c) => c.notNull())
    .addColumn("user_id", "text", (c) => c.notNull())
    .addColumn("seen_at", "bigint", (c) => c.notNull())
    .addColumn("username", "text", (c) => c.notNull())
    .addColumn("display_name", "text", (c) => c.notNull())
    .addColumn("followers_count", "integer", (c) => c.notNull())
    .addColumn("image_url", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("members_pk", ["target_id", "user_id"])
    .execute();
}
