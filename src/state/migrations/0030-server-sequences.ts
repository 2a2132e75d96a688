/** Schema 30: on Postgres, sequences of the server in place of rows that every writer would lock. A file stays as it is. */
import type { Kysely } from "kysely";
import { useServerSequences } from "../db/sequence.ts";
import { isOnPostgres } from "../db/statement.ts";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  if (isOnPostgres(db)) await useServerSequences(db);
}
