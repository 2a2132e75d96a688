/**
 * Deletes rows that are older than the retention, in small transactions. Nothing that waits is
 * deleted.
 */
import { BACKFILL_KEPT_MS } from "../../model/backfill.ts";
import { OVERDUE_RECHECK_MS } from "../../model/recheck.ts";
import { type Executor, transact } from "../db/statement.ts";
import { forgetBackfills } from "../items/backfills.ts";
import { OPEN, WAITING } from "../db/literals.ts";

const REMOVED_WATCHES_KEPT_MS = 30 * 86_400_000;
/**
 * The minimum time for which the ledger's sums are kept, even if the retention is shorter, because
 * a month's quota is computed from them.
 */
const SUMS_KEPT_MS = 62 * 86_400_000;
/**
 * The minimum time for which single attempts are kept in the ledger, because the first hour of a
 * month that does not begin on a full hour of UTC is counted from them.
 */
const ATTEMPTS_KEPT_MS = 32 * 86_400_000;
/**
 * The minimum time for which mentions are kept: the longest pause between mentions that may be
 * configured.
 */
const MENTIONS_KEPT_MS = 30 * 86_400_000;
/** Vendors deliver a click again within minutes, or never. */
const CLICKS_KEPT_MS = 86_400_000;
const AT_ONCE = 500;

/** The beginnings of the names of notes about a watch: `volume:<key>`, `list:<key>:at`. */
const WATCH_NOTES = ["volume", "list"] as const;

export async function prune(
  db: Executor,
  nowMs: number,
  retentionMs: number,
  inUse: ReadonlySet<string>,
): Promise<void> {
  const before = nowMs - retentionMs;
  await forgetWatches(db, nowMs - REMOVED_WATCHES_KEPT_MS);
  await forgetTweets(db, before);
  await db.deleteFrom("threads").where("ends_at", "<", nowMs).execute();
  await repeat(() => forgetMessages(db, before));
  await db.deleteFrom("crossposts").where("done_at", "<", before).execute();
  await db
    .deleteFrom("mentions")
    .where("mentioned_at", "<", nowMs - Math.max(retentionMs, MENTIONS_KEPT_MS))
    .execute();
  await db.deleteFrom("attempts").where("at", "<", before).execute();
  await forgetBackfills(db, nowMs - BACKFILL_KEPT_MS);
  await forgetDeliveries(db, before);
  await db
    .deleteFrom("edits")
    .where("delivery_id", "not in", db.selectFrom("deliveries").select("id"))
    .execute();
  await db
    .deleteFrom("escalations")
    .where("delivery_id", "not in", db.selectFrom("deliveries").select("id"))
    .execute();
  await db
    .deleteFrom("message_footers")
    .where("message_id", "not in", db.selectFrom("messages").select("id"))
    .execute();
  await db
    .deleteFrom("enrichments")
    .where("state", "!=", WAITING)
    .where("created_at", "<", before)
    .execute();
  await forgetEvents(db, before);
  for (const table of ["levels", "event_marks"] as const)
    await db
      .deleteFrom(table)
      .where("event_id", "not in", db.selectFrom("events").select("id"))
      .execute();
  await db
    .deleteFrom("clicks")
    .where("clicked_at", "<", nowMs - CLICKS_KEPT_MS)
    .execute();
  await forgetLedger(
    db,
    nowMs - Math.max(retentionMs, ATTEMPTS_KEPT_MS),
    nowMs - Math.max(retentionMs, SUMS_KEPT_MS),
  );
  // These are rechecks of watches that are no longer polled. Other rechecks end by themselves.
  await db
    .deleteFrom("rechecks")
    .where("until_at", "<", nowMs - OVERDUE_RECHECK_MS)
    .execute();
  await db.deleteFrom("watch_hours").where("hour", "<", before).execute();
  await db.deleteFrom("silences").where("ends_at", "<", before).execute();
  await db
    .deleteFrom("groups")
    .where("due_at", "is", null)
    .where("last_sealed_at", "<", before)
    .execute();
  await forgetSources(db, before, inUse);
  await forgetNotes(db);
}

/** Repeats a round until it deletes nothing more. */
async function repeat(round: () => Promise<bigint>): Promise<void> {
  while ((await round()) > 0n);
}

/**
 * Deletes the memory of sources that are no longer polled. A source in use is kept, because its
 * schedule may be slower than the retention.
 */
async function forgetSources(
  db: Executor,
  before: number,
  inUse: ReadonlySet<string>,
): Promise<void> {
  const old = await db
    .selectFrom("sources")
    .select("fingerprint")
    .where("last_poll_at", "<", before)
    .execute();
  const unused = old
    .map(({ fingerprint }) => fingerprint)
    .filter((fingerprint) => !inUse.has(fingerprint));
  for (let at = 0; at < unused.length; at += AT_ONCE)
    await db
      .deleteFrom("sources")
      .where("fingerprint", "in", unused.slice(at, at + AT_ONCE))
      .where("last_poll_at", "<", before)
      .execute();
  await forgetGroups(db);
}

/** Deletes the learned values of groups that are no longer polled. */
async function forgetGroups(db: Executor): Promise<void> {
  const known = db.selectFrom("sources").select("fingerprint");
  await db
    .deleteFrom("learned")
    .where("scope", "=", "groups")
    .where("key", "not in", known)
    .execute();
}

async function forgetNotes(db: Executor): Promise<void> {
  const watches = new Set(
    (await db.selectFrom("watches").select("key").execute()).map(({ key }) => key),
  );
  for (const what of WATCH_NOTES) {
    const notes = await db
      .selectFrom("notes")
      .select("name")
      .where("name", "like", `${what}:%`)
      .execute();
    const unused = notes
      .map(({ name }) => name)
      .filter((name) => !watches.has(name.split(":")[1] ?? ""));
    for (const name of unused) await db.deleteFrom("notes").where("name", "=", name).execute();
  }
}

/**
 * Deletes watches and targets that were removed long ago. The items of all these targets are
 * deleted in one scan, because no index leads from a target to its items.
 */
async function forgetWatches(db: Executor, removedBefore: number): Promise<void> {
  await transact(db, async (on) => {
    const gone = on
      .selectFrom("targets as t")
      .innerJoin("watches as w", "w.key", "t.watch_key")
      .select("t.id")
      .where((eb) =>
        eb.or([eb("t.removed_at", "<", removedBefore), eb("w.removed_at", "<", removedBefore)]),
      );
    if ((await gone.limit(1).execute()).length > 0) {
      for (const table of ["items", "members", "rechecks"] as const)
        await on.deleteFrom(table).where("target_id", "in", gone).execute();
      await on.deleteFrom("targets").where("id", "in", gone).execute();
    }
    await on.deleteFrom("watches").where("removed_at", "<", removedBefore).execute();
  });
}

/**
 * Deletes old items, reading them in the order of their key. An index by time would slow down every
 * poll; this scan runs once a day.
 */
async function forgetTweets(db: Executor, before: number): Promise<void> {
  let after = "";
  for (;;) {
    const rows = await db
      .selectFrom("items")
      .select(["item_id"])
      .where("item_id", ">", after)
      .orderBy("item_id")
      .limit(AT_ONCE)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    await db
      .deleteFrom("items")
      .where("item_id", ">", after)
      .where("item_id", "<=", last.item_id)
      .where("item_kind", "=", "tweet")
      .where("seen_at", "<", before)
      .execute();
    after = last.item_id;
  }
}

const forgetMessages = async (db: Executor, before: number): Promise<bigint> => {
  const old = db
    .selectFrom("messages")
    .select("id")
    .where("state", "!=", OPEN)
    .where("done_at", "<", before)
    // Further messages of the thread are still posted below this message.
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("threads as t")
            .select("t.sink")
            .whereRef("t.message_id", "=", "messages.id"),
        ),
      ),
    )
    .limit(AT_ONCE);
  return (await db.deleteFrom("messages").where("id", "in", old).executeTakeFirst()).numDeletedRows;
};

/** Deletes old deliveries, except those that wait or whose message is still stored. */
async function forgetDeliveries(db: Executor, before: number): Promise<void> {
  let after = 0;
  for (;;) {
    const rows = await db
      .selectFrom("deliveries")
      .select("id")
      .where("id", ">", after)
      .where("created_at", "<", before)
      .orderBy("id")
      .limit(AT_ONCE)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    await db
      .deleteFrom("deliveries")
      .where("id", ">", after)
      .where("id", "<=", last.id)
      .where("created_at", "<", before)
      .where("state", "!=", WAITING)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom("messages")
              .select("messages.id")
              .whereRef("messages.id", "=", "deliveries.message_id"),
          ),
        ),
      )
      .execute();
    after = last.id;
  }
}

async function forgetEvents(db: Executor, before: number): Promise<void> {
  let after = 0;
  for (;;) {
    const rows = await db
      .selectFrom("events")
      .select("seq")
      .where("seq", ">", after)
      .where("detected_at", "<", before)
      .orderBy("seq")
      .limit(AT_ONCE)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    await db
      .deleteFrom("events")
      .where("seq", ">", after)
      .where("seq", "<=", last.seq)
      .where("detected_at", "<", before)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom("deliveries")
              .select("deliveries.id")
              .whereRef("deliveries.event_id", "=", "events.id"),
          ),
        ),
      )
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom("enrichments")
              .select("enrichments.seq")
              .whereRef("enrichments.event_id", "=", "events.id")
              .where("enrichments.state", "=", WAITING),
          ),
        ),
      )
      .execute();
    after = last.seq;
  }
}

async function forgetLedger(db: Executor, before: number, sumsBefore: number): Promise<void> {
  const old = db.selectFrom("ledger").select("id").where("reserved_at", "<", before).limit(AT_ONCE);
  await repeat(
    async () =>
      (await db.deleteFrom("ledger").where("id", "in", old).executeTakeFirst()).numDeletedRows,
  );
  const hour = Math.floor(sumsBefore / 3_600_000);
  await db.deleteFrom("spent_hours").where("hour", "<", hour).execute();
  await db.deleteFrom("spent_lines").where("hour", "<", hour).execute();
}
