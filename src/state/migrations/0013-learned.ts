/**
 * Schema 13: adds a table with a row for each learned value. The rows replace notes that held many
 * values each, and the memory of groups that was stored among the sources. The table also stores
 * which conditions the operator was alerted to.
 */
import type { Kysely } from "kysely";
import type { Tables } from "../db/tables.ts";

/** The name of the note with the accounts that changed after the main note was written. */
const RECENT = "probes.recent";
/**
 * The scopes, each with the prefix of the names of its notes. The first prefix that matches a name
 * decides.
 */
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
  await moveAlerts(db);
}

async function moveNotes(db: Kysely<Tables>): Promise<void> {
  const notes = await db.selectFrom("notes").selectAll().execute();
  // If two notes have the same account, the more recent note counts. It is read first, and the
  // first value is kept.
  for (const { name, value } of notes.toSorted(
    (one, other) => Number(other.name === RECENT) - Number(one.name === RECENT),
  )) {
    const scope = SCOPES.find(([beginning]) => name.startsWith(beginning))?.[1];
    if (scope === undefined) continue;
    for (const [key, one] of Object.entries(JSON.parse(value) as Values))
      await insert(db, scope, key, JSON.stringify(one));
    await db.deleteFrom("notes").where("name", "=", name).execute();
  }
}

async function moveGroups(db: Kysely<Tables>): Promise<void> {
  for (const { fingerprint, memory } of await db
    .selectFrom("sources")
    .select(["fingerprint", "memory"])
    .execute()) {
    // Among the sources, only groups remember a strategy.
    if (!Object.hasOwn(JSON.parse(memory) as Values, "chosenAtMs")) continue;
    await insert(db, "groups", fingerprint, memory);
    await db
      .updateTable("sources")
      .set({ memory: "{}" })
      .where("fingerprint", "=", fingerprint)
      .execute();
  }
}

/** Moves the conditions that the operator was alerted to, so that no alert is repeated. */
async function moveAlerts(db: Kysely<Tables>): Promise<void> {
  for (const { name, value } of await db.selectFrom("notes").selectAll().execute()) {
    const keys = conditionsIn(name, JSON.parse(value) as unknown);
    if (keys === undefined) continue;
    for (const [key, about] of keys)
      await insert(db, "ops_alerts", key, JSON.stringify({ times: 1, isRaised: true, about }));
    await db.deleteFrom("notes").where("name", "=", name).execute();
  }
}

/**
 * Returns the conditions that a note contains, each as a key and a subject; undefined for a note
 * without conditions.
 */
function conditionsIn(
  name: string,
  value: unknown,
): readonly (readonly [key: string, about: string])[] | undefined {
  const listed = (Array.isArray(value) ? value : value === null ? [] : [value]).map(String);
  if (name === "upstream.dark" || name === "upstream.silent")
    return value === null ? [] : [[name, ""]];
  if (name === "watch.stalled") return listed.map((watch) => [`watch.stalled:${watch}`, ""]);
  if (name === "keys.refused") return listed.map((key) => [`key.refused:${key}`, ""]);
  if (name === "quota.short" || name === "quota.spent" || name.startsWith("quota.drift:"))
    return listed.map((period) => [`${name}:${period}`, ""]);
  if (!name.startsWith("list:") || name.endsWith(":at")) return undefined;
  return value === "" ? [] : [[`list.incomplete:${name.slice("list:".length)}`, String(value)]];
}

async function insert(
  db: Kysely<Tables>,
  scope: string,
  key: string,
  value: string,
): Promise<void> {
  await db
    .insertInto("learned")
    .values({ scope, key, value, epoch: 0, revision: 0 })
    .onConflict((conflict) => conflict.columns(["scope", "key"]).doNothing())
    .execute();
}
