/** Reads and writes small values of the store itself, by name. */
import { type Executor, insertRows } from "./statement.ts";

const upsert = insertRows("housekeeping", ["name", "value"], (insert) =>
  insert.onConflict((conflict) =>
    conflict.column("name").doUpdateSet((eb) => ({ value: eb.ref("excluded.value") })),
  ),
);

export const keepValue = async (on: Executor, name: string, value: string): Promise<void> =>
  void (await upsert(on, [{ name, value }]));

/** Returns the values that exist, by name. */
export async function keptValues(
  on: Executor,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await on.selectFrom("housekeeping").selectAll().where("name", "in", names).execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}
