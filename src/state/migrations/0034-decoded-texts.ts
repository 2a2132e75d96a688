/**
 * Schema 34: texts are stored decoded, as `api/` now reads them. Older releases stored them as the
 * service escapes them, so without this the next poll would find changed texts. Sealed messages are
 * not changed.
 */
import { type Kysely, sql } from "kysely";
import type { Tables } from "../db/tables.ts";

/**
 * The columns with texts, by table. JSON escapes none of the three characters, so a column of JSON
 * is decoded like a text.
 */
const COLUMNS = [
  ["events", "body"],
  ["targets", "memory"],
  ["sources", "memory"],
  ["members", "display_name"],
  ["backfill_tweets", "body"],
  ["edits", "shown"],
  ["deliveries", "once_key"],
] as const;

export async function up(db: Kysely<Tables>): Promise<void> {
  for (const [table, column] of COLUMNS) {
    const text = sql.ref(column);
    // The ampersand comes last, because `&amp;lt;` stands for `&lt;`.
    const decoded = sql`replace(replace(replace(${text}, '&lt;', '<'), '&gt;', '>'), '&amp;', '&')`;
    await sql`update ${sql.table(table)} set ${text} = ${decoded} where ${text} like '%&%;%'`.execute(
      db,
    );
  }
}
