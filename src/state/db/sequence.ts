/** Gives rows their order: blocks of growing numbers, taken inside the transaction that uses them. */
import { type Executor, statement } from "./statement.ts";

const take = statement<{ name: string; count: number }>()((on, slot) =>
  on
    .updateTable("sequences")
    .set((eb) => ({ value: eb("value", "+", slot("count")) }))
    .where("name", "=", slot("name"))
    .returning("value"),
);

/** The first of `count` consecutive numbers that nobody else gets. */
export async function nextNumbers(
  on: Executor,
  name: "target" | "event" | "delivery" | "enrichment" | "ledger" | "audit" | "silence",
  count: number,
): Promise<number> {
  const { rows } = await take(on, { name, count });
  return Number(rows[0]?.value ?? count) - count + 1;
}
