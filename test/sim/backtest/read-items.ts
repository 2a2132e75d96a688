/** Reads the verdict on each item from the file of a state, with plain SQL. */
import { loadDriver } from "../../../src/state/db/driver.ts";

const Database = loadDriver();

export interface LeftItem {
  readonly watchKey: string;
  readonly targetKey: string;
  readonly itemId: string;
  readonly kind: "tweet" | "user";
  readonly verdict: string;
  readonly detail: string;
  readonly seenAtMs: number;
  readonly isBackfilled: boolean;
}

export function readItems(path: string): readonly LeftItem[] {
  const database = new Database(path, { fileMustExist: true });
  try {
    const items = database
      .prepare(
        `select t.watch_key as watchKey, t.key as targetKey, i.item_id as itemId, i.item_kind as kind,
        i.verdict, i.detail, i.seen_at as seenAtMs, exists (select 1 from deliveries d
        where d.event_id = i.event_id and d.routed like '%isBackfilled%') as isBackfilled
        from items i join targets t on t.id = i.target_id order by 1, 2, 3`,
      )
      .all() as (Omit<LeftItem, "isBackfilled"> & { readonly isBackfilled: number })[];
    return items.map((item) => ({ ...item, isBackfilled: item.isBackfilled === 1 }));
  } finally {
    database.close();
  }
}
