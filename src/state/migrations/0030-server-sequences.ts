/**
 * Schema 30: on Postgres, sequences of the server replace the table of counters, whose rows every
 * writer would lock. A state file is not changed.
 */
import { type Kysely, sql } from "kysely";
import { sequenceOf, setServerSequences } from "../db/sequence.ts";
import { type Executor, isOnPostgres } from "../db/statement.ts";
import type { Tables } from "../db/tables.ts";

export async function up(db: Kysely<Tables>): Promise<void> {
  if (isOnPostgres(db)) await useServerSequences(db);
}

/** Replaces the table by sequences that continue its numbers, and by a view with its name. */
async function useServerSequences(on: Executor): Promise<void> {
  const rows = await on.selectFrom("sequences").selectAll().orderBy("name").execute();
  await on.schema.dropTable("sequences").execute();
  for (const { name } of rows)
    await sql`create sequence ${sql.ref(sequenceOf(name))} minvalue 0`.execute(on);
  await setServerSequences(on, rows);
  const shown = rows.map(
    ({ name }) =>
      sql`select cast(${sql.lit(name)} as text) collate "C" as name, last_value as value from ${sql.ref(sequenceOf(name))}`,
  );
  await sql`create view sequences as ${sql.join(shown, sql` union all `)}`.execute(on);
}
