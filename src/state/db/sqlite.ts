/**
 * Opens and configures SQLite files. Checks, copies and locks are also here, because only files
 * need them. `sqlite-dialect.ts` runs statements, and `driver.ts` chooses the release of the
 * driver.
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
 * How long SQLite itself waits for another process: while opening, and in code that reads without
 * the dialect. The process can do nothing else meanwhile.
 */
const BUSY_TIMEOUT_MS = 5_000;
/**
 * The size of a connection's page cache: SQLite's own default. The driver's default is eight times
 * as large, and an idle daemon would keep all of it. The system caches the file anyway.
 */
const CACHE_KIB = 2_000;

export interface SqliteOptions {
  readonly readonly: boolean;
  readonly mustExist: boolean;
}

/**
 * Opens the file. A file that may be missing is created so that only this user can read it. @throws
 * what better-sqlite3 or Node throws; see open-failures.ts
 */
export function openHandle(path: string, { readonly, mustExist }: SqliteOptions): SqliteHandle {
  const Database = loadDriver();
  if (!readonly && !mustExist) makePrivateFile(path);
  return new Database(path, { readonly, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
}

/**
 * Applies the settings that durability needs and checks them. They must be set at every open: a
 * re-opened WAL database comes up with synchronous=NORMAL.
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

/** Creates a Kysely over an open handle. Destroying it closes the handle. */
export const kyselyOver = (handle: SqliteHandle, clock: Clock): Kysely<Tables> =>
  new Kysely<Tables>({ dialect: sqliteDialect(handle, clock) });

/**
 * Turns off SQLite's own waiting, which would block the event loop. `sqlite-dialect.ts` waits by
 * the clock instead.
 */
export const waitByClock = (handle: SqliteHandle): unknown => handle.pragma("busy_timeout = 0");

/**
 * Returns the names of the migrations that a file has been through; undefined if it has tables of
 * some other program.
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

/** Returns the problems that `quick_check` reports; empty if the file is sound. */
export function quickCheck(handle: SqliteHandle): readonly string[] {
  const rows = handle.prepare("pragma quick_check(10)").pluck().all() as string[];
  return rows.length === 1 && rows[0] === "ok" ? [] : rows;
}

/**
 * Returns the time of the last poll, request or event in a state, in epoch ms; undefined if it has
 * none.
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

/** Counts the events that were found after a moment. Events of the daemon itself do not count. */
export const countEventsSince = (handle: SqliteHandle, sinceMs: number): number =>
  handle
    .prepare("select count(*) from events where watch <> '' and detected_at > ?")
    .pluck()
    .get(sinceMs) as number;

/** Moves the contents of the write-ahead log into the file itself. */
export const checkpoint = (handle: SqliteHandle): unknown =>
  handle.pragma("wal_checkpoint(TRUNCATE)");

/** Copies a consistent snapshot to a new file, even while others write. */
export const copyTo = async (handle: SqliteHandle, target: string): Promise<void> => {
  makePrivateFile(target);
  await handle.backup(target);
};

/**
 * Locks a file for this process until the returned function is called or the process ends. @throws
 * SQLITE_BUSY if another process has locked it
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
