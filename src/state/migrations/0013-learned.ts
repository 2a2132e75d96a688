/** Schema 13: one table for what is learned, instead of notes that hold many values each and the memory of groups among the sources. */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

/** Accounts that changed since the note they belong in was written. */
const RECENT = "probes.recent";
/** Scopes by what the names of notes begin with; the first that fits. */
const SCOPES = [
  ["feeds.", "feeds"],
  ["probes.counts", "group_counts"],
  ["probes.", "accounts"],
  ["changes", "other_changes"],
] as const;

type Values = Readonly<Record<string, unknown>>;

export async function up(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("learned")
    .addColumn("scope", "text", (c) => c.notNull())
    .addColumn("key", "text", (c) => c.notNull())
    .addColumn("value", "text", (c) => c.notNull())
    .addColumn("epoch", "integer", (c) => c.notNull())
    .addColumn("revision", "integer", (c) => c.notNull())
    .addPrimaryKeyConstraint("learned_pk", ["scope", "key"])
    .execute();
  await moveNotes(db);
  await moveGroups(db);
}

async function moveNotes(db: Kysely<Tables>): Promise<void> {
  const notes = await db.selectFrom("notes").selectAll().execute();
  // An account that stands in two notes is as the recent one says: what comes first stays.
  for (const { name, value } of notes.toSorted((one, other) => Number(other.name === RECENT) - Number(one.name === RECENT))) {
    const scope = SCOPES.find(([beginning]) => name.startsWith(beginning))?.[1];
    if (scope === undefined) continue;
    for (const [key, one] of Object.entries(JSON.parse(value) as Values)) await insert(db, scope, key, JSON.stringify(one));
    await db.deleteFrom("notes").where("name", "=", name).execute();
  }
}

async function moveGroups(db: Kysely<Tables>): Promise<void> {
  for (const { fingerprint, memory } of await db.selectFrom("sources").select(["fingerprint", "memory"]).execute()) {
    // Of the sources, groups alone remember a choice of strategy.
    if (!Object.hasOwn(JSON.parse(memory) as Values, "chosenAtMs")) continue;
    await insert(db, "groups", fingerprint, memory);
    await db.updateTable("sources").set({ memory: "{}" }).where("fingerprint", "=", fingerprint).execute();
  }
}

async function insert(db: Kysely<Tables>, scope: string, key: string, value: string): Promise<void> {
  await db
    .insertInto("learned")
    .values({ scope, key, value, epoch: 0, revision: 0 })
    .onConflict((conflict) => conflict.columns(["scope", "key"]).doNothing())
    .execute();
}
