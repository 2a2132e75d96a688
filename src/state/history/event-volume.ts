/**
 * Counts the events of a watch in a period and finds its last event, for alerts on the volume of
 * events.
 */
import type { TimeSpan } from "../../model/volume-store.ts";
import { type Executor, statement } from "../db/statement.ts";

const OWN = "volume.%";

const countIn = statement<{ watchKey: string; fromMs: number; toMs: number; own: string }>()(
  (on, slot) =>
    on
      .selectFrom("events")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("watch_key", "=", slot("watchKey"))
      .where("occurred_at", ">", slot("fromMs"))
      .where("occurred_at", "<=", slot("toMs"))
      .where("type", "not like", slot("own")),
);

export async function countEvents(
  db: Executor,
  watchKey: string,
  spans: readonly TimeSpan[],
): Promise<readonly number[]> {
  const counts: number[] = [];
  for (const { fromMs, toMs } of spans) {
    const [row] = (await countIn(db, { watchKey, fromMs, toMs, own: OWN })).rows;
    counts.push(Number(row?.count ?? 0));
  }
  return counts;
}

const newestItem = statement<{ watchKey: string; own: string; one: number }>()((on, slot) =>
  on
    .selectFrom("events")
    .select(["id", "detected_at"])
    .where("watch_key", "=", slot("watchKey"))
    .where("type", "not like", slot("own"))
    .orderBy("occurred_at", "desc")
    .limit(slot("one")),
);

const newestOf = statement<{ watchKey: string; type: string; sinceMs: number; one: number }>()(
  (on, slot) =>
    on
      .selectFrom("events")
      .select(["id", "detected_at"])
      .where("watch_key", "=", slot("watchKey"))
      .where("type", "=", slot("type"))
      .where("occurred_at", ">=", slot("sinceMs"))
      .orderBy("occurred_at", "desc")
      .limit(slot("one")),
);

/**
 * Returns the last event of a watch. Without `wanted`, events about the volume of the watch do not
 * count. With `wanted`, only events of that type count, and only if they occurred at `sinceMs` or
 * later.
 */
export async function newestEvent(
  db: Executor,
  watchKey: string,
  wanted?: { readonly type: string; readonly sinceMs: number },
) {
  const { rows } =
    wanted === undefined
      ? await newestItem(db, { watchKey, own: OWN, one: 1 })
      : await newestOf(db, { watchKey, ...wanted, one: 1 });
  const [row] = rows;
  return row === undefined ? undefined : { id: row.id, detectedAtMs: Number(row.detected_at) };
}
