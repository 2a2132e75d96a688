/**
 * Reads and writes one end of a transfer of a whole state: reads tables in the order of their keys,
 * and writes rows in one transaction with a note of how far they go. The note stays until the
 * transfer is complete, and no daemon starts on a state that has one.
 */
import { type Kysely, sql } from "kysely";
import { keepValue, keptValues } from "../db/housekeeping.ts";
import { fromText, toText } from "../db/json-text.ts";
import { setServerSequences } from "../db/sequence.ts";
import { type Executor, insertRows, isOnPostgres, transact } from "../db/statement.ts";
import type { Tables } from "../db/tables.ts";
import type { Json } from "../../model/json.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";

export type TransferRow = Readonly<Record<string, string | number | null>>;

/**
 * The key columns of each table, in an order in which rows come after the rows that they refer to.
 * The store's own values and the claims of replicas are not transferred.
 */
export const TRANSFERRED = {
  watches: ["key"],
  targets: ["id"],
  sources: ["fingerprint"],
  items: ["item_id", "target_id"],
  members: ["target_id", "user_id"],
  rechecks: ["target_id", "tweet_id"],
  events: ["id"],
  deliveries: ["id"],
  groups: ["sink", "group_key"],
  messages: ["id"],
  attempts: ["message_id", "at", "error"],
  backfill_reads: ["fingerprint"],
  backfill_tweets: ["fingerprint", "tweet_id"],
  levels: ["event_id", "sink"],
  silences: ["id"],
  enrichments: ["event_id"],
  audit: ["id"],
  crossposts: ["message_id"],
  mentions: ["message_id", "mention"],
  threads: ["sink", "thread_key"],
  edits: ["delivery_id"],
  event_marks: ["event_id", "kind"],
  clicks: ["id"],
  message_footers: ["message_id"],
  escalations: ["delivery_id"],
  sink_health: ["sink"],
  ledger: ["id"],
  spent_hours: ["hour", "key"],
  spent_lines: ["hour", "watch", "endpoint", "key"],
  notes: ["name"],
  watch_hours: ["watch_key", "hour"],
  learned: ["scope", "key"],
  config_revisions: ["number"],
  archive: ["at", "id"],
  sequences: ["name"],
} as const satisfies {
  readonly [T in Exclude<
    keyof Tables,
    "housekeeping" | "replicas" | "claims"
  >]: readonly (keyof Tables[T] & string)[];
};

export type TransferTable = keyof typeof TRANSFERRED;

export interface TransferNote {
  /** The name of the state that the rows come from. */
  readonly from: string;
  /** The table that is being copied; null before the first table. */
  readonly table: TransferTable | null;
  /** The key of the last row that was written; null before the first row. */
  readonly key: readonly (string | number)[] | null;
}

export interface Transfer {
  count(table: TransferTable): Promise<number>;
  /** Returns the rows after a key, in the order of keys. */
  read(
    table: TransferTable,
    after: TransferNote["key"],
    limit: number,
  ): Promise<readonly TransferRow[]>;
  /** Writes rows and the note in one transaction. */
  write(table: TransferTable, rows: readonly TransferRow[], note: TransferNote): Promise<void>;
  /** Deletes all rows, and writes the note of a transfer that begins. */
  begin(from: string): Promise<void>;
  /** Returns the note; null if no transfer is under way. */
  progress(): Promise<TransferNote | null>;
  end(): Promise<void>;
  /** Whether nothing was ever stored here beyond what a new state has. */
  isUnused(): Promise<boolean>;
}

const NOTE = "transfer";

async function readNote(db: Executor): Promise<TransferNote | null> {
  const kept = (await keptValues(db, [NOTE])).get(NOTE);
  return kept === undefined ? null : fromText<Json & TransferNote>(kept);
}

const note = (db: Executor, value: TransferNote) =>
  keepValue(db, NOTE, toText(value as unknown as Json));

/** Checks that no transfer into this state is incomplete. @throws ExitError if one is */
export async function refuseHalfTransferred(db: Executor, name: string): Promise<void> {
  const left = await readNote(db);
  if (left === null) return;
  throw new ExitError(
    EXIT.storage,
    "STATE_HALF_TRANSFERRED",
    `The transfer from ${left.from} to ${name} is not complete.`,
    {
      hint: "Run the same `chirpwatch state migrate` again: it continues where it stopped.",
    },
  );
}

async function insertAll(
  on: Executor,
  table: TransferTable,
  rows: readonly TransferRow[],
): Promise<void> {
  const insert = insertRows(table, Object.keys(rows[0] ?? {}) as never, (one) => one);
  await insert(on, rows as never);
}

/** The type of tables of any name, because their rows are only copied. */
type AnyTables = Record<string, Record<string, string | number | null>>;

export function createTransfer(db: Executor): Transfer {
  const any = db as unknown as Kysely<AnyTables>;
  const tables = Object.keys(TRANSFERRED) as TransferTable[];
  const hasRows = async (table: TransferTable) =>
    (await any.selectFrom(table).selectAll().limit(1).execute()).length > 0;
  return {
    async count(table) {
      const row = await any
        .selectFrom(table)
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .executeTakeFirst();
      return Number(row?.count ?? 0);
    },
    async read(table, after, limit) {
      const keys = TRANSFERRED[table].map((key) => sql.ref(key));
      let rows = any.selectFrom(table).selectAll().limit(limit);
      for (const key of TRANSFERRED[table]) rows = rows.orderBy(key);
      if (after !== null)
        rows = rows.where(sql<boolean>`(${sql.join(keys)}) > (${sql.join([...after])})`);
      return rows.execute();
    },
    write: (table, rows, progress) =>
      transact(db, async (on) => {
        if (table === "sequences" && isOnPostgres(on)) await setServerSequences(on, rows as never);
        else await insertAll(on, table, rows);
        await note(on, progress);
      }),
    begin: (from) =>
      transact(db, async (on) => {
        await note(on, { from, table: null, key: null });
        for (const table of [...tables].reverse())
          if (table !== "sequences" || !isOnPostgres(on)) await on.deleteFrom(table).execute();
      }),
    progress: () => readNote(db),
    end: async () => void (await db.deleteFrom("housekeeping").where("name", "=", NOTE).execute()),
    async isUnused() {
      for (const table of ["watches", "events", "ledger", "learned"] as const)
        if (await hasRows(table)) return false;
      return true;
    },
  };
}
