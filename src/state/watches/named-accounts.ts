/** Stores the ids of accounts that watches name in addition to their targets. */
import type { NamedAccountId } from "../../model/watch-store.ts";
import { fromText, toText } from "../db/json-text.ts";
import { type Executor, statement, transact } from "../db/statement.ts";

const update = statement<{ key: string; accounts: string }>()((on, slot) =>
  on
    .updateTable("watches")
    .set({ accounts: slot("accounts") })
    .where("key", "=", slot("key")),
);

/** Adds ids. A handle that has an id keeps it. */
export function nameAccounts(db: Executor, found: readonly NamedAccountId[]): Promise<void> {
  return transact(db, async (on) => {
    const byWatch = new Map<string, NamedAccountId[]>();
    for (const one of found) byWatch.set(one.watchKey, [...(byWatch.get(one.watchKey) ?? []), one]);
    for (const [key, own] of byWatch) {
      const row = await on
        .selectFrom("watches")
        .select("accounts")
        .where("key", "=", key)
        .executeTakeFirst();
      if (row === undefined) continue;
      const known = fromText<Readonly<Record<string, string>>>(row.accounts);
      const added = Object.fromEntries(own.map(({ handle, userId }) => [handle, userId]));
      await update(on, { key, accounts: toText({ ...added, ...known }) });
    }
  });
}
