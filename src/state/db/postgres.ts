/**
 * Implements the Postgres driver of Kysely, and makes writers take turns. `postgres-errors.ts`
 * converts its errors.
 *
 * A transaction, or a single statement that writes, first takes the state's advisory lock, and
 * nothing else writes until it ends, in any process. A transaction that names its scopes shares
 * that lock with others that name scopes, and takes a lock for each scope. Reads take no lock.
 */
import type { Pool, PoolClient } from "pg";
import {
  CompiledQuery,
  type DatabaseConnection,
  type DataTypeNode,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import { StoreError } from "../../model/store-error.ts";
import { expandBatch } from "./batch-text.ts";
import { isConnectionFailure, toPostgresStoreError } from "./postgres-errors.ts";
import { STATEMENT_TIMEOUT_MS, TRANSACTION_LIMITS } from "./postgres-sessions.ts";
import { EXCLUSIVE, locksOf, scopeLocks, type ScopeQuery } from "./scopes.ts";
import type { BatchQuery } from "./statement.ts";
import { storable } from "./storable.ts";
import type { Tables } from "./tables.ts";

/** Lets each connection of a daemon check whether the daemon may still use the state. */
export interface Ownership {
  /**
   * Resolves immediately while the daemon is connected to the state, otherwise when it is connected
   * again. @throws StoreError if that takes too long
   */
  held(): Promise<void>;
  /**
   * A query with which each transaction begins after it got the lock, and a function that checks
   * the single value in its result. @throws StoreError
   */
  readonly fence: { readonly text: string; check(value: unknown): void };
}

/**
 * The settings of a session: time limits, which the server enforces, and the time zone. A query
 * sets them after connecting, because poolers refuse settings in the connection request.
 */
const SESSION_SETTINGS = [
  TRANSACTION_LIMITS,
  `set statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
  "set timezone = 'UTC'",
].join("; ");
/**
 * The settings of a daemon's sessions, with `transaction_timeout`, which exists since Postgres 17.
 * Other sessions do without this limit, because a migration or the move of a state is one long
 * transaction.
 */
const DAEMON_SETTINGS = `${SESSION_SETTINGS}; select set_config('transaction_timeout', '${STATEMENT_TIMEOUT_MS}', false)
  where exists (select from pg_settings where name = 'transaction_timeout')`;
const STATEMENTS_NAMED = 400;

/** The adapter of all databases. They share it so that a process compiles each statement once. */
const ADAPTER = new PostgresAdapter();

/** Creates a Kysely over a pool. Destroying it ends the pool. */
export const kyselyOverPool = (pool: Pool, owner?: Ownership): Kysely<Tables> =>
  new Kysely<Tables>({
    dialect: {
      createAdapter: () => ADAPTER,
      createDriver: () => new PostgresDriver(pool, owner),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new WideCompiler(),
    },
  });

/**
 * Makes columns behave as on SQLite: integers have 64 bits, and texts are sorted by their bytes.
 */
class WideCompiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    if (node.dataType === "integer") this.append("bigint");
    else if (node.dataType === "text") this.append('text collate "C"');
    else super.visitDataType(node);
  }
}

class PostgresDriver implements Driver {
  readonly #pool: Pool;
  readonly #owner: Ownership | undefined;
  readonly #known = new WeakMap<PoolClient, Connection>();
  readonly #names = new Map<string, string>();

  constructor(pool: Pool, owner: Ownership | undefined) {
    this.#pool = pool;
    this.#owner = owner;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#owner?.held();
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw toPostgresStoreError(error);
    });
    const known = this.#known.get(client);
    if (known !== undefined) return known;
    const connection = new Connection(client, { names: this.#names, owner: this.#owner });
    this.#known.set(client, connection);
    await connection
      .runText(this.#owner === undefined ? SESSION_SETTINGS : DAEMON_SETTINGS)
      .catch((error: unknown) => {
        client.release(true);
        throw error;
      });
    return connection;
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    (connection as Connection).release();
  }

  /**
   * The server begins the transaction only with its first statement, which may name the
   * transaction's scopes.
   */
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    (connection as Connection).beginLater();
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as Connection).commit();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as Connection).rollback();
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

interface TextResult {
  readonly command: string;
  readonly rows: readonly object[];
}

class Connection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #owner: Ownership | undefined;
  readonly #names: Map<string, string>;
  /** The state of the transaction. `begun`: Kysely has begun it, the server has not. */
  #transaction: "none" | "begun" | "open" = "none";
  /**
   * Whether the connection is lost or in an unknown state. Such a connection does not go back into
   * the pool.
   */
  #isBroken = false;

  constructor(
    client: PoolClient,
    {
      names,
      owner,
    }: { readonly names: Map<string, string>; readonly owner: Ownership | undefined },
  ) {
    this.#client = client;
    this.#names = names;
    this.#owner = owner;
  }

  async executeQuery<Row>(
    query: CompiledQuery | BatchQuery | ScopeQuery,
  ): Promise<QueryResult<Row>> {
    if ("scopes" in query) return this.#takeScopes(query.scopes);
    if (this.#transaction === "begun") await this.#begin([EXCLUSIVE]);
    if (this.#transaction === "open" || !isWrite(query)) return this.#execute(query);
    try {
      await this.#begin([EXCLUSIVE]);
      const result = await this.#execute<Row>(query);
      await this.commit();
      return result;
    } catch (error) {
      await this.rollback();
      throw error;
    }
  }

  /** Throws, because the store never streams. */
  streamQuery(): never {
    throw new StoreError("STORE_WRITE_FAILED", "This store does not stream.", { retry: "no" });
  }

  beginLater(): void {
    this.#transaction = "begun";
  }

  /**
   * Commits. If a statement of the transaction has failed, the server answers `commit` with
   * `ROLLBACK` instead of an error. In this case the method throws.
   */
  async commit(): Promise<void> {
    const { command } =
      this.#transaction === "open" ? await this.runText("commit") : { command: "COMMIT" };
    this.#transaction = "none";
    if (command !== "COMMIT")
      throw new StoreError("STORE_WRITE_FAILED", "Postgres rolled a transaction back.");
  }

  /** Never throws: the error that caused the rollback is the one to report. */
  async rollback(): Promise<void> {
    const isOpen = this.#transaction === "open";
    this.#transaction = "none";
    if (!isOpen || this.#isBroken) return;
    await this.runText("rollback").catch(() => {
      this.#isBroken = true;
    });
  }

  release(): void {
    this.#client.release(this.#isBroken);
  }

  /** Runs one or several statements without values. Returns the result of the last one. */
  async runText(text: string): Promise<TextResult> {
    const results = await this.#guard(() => this.#client.query(text));
    return Array.isArray(results) ? results.at(-1) : results;
  }

  /**
   * Begins the transaction on the server. The fence is a separate statement after the locks,
   * because it must see everything that was committed before the locks were taken.
   */
  async #begin(locks: readonly string[]): Promise<void> {
    this.#transaction = "open";
    const fence = this.#owner?.fence;
    const begin = `begin; select ${locks.join(", ")}`;
    const { rows } = await this.runText(fence === undefined ? begin : `${begin}; ${fence.text}`);
    fence?.check(Object.values(rows[0] ?? {})[0]);
  }

  async #takeScopes(scopes: readonly string[]): Promise<QueryResult<never>> {
    if (this.#transaction === "begun") await this.#begin(locksOf(scopes));
    else if (scopes.length > 0) await this.runText(`select ${scopeLocks(scopes).join(", ")}`);
    return { rows: [] };
  }

  async #execute<Row>(query: CompiledQuery | BatchQuery): Promise<QueryResult<Row>> {
    if (!("batch" in query)) return this.#ask(query.sql, query.parameters);
    let changed = 0n;
    const all: Row[] = [];
    for (const { sql, parameters } of expandBatch(query)) {
      // Each number of rows gives a different SQL text. Only the text for one row is used often
      // enough to be worth a name.
      const { rows, numAffectedRows } = await this.#ask<Row>(sql, parameters, sql === query.sql);
      changed += numAffectedRows ?? 0n;
      all.push(...rows);
    }
    return { rows: all, numAffectedRows: changed };
  }

  async #ask<Row>(
    sql: string,
    parameters: readonly unknown[],
    isNamed = true,
  ): Promise<QueryResult<Row>> {
    const name = isNamed ? this.#nameOf(sql) : undefined;
    const query = {
      text: sql,
      values: parameters.map(storable),
      ...(name === undefined ? {} : { name }),
    };
    const { rows, rowCount } = await this.#guard(() => this.#client.query(query));
    return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) };
  }

  /** Returns the name of a statement. The server plans a named statement once per connection. */
  #nameOf(sql: string): string | undefined {
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= STATEMENTS_NAMED) return known;
    const name = `s${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }

  async #guard<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (isConnectionFailure(error)) this.#isBroken = true;
      throw toPostgresStoreError(error);
    }
  }
}

const WRITES: ReadonlySet<string> = new Set([
  "InsertQueryNode",
  "UpdateQueryNode",
  "DeleteQueryNode",
]);
const isWrite = ({ query }: CompiledQuery): boolean => WRITES.has(query.kind);

const SIZE =
  "select sum(pg_total_relation_size(c.oid)) as bytes from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'";

/** Returns the size of the tables on the server's disk, including indexes. */
export async function tableBytes(db: Kysely<Tables>): Promise<number> {
  const [row] = await askText<{ bytes: number | null }>(db, SIZE);
  return row?.bytes ?? 0;
}

/** Runs the text of a statement that only reads, and returns its rows. */
export const askText = async <Row>(db: Kysely<Tables>, text: string): Promise<readonly Row[]> =>
  (await db.executeQuery<Row>(CompiledQuery.raw(text))).rows;
