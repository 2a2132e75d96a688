/**
 * Stores learned values: small values that the daemon has measured and keeps, with a row for each.
 */
import type { Json } from "../../model/json.ts";
import { fromText, toText } from "../db/json-text.ts";
import { type Executor, insertRows, transact } from "../db/statement.ts";

const AT_ONCE = 500;

export async function loadLearned(
  db: Executor,
  scope: string,
  keys?: readonly string[],
): Promise<ReadonlyMap<string, Json>> {
  if (keys?.length === 0) return new Map();
  const rows = db.selectFrom("learned").select(["key", "value"]).where("scope", "=", scope);
  const found = await (keys === undefined ? rows : rows.where("key", "in", keys)).execute();
  return new Map(found.map(({ key, value }) => [key, fromText<Json>(value)]));
}

const upsert = insertRows("learned", ["scope", "key", "value", "epoch", "revision"], (insert) =>
  insert.onConflict((conflict) =>
    conflict.columns(["scope", "key"]).doUpdateSet((eb) => ({
      value: eb.ref("excluded.value"),
      epoch: eb.ref("excluded.epoch"),
      revision: eb("learned.revision", "+", 1),
    })),
  ),
);

export async function saveLearned(
  db: Executor,
  scope: string,
  changes: ReadonlyMap<string, Json | null>,
): Promise<void> {
  const written = [...changes].flatMap(([key, value]) =>
    value === null ? [] : [{ scope, key, value: toText(value), epoch: 0, revision: 0 }],
  );
  const deleted = [...changes].flatMap(([key, value]) => (value === null ? [key] : []));
  await transact(db, async (on) => {
    await upsert(on, written);
    for (let at = 0; at < deleted.length; at += AT_ONCE)
      await on
        .deleteFrom("learned")
        .where("scope", "=", scope)
        .where("key", "in", deleted.slice(at, at + AT_ONCE))
        .execute();
  });
}
