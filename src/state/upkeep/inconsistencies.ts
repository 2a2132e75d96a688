/**
 * Checks whether the tables agree: finds rows that no transaction leaves behind, not even while
 * rows are pruned or a daemon runs.
 */
import { type Expression, type SqlBool, sql } from "kysely";
import type { Executor } from "../db/statement.ts";
import type { Tables } from "../db/tables.ts";

interface Rule {
  readonly table: keyof Tables;
  /** The problem of the rows that `where` finds, as text. */
  readonly fault: string;
  readonly where: Expression<SqlBool>;
}

const lacks = (table: keyof Tables, column: string, other: keyof Tables, key: string): Rule => ({
  table,
  fault: `without a row in ${other}`,
  where: sql`not exists (select 1 from ${sql.table(other)} where ${sql.ref(`${other}.${key}`)} = ${sql.ref(`${table}.${column}`)})`,
});

const behind = (name: string, table: keyof Tables, column: string): Rule => ({
  table: "sequences",
  fault: `whose next number ${table} has already`,
  where: sql`name = ${name} and value < (select coalesce(max(${sql.ref(column)}), 0) from ${sql.table(table)})`,
});

const RULES: readonly Rule[] = [
  lacks("targets", "watch_key", "watches", "key"),
  lacks("items", "target_id", "targets", "id"),
  lacks("members", "target_id", "targets", "id"),
  lacks("rechecks", "target_id", "targets", "id"),
  lacks("deliveries", "event_id", "events", "id"),
  {
    table: "deliveries",
    fault: "that are in a message and name none",
    where: sql`state in ('sealed', 'summarised') and message_id is null`,
  },
  {
    table: "deliveries",
    fault: "that wait and name a message",
    where: sql`state = 'waiting' and message_id is not null`,
  },
  {
    ...lacks("enrichments", "event_id", "events", "id"),
    where: sql`state = 'waiting' and event_id not in (select id from events)`,
  },
  behind("target", "targets", "id"),
  behind("event", "events", "seq"),
  behind("delivery", "deliveries", "id"),
  behind("enrichment", "enrichments", "seq"),
  behind("ledger", "ledger", "id"),
  behind("audit", "audit", "id"),
  behind("silence", "silences", "id"),
];

/** Returns a sentence for each rule that is broken. */
export async function findInconsistencies(db: Executor): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { table, fault, where } of RULES) {
    const { rows } = await sql<{
      count: number;
    }>`select count(*) as count from ${sql.table(table)} where ${where}`.execute(db);
    const count = Number(rows[0]?.count ?? 0);
    if (count > 0) found.push(`${table}: ${count} ${count === 1 ? "row" : "rows"} ${fault}`);
  }
  return found;
}
