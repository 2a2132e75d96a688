/**
 * Stores the rechecks of fresh tweets: finds those that are due, and applies the changes of a
 * commit.
 */
import type { Verdict } from "../../model/event.ts";
import type { LateVerdict, Recheck, RecheckRef } from "../../model/recheck.ts";
import { eventOf } from "./insert-events.ts";
import { type Executor, insertRows, listStatement, statement } from "../db/statement.ts";
import type { RechecksTable } from "../db/tables.ts";
import type { TargetRevisions } from "../watches/target-revisions.ts";

interface DueQuery {
  readonly nowMs: number;
  readonly paused: number;
  readonly mostTweets: number;
}

interface RunNowQuery {
  readonly watchKey: string;
  readonly laterThanMs: number;
  readonly dueAtMs: number;
}

const dueOf = (on: Executor, slot: <Name extends keyof DueQuery>(name: Name) => DueQuery[Name]) =>
  on
    .selectFrom("rechecks as r")
    .innerJoin("targets as t", "t.id", "r.target_id")
    .innerJoin("watches as w", "w.key", "t.watch_key")
    .where("r.due_at", "<=", slot("nowMs"))
    .where("w.paused", "=", slot("paused"))
    .where("w.removed_at", "is", null)
    .where("t.removed_at", "is", null)
    .where("t.merged_into", "is", null);

const due = statement<DueQuery>()((on, slot) =>
  dueOf(on, slot)
    .select([
      "t.watch_key",
      "t.key",
      "r.tweet_id",
      "r.due_at",
      "r.until_at",
      "r.event_id",
      "r.condition",
      "r.absences",
      "r.versions",
    ])
    .where(
      "r.tweet_id",
      "in",
      dueOf(on, slot)
        .select("r.tweet_id")
        .distinct()
        .orderBy("r.tweet_id")
        .limit(slot("mostTweets")),
    )
    .orderBy("r.tweet_id")
    .orderBy("r.target_id"),
);

export async function dueRechecks(
  db: Executor,
  nowMs: number,
  mostTweets: number,
): Promise<readonly Recheck[]> {
  const { rows } = await due(db, { nowMs, paused: 0, mostTweets });
  return rows.map((row) => ({
    watchKey: row.watch_key,
    targetKey: row.key,
    tweetId: row.tweet_id,
    dueAtMs: Number(row.due_at),
    untilMs: Number(row.until_at),
    eventId: row.event_id,
    condition: row.condition,
    absences: row.absences,
    versions: row.versions === "" ? [] : row.versions.split(" "),
  }));
}

const runNow = statement<RunNowQuery>()((on, slot) =>
  on
    .updateTable("rechecks")
    .set({ due_at: slot("dueAtMs") })
    .where("due_at", ">", slot("laterThanMs"))
    .where(
      "target_id",
      "in",
      on.selectFrom("targets").select("id").where("watch_key", "=", slot("watchKey")),
    ),
);

export async function runRechecksNow(db: Executor, query: RunNowQuery): Promise<void> {
  await runNow(db, query);
}

const upsert = insertRows(
  "rechecks",
  ["target_id", "tweet_id", "due_at", "until_at", "event_id", "condition", "absences", "versions"],
  (insert) =>
    insert.onConflict((conflict) =>
      conflict.columns(["target_id", "tweet_id"]).doUpdateSet((eb) => ({
        due_at: eb.ref("excluded.due_at"),
        event_id: eb.ref("excluded.event_id"),
        absences: eb.ref("excluded.absences"),
        versions: eb.ref("excluded.versions"),
      })),
    ),
);

const remove = listStatement<{ targetId: number }, string>()((on, list, slot) =>
  on.deleteFrom("rechecks").where("tweet_id", "in", list).where("target_id", "=", slot("targetId")),
);

const turnIntoEvent = statement<{
  targetId: number;
  itemId: string;
  eventId: string;
  was: Verdict;
  is: "event";
}>()((on, slot) =>
  on
    .updateTable("items")
    .set({ verdict: slot("is"), detail: "", event_id: slot("eventId") })
    .where("item_id", "=", slot("itemId"))
    .where("target_id", "=", slot("targetId"))
    .where("verdict", "=", slot("was")),
);

export interface RecheckChanges {
  readonly rechecks: readonly Recheck[];
  readonly ended: readonly RecheckRef[];
  readonly late: readonly LateVerdict[];
}

/** Applies changes of rechecks. Returns false if one of them names a removed target. */
export async function applyRechecks(
  on: Executor,
  targets: TargetRevisions,
  changes: RecheckChanges,
): Promise<boolean> {
  const rows: RechecksTable[] = [];
  for (const one of changes.rechecks) {
    const target = await targets.find(one);
    if (target === undefined) return false;
    const {
      tweetId: tweet_id,
      dueAtMs: due_at,
      untilMs: until_at,
      eventId: event_id,
      condition,
      absences,
    } = one;
    const versions = one.versions.join(" ");
    rows.push({
      target_id: target.id,
      tweet_id,
      due_at,
      until_at,
      event_id,
      condition,
      absences,
      versions,
    });
  }
  await upsert(on, rows);
  for (const { tweetId, ...ref } of changes.ended) {
    const target = await targets.find(ref);
    if (target !== undefined) await remove(on, [tweetId], { targetId: target.id });
  }
  for (const { itemId, eventId, was = "filtered", ...ref } of changes.late) {
    const target = await targets.find(ref);
    if (target === undefined) return false;
    await turnIntoEvent(on, { targetId: target.id, itemId, eventId, was, is: "event" });
  }
  return true;
}

const byIds = listStatement<object, string>()((on, list) =>
  on.selectFrom("events").selectAll().where("id", "in", list),
);

export const eventsById = async (db: Executor, ids: readonly string[]) =>
  (await byIds(db, ids, {})).rows.map(eventOf);
