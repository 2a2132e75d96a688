/**
 * The settings of SQLite, and everything that only its files have. What runs statements is
 * sqlite-dialect.ts's; which release of the driver runs is driver.ts's.
 */
import { Kysely } from "kysely";
import type { Clock } from "../../model/clock.ts";
import { StoreError } from "../../model/store-error.ts";
import { loadDriver, type SqliteHandle } from "./driver.ts";
import { makePrivateFile } from "./private-files.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";
import type { Tables } from "./tables.ts";

export type { SqliteHandle };

/**
 * How long opening waits for another process, and whatever reads without the dialect. Nothing else
 * goes on meanwhile.
 */
const BUSY_TIMEOUT_MS = 5_000;
/**
 * SQLite's own default. The driver's is eight times as much, all of which an idle daemon would
 * keep; the system caches the file anyway.
 */
const CACHE_KIB = 2_000;

export interface SqliteOptions {
  readonly readonly: boolean;
  readonly mustExist: boolean;
}

/**
 * Opens the file; one that may be missing is made for this user alone. @throws whatever
 * better-sqlite3 or Node throws; see open-failures.ts.
 */
export function openHandle(path: string, { readonly, mustExist }: SqliteOptions): SqliteHandle {
  const Database = loadDriver();
  if (!readonly && !mustExist) makePrivateFile(path);
  return new Database(path, { readonly, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
}

/**
 * A re-opened WAL database comes up with synchronous=NORMAL: set what durability needs at every
 * open, and do not trust it unseen.
 */
export function configure(handle: SqliteHandle): void {
  if (!handle.readonly) handle.pragma("journal_mode = WAL");
  handle.pragma("synchronous = FULL");
  handle.pragma("foreign_keys = ON");
  handle.pragma(`cache_size = -${CACHE_KIB}`);
  assertSetting(handle, "synchronous", 2);
  assertSetting(handle, "foreign_keys", 1);
  if (!handle.readonly) assertSetting(handle, "journal_mode", "wal");
}

function assertSetting(handle: SqliteHandle, name: string, wanted: unknown): void {
  const found = handle.pragma(name, { simple: true });
  if (found !== wanted)
    throw new StoreError(
      "STORE_WRITE_FAILED",
      `SQLite kept ${name}=${found} instead of ${wanted}.`,
      { retry: "no" },
    );
}

/** Kysely over an open handle; destroying it closes the handle. */
export const kyselyOver = (handle: SqliteHandle, clock: Clock): Kysely<Tables> =>
  new Kysely<Tables>({ dialect: sqliteDialect(handle, clock) });

/**
 * From now on SQLite itself waits for nobody, as it would hold the event loop meanwhile:
 * sqlite-dialect.ts waits by the clock.
 */
export const waitByClock = (handle: SqliteHandle): unknown => handle.pragma("busy_timeout = 0");

/**
 * Names of the migrations a file has been through; undefined when it holds tables but none of ours.
 */
export function appliedMigrations(handle: SqliteHandle): readonly string[] | undefined {
  const tables = handle
    .prepare("select name from sqlite_master where type = 'table'")
    .pluck()
    .all() as string[];
  if (!tables.includes("kysely_migration")) return tables.length === 0 ? [] : undefined;
  return handle
    .prepare("select name from kysely_migration order by name")
    .pluck()
    .all() as string[];
}

/** What `quick_check` complains about; empty when the file is sound. */
export function quickCheck(handle: SqliteHandle): readonly string[] {
  const rows = handle.prepare("pragma quick_check(10)").pluck().all() as string[];
  return rows.length === 1 && rows[0] === "ok" ? [] : rows;
}

/**
 * When the state last learned or did something, epoch ms: its last poll, request or alert.
 * Undefined before the first. Tables that an older schema lacks are left out.
 */
export function lastActivityMs(handle: SqliteHandle): number | undefined {
  const times = [
    "select max(last_poll_at) from sources",
    "select max(reserved_at) from ledger",
    "select max(detected_at) from events",
  ].map((query) => handle.prepare(query).pluck().get() as number | null);
  const latest = Math.max(...times.map((time) => time ?? 0));
  return latest > 0 ? latest : undefined;
}

/** Events of the watches found after a moment. */
export const countEventsSince = (handle: SqliteHandle, sinceMs: number): number =>
  handle
    .prepare("select count(*) from events where watch <> '' and detected_at > ?")
    .pluck()
    .get(sinceMs) as number;

/** Moves what the write-ahead log holds into the file itself. */
export const checkpoint = (handle: SqliteHandle): unknown =>
  handle.pragma("wal_checkpoint(TRUNCATE)");

/** Copies a consistent snapshot to a new file, also while others write. */
export const copyTo = async (handle: SqliteHandle, target: string): Promise<void> => {
  makePrivateFile(target);
  await handle.backup(target);
};

/**
 * Takes the file for this process alone until it is closed or the process dies. @throws SQLITE_BUSY
 * when another process has it.
 */
export function holdExclusively(path: string): () => void {
  const Database = loadDriver();
  makePrivateFile(path);
  const handle = new Database(path, { timeout: 0 });
  try {
    handle.exec("begin exclusive");
  } catch (error) {
    handle.close();
    throw error;
  }
  return () => {
    handle.close();
  };
}
