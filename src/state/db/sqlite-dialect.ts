/**
 * Runs Kysely on SQLite: shares one connection among all callers, lets them wait while another
 * process locks the file, and converts SQLite's errors. `open-failures.ts` explains errors while
 * opening, `sqlite.ts` has the settings and other features of SQLite.
 */
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from "kysely";
import { type Clock, sleep } from "../../model/clock.ts";
import { StoreError } from "../../model/store-error.ts";
import { loadDriver, type SqliteError, type SqliteHandle, type SqliteStatement } from "./driver.ts";
import { type BatchQuery, UNSYNCED } from "./statement.ts";

const STATEMENTS_KEPT = 400;
/**
 * How long another process may lock the file before calls fail. From then on each call tries only
 * once, until a call succeeds.
 */
const MAX_LOCK_WAIT_MS = 5_000;
/**
 * If no call found the file locked for this long, the lock counts as released. If the file is found
 * locked later, that is a new lock.
 */
const LOCK_FORGOTTEN_MS = 2 * MAX_LOCK_WAIT_MS;
/** The pauses between tries; the last one repeats. */
const LOCK_PAUSES_MS = [1, 2, 5, 10, 25, 50];

/**
 * Says that SQLite rolls back DDL in a transaction, which is true. Kysely's own adapter says no,
 * and would leave a failed migration half done.
 */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** The adapter of all databases. They share it so that a process compiles each statement once. */
const ADAPTER = new TransactionalSqliteAdapter();

/**
 * Compiles queries so that SQLite need not plan a statement again at each run. SQLite plans again
 * if a new value is bound on which the plan may depend. The value of `limit ?` is such a value, but
 * that of `limit 0 + ?` is not. An idle daemon mostly runs statements that find nothing, and
 * planning takes about forty times as long as running one of them.
 */
class PlanOnceCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    this.append("limit 0 + ");
    this.visitNode(node.limit);
  }
}

/**
 * Creates the dialect. `clock`: the clock by which callers wait while another process locks the
 * file.
 */
export const sqliteDialect = (handle: SqliteHandle, clock: Clock): Dialect => ({
  createAdapter: () => ADAPTER,
  createDriver: () => new SqliteDriver(handle, clock),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new PlanOnceCompiler(),
});

/** Gives the only connection to callers in the order of their requests. */
class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  async take(): Promise<void> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
  }

  giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}

/**
 * Measures for how long another process has locked the file, as seen by calls that found it locked.
 */
class ForeignLock {
  readonly #clock: Clock;
  #sinceMs = 0;
  #metAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Records that a call, begun at `begunAtMs`, found the file locked. Returns the pause before the
   * next try; undefined if the file has been locked for too long.
   */
  pauseMs(begunAtMs: number, tries: number): number | undefined {
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#metAtMs > LOCK_FORGOTTEN_MS) this.#sinceMs = begunAtMs;
    this.#metAtMs = nowMs;
    return nowMs - this.#sinceMs >= MAX_LOCK_WAIT_MS
      ? undefined
      : LOCK_PAUSES_MS[Math.min(tries, LOCK_PAUSES_MS.length - 1)];
  }

  /** Forgets the lock. Called after a write, which shows that no other process holds a lock. */
  gone(): void {
    this.#metAtMs = Number.NEGATIVE_INFINITY;
  }
}

const BEGIN = CompiledQuery.raw("begin immediate");
const COMMIT = CompiledQuery.raw("commit");

class SqliteDriver implements Driver {
  readonly #handle: SqliteHandle;
  readonly #turns = new Turns();
  readonly #connection: SqliteConnection;

  constructor(handle: SqliteHandle, clock: Clock) {
    this.#handle = handle;
    this.#connection = new SqliteConnection(handle, this.#turns, clock);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#turns.take();
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#turns.giveBack();
  }

  /**
   * Begins with `immediate`. Otherwise another process could take the lock between a transaction's
   * reads and its first write.
   */
  async beginTransaction(
    _connection: DatabaseConnection,
    { isolationLevel }: TransactionSettings,
  ): Promise<void> {
    await this.#connection.begin(isolationLevel === UNSYNCED ? "NORMAL" : "FULL");
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(COMMIT);
    this.#connection.setSynchronous("FULL");
  }

  /** Rolls back unless SQLite has done so already, as it does for a full disk or an I/O error. */
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#handle.inTransaction) await connection.executeQuery(CompiledQuery.raw("rollback"));
    this.#connection.setSynchronous("FULL");
  }

  async destroy(): Promise<void> {
    this.#handle.close();
  }
}

/** When SQLite waits for the disk: at every commit, or only when it moves commits to the file. */
type Synchronous = "FULL" | "NORMAL";

class SqliteConnection implements DatabaseConnection {
  readonly #handle: SqliteHandle;
  readonly #turns: Turns;
  readonly #clock: Clock;
  readonly #lock: ForeignLock;
  readonly #statements = new Map<string, Prepared>();
  #synchronous: Synchronous = "FULL";

  constructor(handle: SqliteHandle, turns: Turns, clock: Clock) {
    this.#handle = handle;
    this.#turns = turns;
    this.#clock = clock;
    this.#lock = new ForeignLock(clock);
  }

  /**
   * Runs a query, and tries again while another process locks the file. During a pause the event
   * loop and the connection are free, so reads, which take no lock, overtake waiting writes. Inside
   * a transaction no other process can hold the lock.
   */
  executeQuery<Row>(query: CompiledQuery | BatchQuery): Promise<QueryResult<Row>> {
    return this.#execute(query);
  }

  /**
   * Begins a transaction. The setting is made in the same turn, and unmade if the transaction does
   * not begin, because other callers use the connection during a pause.
   */
  begin(synchronous: Synchronous): Promise<unknown> {
    return this.#execute(BEGIN, synchronous);
  }

  setSynchronous(wanted: Synchronous): void {
    if (wanted === this.#synchronous) return;
    this.#handle.pragma(`synchronous = ${wanted}`);
    this.#synchronous = wanted;
  }

  async #execute<Row>(
    query: CompiledQuery | BatchQuery,
    synchronous?: Synchronous,
  ): Promise<QueryResult<Row>> {
    const begunAtMs = this.#clock.monotonic();
    const done: Done<Row> = { runs: 0, rows: [], changed: 0 };
    for (let tries = 0; ; tries += 1) {
      try {
        const prepared = this.#prepare(query.sql);
        if (synchronous !== undefined) this.setSynchronous(synchronous);
        const result = run(prepared, query, done);
        if (!prepared.statement.readonly) this.#lock.gone();
        // The columns of `select *` are others afterwards.
        if (prepared.isDefinition) this.#statements.clear();
        return result;
      } catch (error) {
        if (synchronous !== undefined) this.setSynchronous("FULL");
        const pauseMs =
          isBusy(error) && !this.#handle.inTransaction
            ? this.#lock.pauseMs(begunAtMs, tries)
            : undefined;
        if (pauseMs === undefined) throw toStoreError(error, this.#handle.name);
        this.#turns.giveBack();
        await sleep(this.#clock, pauseMs);
        await this.#turns.take();
      }
    }
  }

  /** Throws, because the store never streams. */
  streamQuery(): never {
    throw new StoreError("STORE_WRITE_FAILED", "This store does not stream.", { retry: "no" });
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= STATEMENTS_KEPT) this.#statements.clear();
    const statement = this.#handle.prepare(sql);
    const prepared: Prepared = statement.reader
      ? {
          statement: statement.raw(),
          columns: statement.columns().map(({ name }) => name),
          isDefinition: false,
        }
      : { statement, columns: undefined, isDefinition: DEFINITION.test(sql) };
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

const DEFINITION = /^\s*(?:alter|create|drop)\b/i;

interface Prepared {
  /** Returns rows as lists of values, if it returns rows. */
  readonly statement: SqliteStatement;
  /** The names of the values; undefined if the statement returns no rows. */
  readonly columns: readonly string[] | undefined;
  /** Whether it changes what tables there are, or which columns they have. */
  readonly isDefinition: boolean;
}

/**
 * The runs of a batch that are done. Outside a transaction each run is committed by itself, so a
 * retry must not repeat it.
 */
interface Done<Row> {
  runs: number;
  readonly rows: Row[];
  changed: number;
}

function run<Row>(
  { statement, columns }: Prepared,
  query: CompiledQuery | BatchQuery,
  done: Done<Row>,
): QueryResult<Row> {
  const batch = "batch" in query ? query.batch : [query.parameters];
  for (let values = batch[done.runs]; values !== undefined; values = batch[done.runs]) {
    if (columns === undefined) done.changed += statement.run(values).changes;
    else
      for (const row of statement.all(values) as unknown[][]) done.rows.push(rowOf(columns, row));
    done.runs += 1;
  }
  return columns === undefined
    ? { rows: [], numAffectedRows: BigInt(done.changed) }
    : { rows: done.rows };
}

/**
 * Names the values of a row. The driver would look up the name of each column for each row, which
 * takes longer than reading the row.
 */
function rowOf<Row>(columns: readonly string[], values: readonly unknown[]): Row {
  const row: Record<string, unknown> = {};
  for (let at = 0; at < columns.length; at += 1) row[columns[at] as string] = values[at];
  return row as Row;
}

const isSqliteError = (error: unknown): error is SqliteError =>
  error instanceof loadDriver().SqliteError;

/** Whether another connection has locked the file or the part of it that the call needs. */
const isBusy = (error: unknown): error is SqliteError =>
  isSqliteError(error) &&
  (error.code.startsWith("SQLITE_BUSY") || error.code.startsWith("SQLITE_LOCKED"));

/** Converts an error of SQLite into a StoreError. Returns other errors as they are. */
export function toStoreError(error: unknown, path: string): unknown {
  if (!isSqliteError(error)) return error;
  const { code, message } = error;
  const details = { cause: error, fields: { sqlite: code } };
  if (code === "SQLITE_FULL") {
    return new StoreError("STORE_FULL", "The disk that holds the state is full.", {
      ...details,
      hint: "Free some space; work resumes by itself.",
    });
  }
  if (isBusy(error)) {
    return new StoreError("STORE_BUSY", "Another program has locked the state file.", {
      ...details,
      hint: `Find it with \`fuser -v ${path}\` and end it; work resumes by itself.`,
    });
  }
  if (code.startsWith("SQLITE_READONLY") || code === "SQLITE_PERM") {
    return new StoreError("STORE_READONLY", "The state file cannot be written any more.", {
      ...details,
      hint: "Give the daemon's user write permission on the state file and its folder.",
    });
  }
  return new StoreError(
    "STORE_WRITE_FAILED",
    `The state file could not be read or written: ${message}.`,
    {
      ...details,
      hint: "Run `chirpwatch state check`.",
    },
  );
}

/**
 * Returns SQLite's result code if an error, or the cause of a StoreError, comes from SQLite;
 * otherwise undefined.
 */
export function sqliteCode(error: unknown): string | undefined {
  const inner = error instanceof StoreError ? error.cause : error;
  return isSqliteError(inner) ? inner.code : undefined;
}
