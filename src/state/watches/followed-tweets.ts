/** How many fresh tweets each watch follows. */
import type { Executor } from "../db/statement.ts";

/** How many there are, by watch key; watches that follow none are left out. */
export async function countFollowed(db: Executor): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom("rechecks as r")
    .innerJoin("targets as t", "t.id", "r.target_id")
    .select(["t.watch_key", (eb) => eb.fn.countAll<number>().as("count")])
    .groupBy("t.watch_key")
    .execute();
  return new Map(rows.map(({ watch_key, count }) => [watch_key, Number(count)]));
}
