/**
 * The only file that knows SQLite: the driver under Kysely, its settings, and what its errors mean at run time. What went wrong at
 * opening is open-failures.ts's; which release of the driver runs is driver.ts's.
 */
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { StoreError } from "../../model/store-error.ts";
import { loadDriver, type SqliteError, type SqliteHandle, type SqliteStatement } from "./driver.ts";
import { makePrivateFile } from "./private-files.ts";
import type { BatchQuery } from "./statement.ts";
import type { Tables } from "./tables.ts";

export type { SqliteHandle };

const BUSY_TIMEOUT_MS = 5_000;
const STATEMENTS_KEPT = 400;
/** SQLite's own default. The driver's is eight times as much, all of which an idle daemon would keep; the system caches the file anyway. */
const CACHE_KIB = 2_000;

export interface SqliteOptions {
  readonly readonly: boolean;
  readonly mustExist: boolean;
}

/** Opens the file; one that may be missing is made for this user alone. @throws whatever better-sqlite3 or Node throws; see open-failures.ts. */
export function openHandle(path: string, { readonly, mustExist }: SqliteOptions): SqliteHandle {
  const Database = loadDriver();
  if (!readonly && !mustExist) makePrivateFile(path);
  return new Database(path, { readonly, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
}

/** A re-opened WAL database comes up with synchronous=NORMAL: set what durability needs at every open, and do not trust it unseen. */
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
  if (found !== wanted) throw new StoreError("STORE_WRITE_FAILED", `SQLite kept ${name}=${found} instead of ${wanted}.`, { retry: "no" });
}

/** Kysely over an open handle; destroying it closes the handle. */
export const kyselyOver = (handle: SqliteHandle): Kysely<Tables> => new Kysely<Tables>({ dialect: sqliteDialect(handle) });

/** SQLite rolls DDL back like everything else; Kysely's own adapter says no and would leave a failed migration half done. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * SQLite plans a statement again each time a value is bound that its plan may depend on, and a bare `limit ?` is such a value: planning
 * takes some forty times as long as running a statement that finds nothing, which is what an idle daemon does most. A sum is no such value.
 */
class PlanOnceCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    this.append("limit 0 + ");
    this.visitNode(node.limit);
  }
}

export const sqliteDialect = (handle: SqliteHandle): Dialect => ({
  createAdapter: () => new TransactionalSqliteAdapter(),
  createDriver: () => new SqliteDriver(handle),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new PlanOnceCompiler(),
});

class SqliteDriver implements Driver {
  readonly #handle: SqliteHandle;
  readonly #connection: SqliteConnection;
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  constructor(handle: SqliteHandle) {
    this.#handle = handle;
    this.#connection = new SqliteConnection(handle);
  }

  async init(): Promise<void> {}

  /** One connection, first come, first served. */
  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#taken = true;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else next();
  }

  /** Immediate: a transaction that reads first could otherwise lose its place to another process halfway. */
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const begin = CompiledQuery.raw("begin immediate");
    try {
      await connection.executeQuery(begin);
    } catch (error) {
      // Nothing was done yet: whoever has the file for longer than the timeout (a backup, a reader) gets one more.
      if (!(error instanceof StoreError && error.failure === "STORE_BUSY")) throw error;
      await connection.executeQuery(begin);
    }
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  /** A full disk or an I/O error has rolled back already. */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#handle.inTransaction) await connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  async destroy(): Promise<void> {
    this.#handle.close();
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #handle: SqliteHandle;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(handle: SqliteHandle) {
    this.#handle = handle;
  }

  async executeQuery<Row>(query: CompiledQuery | BatchQuery): Promise<QueryResult<Row>> {
    try {
      const prepared = this.#prepare(query.sql);
      if ("batch" in query) return runBatch<Row>(prepared, query.batch);
      if (prepared.reader) return { rows: prepared.all(query.parameters) as Row[] };
      const { changes } = prepared.run(query.parameters);
      return { rows: [], numAffectedRows: BigInt(changes) };
    } catch (error) {
      throw toStoreError(error);
    }
  }

  /** The Store never streams. */
  streamQuery(): never {
    throw new StoreError("STORE_WRITE_FAILED", "This store does not stream.", { retry: "no" });
  }

  #prepare(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= STATEMENTS_KEPT) this.#statements.clear();
    const prepared = this.#handle.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

function runBatch<Row>(prepared: SqliteStatement, batch: BatchQuery["batch"]): QueryResult<Row> {
  if (prepared.reader) {
    const rows: Row[] = [];
    // A loop: most have one row, for which `flatMap` takes as long as SQLite.
    for (const values of batch) for (const row of prepared.all(values) as Row[]) rows.push(row);
    return { rows };
  }
  let changed = 0;
  for (const values of batch) changed += prepared.run(values).changes;
  return { rows: [], numAffectedRows: BigInt(changed) };
}

const isSqliteError = (error: unknown): error is SqliteError => error instanceof loadDriver().SqliteError;

/** What SQLite said, in the Store's words. */
export function toStoreError(error: unknown): unknown {
  if (!isSqliteError(error)) return error;
  const { code, message } = error;
  const details = { cause: error, fields: { sqlite: code } };
  if (code === "SQLITE_FULL") {
    return new StoreError("STORE_FULL", "The disk that holds the state is full.", {
      ...details,
      hint: "Free some space; work resumes by itself.",
    });
  }
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) {
    return new StoreError("STORE_BUSY", "Another program holds the state file.", {
      ...details,
      hint: "Close whatever has the state file open.",
    });
  }
  if (code.startsWith("SQLITE_READONLY") || code === "SQLITE_PERM") {
    return new StoreError("STORE_READONLY", "The state file cannot be written any more.", {
      ...details,
      hint: "Give the daemon's user write permission on the state file and its folder.",
    });
  }
  return new StoreError("STORE_WRITE_FAILED", `The state file could not be read or written: ${message}.`, {
    ...details,
    hint: "Run `chirpwatch state check`.",
  });
}

/** Names of the migrations a file has been through; undefined when it holds tables but none of ours. */
export function appliedMigrations(handle: SqliteHandle): readonly string[] | undefined {
  const tables = handle.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[];
  if (!tables.includes("kysely_migration")) return tables.length === 0 ? [] : undefined;
  return handle.prepare("select name from kysely_migration order by name").pluck().all() as string[];
}

/** What `quick_check` complains about; empty when the file is sound. */
export function quickCheck(handle: SqliteHandle): readonly string[] {
  const rows = handle.prepare("pragma quick_check(10)").pluck().all() as string[];
  return rows.length === 1 && rows[0] === "ok" ? [] : rows;
}

/**
 * When the state last learned or did something, epoch ms: its last poll, request or alert. Undefined before the first. Tables that an
 * older schema lacks are left out.
 */
export function lastActivityMs(handle: SqliteHandle): number | undefined {
  const times = ["select max(last_poll_at) from sources", "select max(reserved_at) from ledger", "select max(detected_at) from events"].map(
    (query) => handle.prepare(query).pluck().get() as number | null,
  );
  const latest = Math.max(...times.map((time) => time ?? 0));
  return latest > 0 ? latest : undefined;
}

/** Events of the watches found after a moment. */
export const countEventsSince = (handle: SqliteHandle, sinceMs: number): number =>
  handle.prepare("select count(*) from events where watch <> '' and detected_at > ?").pluck().get(sinceMs) as number;

/** Moves what the write-ahead log holds into the file itself. */
export const checkpoint = (handle: SqliteHandle): unknown => handle.pragma("wal_checkpoint(TRUNCATE)");

/** Copies a consistent snapshot to a new file, also while others write. */
export const copyTo = async (handle: SqliteHandle, target: string): Promise<void> => {
  makePrivateFile(target);
  await handle.backup(target);
};

/** Takes the file for this process alone until it is closed or the process dies. @throws SQLITE_BUSY when another process has it. */
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

/** SQLite's result code of anything thrown here, also behind a StoreError. */
export function sqliteCode(error: unknown): string | undefined {
  const inner = error instanceof StoreError ? error.cause : error;
  return isSqliteError(inner) ? inner.code : undefined;
}
