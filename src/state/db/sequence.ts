/**
 * Assigns increasing numbers that give rows their order, inside the transaction that uses them. On
 * SQLite, the table `sequences` has the last number of each kind. On Postgres, such a row would
 * stay locked until the transaction ends, so sequences of the server assign the numbers, and
 * `sequences` is a view of them. If two transactions run at the same time on Postgres, the one with
 * the higher number may be committed first.
 */
import { sql } from "kysely";
import { type Executor, isOnPostgres, statement } from "./statement.ts";

type NumberName = "target" | "event" | "delivery" | "enrichment" | "ledger" | "audit" | "silence";

const take = statement<{ name: string; count: number }>()((on, slot) =>
  on
    .updateTable("sequences")
    .set((eb) => ({ value: eb("value", "+", slot("count")) }))
    .where("name", "=", slot("name"))
    .returning("value"),
);

const takeEach = statement<{ sequence: string; count: number }>()((on, slot) =>
  on
    .selectFrom(sql`generate_series(1, cast(${slot("count")} as int))`.as("number"))
    .select(sql<number>`nextval(cast(cast(${slot("sequence")} as text) as regclass))`.as("value")),
);

/**
 * Returns a function that gives a number for each index from 0 to `count` - 1. The numbers grow
 * with the index, and no other row gets them.
 */
export async function nextNumbers(
  on: Executor,
  name: NumberName,
  count: number,
): Promise<(index: number) => number> {
  if (isOnPostgres(on)) {
    const { rows } = await takeEach(on, { sequence: sequenceOf(name), count });
    return (index) => Number(rows[index]?.value);
  }
  const { rows } = await take(on, { name, count });
  const first = Number(rows[0]?.value ?? count) - count + 1;
  return (index) => first + index;
}

/** Returns the name of the server's sequence. */
export const sequenceOf = (name: string): string => `numbers_${name}`;

/** Sets the sequences of the server to the last number that was assigned under each name. */
export async function setServerSequences(
  on: Executor,
  rows: readonly { readonly name: string; readonly value: number }[],
): Promise<void> {
  for (const { name, value } of rows)
    await sql`select setval(${sql.lit(sequenceOf(name))}, ${sql.lit(Number(value))})`.execute(on);
}
