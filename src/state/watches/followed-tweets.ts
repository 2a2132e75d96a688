/** How many fresh tweets each watch follows. */
import type { Executor } from "../db/statement.ts";

/** How many there are, by watch key, of all watches or of these; watches that follow none are left out. */
export async function countFollowed(db: Executor, watchKeys?: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const all = db
    .selectFrom("rechecks as r")
    .innerJoin("targets as t", "t.id", "r.target_id")
    .select(["t.watch_key", (eb) => eb.fn.countAll<number>().as("count")])
    .groupBy("t.watch_key");
  const rows = await (watchKeys === undefined ? all : all.where("t.watch_key", "in", watchKeys)).execute();
  return new Map(rows.map(({ watch_key, count }) => [watch_key, Number(count)]));
}
