/**
 * Deletes rows that are older than the retention, in small transactions. Nothing that waits is
 * deleted. `prune-outbox.ts` deletes messages, deliveries and events.
 */
import { BACKFILL_KEPT_MS } from "../../model/backfill.ts";
import { OVERDUE_RECHECK_MS } from "../../model/recheck.ts";
import { type Executor, transact } from "../db/statement.ts";
import { forgetBackfills } from "../items/backfills.ts";
import { type Pause, repeatPages, ROWS_PER_PAGE, walkTable } from "./pages.ts";
import {
  forgetDeliveries,
  forgetEnrichments,
  forgetEventNotes,
  forgetEvents,
  forgetMessageNotes,
  forgetMessages,
  forgetSentNotes,
} from "./prune-outbox.ts";

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
const HOUR_MS = 3_600_000;

/** The beginnings of the names of notes about a watch: `volume:<key>`, `list:<key>:at`. */
const WATCH_NOTES = ["volume", "list"] as const;

export interface Prune {
  readonly nowMs: number;
  readonly retentionMs: number;
  /** The fingerprints of sources whose memory is kept although they were not polled for long. */
  readonly inUse: ReadonlySet<string>;
  readonly pause: Pause;
}

export async function prune(
  db: Executor,
  { nowMs, retentionMs, inUse, pause }: Prune,
): Promise<void> {
  const query = { before: nowMs - retentionMs, nowMs, pause };
  const { before } = query;
  await forgetWatches(db, nowMs - REMOVED_WATCHES_KEPT_MS, pause);
  await forgetTweets(db, before, pause);
  await db.deleteFrom("threads").where("ends_at", "<", nowMs).execute();
  await forgetMessages(db, query);
  await forgetMessageNotes(db, "crossposts", query);
  await forgetMessageNotes(db, "mentions", {
    before: nowMs - Math.max(retentionMs, MENTIONS_KEPT_MS),
    pause,
  });
  await forgetMessageNotes(db, "attempts", query);
  await forgetBackfills(db, nowMs - BACKFILL_KEPT_MS);
  await forgetDeliveries(db, query);
  await forgetSentNotes(db, pause);
  await forgetEnrichments(db, query);
  await forgetEvents(db, query);
  await forgetEventNotes(db, pause);
  await db
    .deleteFrom("clicks")
    .where("clicked_at", "<", nowMs - CLICKS_KEPT_MS)
    .execute();
  await forgetLedger(db, nowMs - Math.max(retentionMs, ATTEMPTS_KEPT_MS), pause);
  const sumsBefore = nowMs - Math.max(retentionMs, SUMS_KEPT_MS);
  for (const table of ["spent_hours", "spent_lines"] as const)
    await forgetHours(db, table, Math.floor(sumsBefore / HOUR_MS), pause);
  // These are rechecks of watches that are no longer polled. Other rechecks end by themselves.
  await db
    .deleteFrom("rechecks")
    .where("until_at", "<", nowMs - OVERDUE_RECHECK_MS)
    .execute();
  await forgetHours(db, "watch_hours", before, pause);
  await db.deleteFrom("silences").where("ends_at", "<", before).execute();
  await forgetGroupTimers(db, before, pause);
  await forgetSources(db, { before, inUse, pause });
  await forgetNotes(db);
}

/**
 * Deletes the memory of sources that are no longer polled. A source in use is kept, because its
 * schedule may be slower than the retention.
 */
async function forgetSources(
  db: Executor,
  { before, inUse, pause }: Pick<Prune, "inUse" | "pause"> & { readonly before: number },
): Promise<void> {
  await walkTable(
    "",
    {
      async read(after) {
        const rows = await db
          .selectFrom("sources")
          .select(["fingerprint", "last_poll_at"])
          .where("fingerprint", ">", after)
          .orderBy("fingerprint")
          .limit(ROWS_PER_PAGE)
          .execute();
        return rows.map(({ fingerprint, last_poll_at }) => ({
          key: fingerprint,
          isOld: last_poll_at !== null && last_poll_at < before && !inUse.has(fingerprint),
        }));
      },
      forget: (_after, _last, old) =>
        db
          .deleteFrom("sources")
          .where("fingerprint", "in", old)
          .where("last_poll_at", "<", before)
          .execute(),
    },
    pause,
  );
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
async function forgetWatches(db: Executor, removedBefore: number, pause: Pause): Promise<void> {
  let hasGone = false;
  await walkTable(
    0,
    {
      async read(after) {
        const rows = await db
          .selectFrom("targets as t")
          .innerJoin("watches as w", "w.key", "t.watch_key")
          .select(["t.id", "t.removed_at", "w.removed_at as watch_removed_at"])
          .where("t.id", ">", after)
          .orderBy("t.id")
          .limit(ROWS_PER_PAGE)
          .execute();
        const isOld = (atMs: number | null) => atMs !== null && atMs < removedBefore;
        return rows.map((row) => ({
          key: row.id,
          isOld: isOld(row.removed_at) || isOld(row.watch_removed_at),
        }));
      },
      forget: async () => void (hasGone = true),
    },
    pause,
  );
  if (hasGone)
    await transact(db, async (on) => {
      const gone = on
        .selectFrom("targets as t")
        .innerJoin("watches as w", "w.key", "t.watch_key")
        .select("t.id")
        .where((eb) =>
          eb.or([eb("t.removed_at", "<", removedBefore), eb("w.removed_at", "<", removedBefore)]),
        );
      for (const table of ["items", "members", "rechecks"] as const)
        await on.deleteFrom(table).where("target_id", "in", gone).execute();
      await on.deleteFrom("targets").where("id", "in", gone).execute();
    });
  await db.deleteFrom("watches").where("removed_at", "<", removedBefore).execute();
}

/**
 * Deletes old items, reading them in the order of their key. An index by time would slow down every
 * poll; this walk is made once a day.
 */
const forgetTweets = (db: Executor, before: number, pause: Pause): Promise<void> =>
  walkTable(
    "",
    {
      async read(after) {
        const rows = await db
          .selectFrom("items")
          .select(({ fn }) => ["item_id", fn.min("seen_at").as("first_at")])
          .where("item_id", ">", after)
          .groupBy("item_id")
          .orderBy("item_id")
          .limit(ROWS_PER_PAGE)
          .execute();
        return rows.map(({ item_id, first_at }) => ({ key: item_id, isOld: first_at < before }));
      },
      forget: (after, last) =>
        db
          .deleteFrom("items")
          .where("item_id", ">", after)
          .where("item_id", "<=", last)
          .where("item_kind", "=", "tweet")
          .where("seen_at", "<", before)
          .execute(),
    },
    pause,
  );

const forgetLedger = (db: Executor, before: number, pause: Pause): Promise<void> => {
  const old = db
    .selectFrom("ledger")
    .select("id")
    .where("reserved_at", "<", before)
    .limit(ROWS_PER_PAGE);
  return repeatPages(
    async () =>
      (await db.deleteFrom("ledger").where("id", "in", old).executeTakeFirst()).numDeletedRows,
    pause,
  );
};

/** Deletes sums by the hour, an hour at a time. `before` has the unit of the table's hours. */
async function forgetHours(
  db: Executor,
  table: "spent_hours" | "spent_lines" | "watch_hours",
  before: number,
  pause: Pause,
): Promise<void> {
  for (;;) {
    const oldest = await db
      .selectFrom(table)
      .select("hour")
      .where("hour", "<", before)
      .orderBy("hour")
      .limit(1)
      .executeTakeFirst();
    if (oldest === undefined) return;
    await db.deleteFrom(table).where("hour", "=", oldest.hour).execute();
    await pause();
  }
}

/** Deletes the timers of groups in which nothing waits and nothing was sent for long. */
const forgetGroupTimers = (db: Executor, before: number, pause: Pause): Promise<void> =>
  walkTable(
    { sink: "", group_key: "" },
    {
      async read(after) {
        const rows = await db
          .selectFrom("groups")
          .select(["sink", "group_key", "due_at", "last_sealed_at"])
          .where((eb) =>
            eb(eb.refTuple("sink", "group_key"), ">", eb.tuple(after.sink, after.group_key)),
          )
          .orderBy("sink")
          .orderBy("group_key")
          .limit(ROWS_PER_PAGE)
          .execute();
        return rows.map(({ sink, group_key, due_at, last_sealed_at }) => ({
          key: { sink, group_key },
          isOld: due_at === null && last_sealed_at !== null && last_sealed_at < before,
        }));
      },
      forget: (after, last) =>
        db
          .deleteFrom("groups")
          .where((eb) =>
            eb(eb.refTuple("sink", "group_key"), ">", eb.tuple(after.sink, after.group_key)),
          )
          .where((eb) =>
            eb(eb.refTuple("sink", "group_key"), "<=", eb.tuple(last.sink, last.group_key)),
          )
          .where("due_at", "is", null)
          .where("last_sealed_at", "<", before)
          .execute(),
    },
    pause,
  );
