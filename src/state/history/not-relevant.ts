/** Counts the alerts that people marked as not relevant, by watch and author. */
import type { NotRelevantCount } from "../../model/marks.ts";
import { type Executor, statement } from "../db/statement.ts";

const byAuthor = statement<{ kind: "not_relevant"; since: number }>()((on, slot) =>
  on
    .selectFrom("event_marks as a")
    .innerJoin("events as e", "e.id", "a.event_id")
    .select((eb) => ["e.watch_key", "e.handle", eb.fn.countAll<number>().as("count")])
    .where("a.kind", "=", slot("kind"))
    .where("a.undone_at", "is", null)
    .where("e.watch_type", "!=", "daemon")
    .where("e.occurred_at", ">=", slot("since"))
    .groupBy(["e.watch_key", "e.handle"])
    .orderBy("count", "desc")
    .orderBy("e.handle"),
);

const ofWatch = statement<{ watchKey: string; since: number }>()((on, slot) =>
  on
    .selectFrom("events")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("watch_key", "=", slot("watchKey"))
    .where("occurred_at", ">=", slot("since")),
);

export async function countNotRelevant(
  db: Executor,
  sinceMs: number,
): Promise<readonly NotRelevantCount[]> {
  const { rows } = await byAuthor(db, { kind: "not_relevant", since: sinceMs });
  const counts: NotRelevantCount[] = [];
  for (const watchKey of new Set(rows.map((row) => row.watch_key))) {
    const own = rows.filter((row) => row.watch_key === watchKey);
    const [top] = own.filter(({ handle }) => handle !== null && handle !== "");
    const [all] = (await ofWatch(db, { watchKey, since: sinceMs })).rows;
    counts.push({
      watchKey,
      marked: own.reduce((sum, { count }) => sum + Number(count), 0),
      alerts: Number(all?.count ?? 0),
      topAuthor: top?.handle ?? "",
      byTopAuthor: Number(top?.count ?? 0),
    });
  }
  return counts;
}
