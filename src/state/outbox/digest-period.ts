/**
 * Stores which period a scheduled digest covers: it begins where the previous one ended. The period
 * is written together with the sealed message.
 */
import { type DigestPeriod, digestGroup, scheduledDigestName } from "../../model/digest.ts";
import { GROUPED, WAITING } from "../db/literals.ts";
import { fromText, toText } from "../db/json-text.ts";
import { type Executor, insertRows, statement } from "../db/statement.ts";

const noteName = (sink: string, name: string): string => `digest_period\n${sink}\n${name}`;

const find = statement<{ name: string }>()((on, slot) =>
  on.selectFrom("notes").select("value").where("name", "=", slot("name")),
);

/**
 * Returns the period of the last sealed digest. Before the first digest, returns an empty period
 * that begins where the first digest will begin; null if no period is stored.
 */
export async function digestPeriod(
  db: Executor,
  sink: string,
  name: string,
): Promise<DigestPeriod | null> {
  const row = (await find(db, { name: noteName(sink, name) })).rows[0];
  return row === undefined ? null : fromText<DigestPeriod>(row.value);
}

const upsert = insertRows("notes", ["name", "value"], (insert) =>
  insert.onConflict((conflict) =>
    conflict.column("name").doUpdateSet((eb) => ({ value: eb.ref("excluded.value") })),
  ),
);

export async function savePeriod(
  on: Executor,
  sink: string,
  name: string,
  { fromMs, toMs }: DigestPeriod,
): Promise<void> {
  await upsert(on, [{ name: noteName(sink, name), value: toText({ fromMs, toMs }) }]);
}

/**
 * Returns the last period of a scheduled digest; undefined if there was none, or if the group is no
 * scheduled digest.
 */
export async function lastPeriodOf(
  db: Executor,
  sink: string,
  groupKey: string,
): Promise<DigestPeriod | undefined> {
  const name = scheduledDigestName(groupKey);
  return name === undefined ? undefined : ((await digestPeriod(db, sink, name)) ?? undefined);
}

/**
 * Makes the first digest cover the time from now on. Does nothing if a period is stored already.
 */
export async function beginDigests(
  db: Executor,
  sink: string,
  name: string,
  nowMs: number,
): Promise<void> {
  if ((await digestPeriod(db, sink, name)) === null)
    await savePeriod(db, sink, name, { fromMs: nowMs, toMs: nowMs });
}

const dueMember = statement<{ sink: string; groupKey: string; now: number }>()((on, slot) =>
  on
    .selectFrom("deliveries")
    .select("id")
    .where("state", "=", WAITING)
    .where("grouped", "=", GROUPED)
    .where("sink", "=", slot("sink"))
    .where("group_key", "=", slot("groupKey"))
    .where("due_at", "<=", slot("now"))
    .limit(1),
);

export async function hasDueDigest(
  db: Executor,
  sink: string,
  name: string,
  nowMs: number,
): Promise<boolean> {
  return (
    (await dueMember(db, { sink, groupKey: digestGroup("schedule", name), now: nowMs })).rows
      .length > 0
  );
}
