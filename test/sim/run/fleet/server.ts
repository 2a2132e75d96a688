/**
 * The database server of simulated replicas, on one SQLite file: connections with their owner's
 * name, one writer at a time, the lock of the leader, and the rows of all. When a connection ends,
 * the server frees its locks and rolls back its transaction.
 */
import type { CompiledQuery, DatabaseConnection, Dialect, QueryResult } from "kysely";
import { type Cancel, type Clock, sleep } from "../../../../src/model/clock.ts";
import { createInTurn } from "../../../../src/model/in-turn.ts";
import {
  configure,
  kyselyOver,
  openHandle,
  type SqliteHandle,
} from "../../../../src/state/db/sqlite.ts";
import { sqliteDialect } from "../../../../src/state/db/sqlite-dialect.ts";
import { migrate } from "../../../../src/state/migrations/migrate.ts";

/** `lock_timeout`: a writer that waits longer than this gives up. */
const LOCK_TIMEOUT_MS = 10_000;

/**
 * `idle_in_transaction_session_timeout`: the session ends this long after the last statement of an
 * open transaction.
 */
const IDLE_TIMEOUT_MS = 5_000;

/** The error that the driver reports for a refused connection. */
const refused = (): Error =>
  Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:5432"), { code: "ECONNREFUSED" });
const terminated = (): Error => new Error("Connection terminated unexpectedly");
const lockTimeout = (): Error =>
  Object.assign(new Error("canceling statement due to lock timeout"), { code: "55P03" });

export class ServerConnection {
  readonly name: string;
  readonly #ended: () => void;
  /** The time at which it last began or ended a statement. */
  lastMs: number;
  isOpen = true;
  heard: ((topic: string, from: string) => void) | undefined;

  constructor(name: string, nowMs: number, ended: () => void) {
    this.name = name;
    this.lastMs = nowMs;
    this.#ended = ended;
  }

  end(): void {
    this.isOpen = false;
    this.#ended();
  }
}

interface Waiting {
  readonly connection: ServerConnection;
  readonly settle: (error?: Error) => void;
}

export class SimServer {
  /** The dialect of all connections, but for their driver. */
  readonly dialect: Pick<Dialect, "createAdapter" | "createIntrospector" | "createQueryCompiler">;
  readonly #path: string;
  readonly #inTurn = createInTurn();
  readonly #clock: Clock;
  readonly #handles: readonly SqliteHandle[];
  readonly #connections = new Set<ServerConnection>();
  readonly #waiting = new Set<Waiting>();
  /** Reads committed data while another connection writes, as on a real server. */
  readonly #reader: DatabaseConnection;
  readonly #writer: DatabaseConnection;
  /** Names of replicas that others have taken over from, or that have left. */
  readonly removed = new Set<string>();
  /** Forbidden actions of replicas. */
  readonly objections: string[] = [];
  #turnOf: ServerConnection | undefined;
  #cancelIdle: Cancel | undefined;
  #lockOf: ServerConnection | undefined;
  /** The server is shut down until this time. */
  #awayUntilMs = 0;

  private constructor(
    path: string,
    clock: Clock,
    handles: readonly SqliteHandle[],
    [writer, reader]: readonly DatabaseConnection[],
  ) {
    if (writer === undefined || reader === undefined)
      throw new Error("a server needs two connections to its file");
    this.dialect = sqliteDialect(handles[0] as SqliteHandle, clock);
    this.#path = path;
    this.#clock = clock;
    this.#handles = handles;
    this.#writer = writer;
    this.#reader = reader;
  }

  /** Starts with an empty database. `clock` is the server's own. */
  static async start(path: string, clock: Clock): Promise<SimServer> {
    const created = openHandle(path, { readonly: false, mustExist: false });
    configure(created);
    created.close();
    const handles = [0, 1].map(() => openHandle(path, { readonly: false, mustExist: true }));
    for (const handle of handles) configure(handle);
    const drivers = handles.map((handle) => sqliteDialect(handle, clock).createDriver());
    return new SimServer(
      path,
      clock,
      handles,
      await Promise.all(drivers.map((driver) => driver.acquireConnection())),
    );
  }

  /**
   * Migrates the schema, as the leader does. A second replica that does so meanwhile finds nothing
   * left to do.
   */
  readonly bringUp = (): Promise<void> =>
    this.#inTurn(async () => {
      const db = kyselyOver(
        openHandle(this.#path, { readonly: false, mustExist: true }),
        this.#clock,
      );
      await migrate(db);
      await db.destroy();
    });

  stop(): void {
    for (const handle of this.#handles) handle.close();
  }

  nowMs(): number {
    return this.#clock.now();
  }

  /** Shuts the server down, and starts it again after this time. */
  stopFor(ms: number): void {
    this.#awayUntilMs = Math.max(this.#awayUntilMs, this.nowMs() + ms);
    for (const connection of this.#connections) this.end(connection);
  }

  get isAway(): boolean {
    return this.nowMs() < this.#awayUntilMs;
  }

  async back(): Promise<void> {
    while (this.isAway) await sleep(this.#clock, this.#awayUntilMs - this.nowMs());
  }

  /** Opens a connection. `ended` is called once it has ended. @throws as the driver does */
  connect(name: string, ended: () => void = () => undefined): ServerConnection {
    if (this.isAway) throw refused();
    const connection = new ServerConnection(name, this.nowMs(), ended);
    this.#connections.add(connection);
    return connection;
  }

  end(connection: ServerConnection): void {
    if (!this.#connections.delete(connection)) return;
    if (this.#lockOf === connection) this.#lockOf = undefined;
    for (const waiting of this.#waiting)
      if (waiting.connection === connection) waiting.settle(terminated());
    if (this.#turnOf === connection) this.#endTurn();
    connection.end();
  }

  endAll(name: string, but?: ServerConnection): void {
    for (const connection of this.#connections)
      if (connection.name === name && connection !== but) this.end(connection);
  }

  /**
   * Returns whether the connection holds the leader's lock. Takes the lock if nobody else holds it.
   */
  lock(connection: ServerConnection): boolean {
    this.#touch(connection);
    this.#lockOf ??= connection;
    return this.#lockOf === connection;
  }

  unlock(connection: ServerConnection): void {
    this.#touch(connection);
    if (this.#lockOf === connection) this.#lockOf = undefined;
  }

  get leader(): { readonly name: string; readonly silentMs: number } | undefined {
    return this.#lockOf === undefined
      ? undefined
      : { name: this.#lockOf.name, silentMs: this.nowMs() - this.#lockOf.lastMs };
  }

  /** Returns the time since a replica's last statement, or null if it has no connection. */
  silentMs(name: string): number | null {
    const own = [...this.#connections].filter((connection) => connection.name === name);
    return own.length === 0 ? null : this.nowMs() - Math.max(...own.map(({ lastMs }) => lastMs));
  }

  read<Row>(connection: ServerConnection, query: CompiledQuery): Promise<QueryResult<Row>> {
    this.#touch(connection);
    return this.#reader.executeQuery<Row>(query);
  }

  /** Runs a statement within the connection's turn to write. */
  write<Row>(connection: ServerConnection, query: CompiledQuery): Promise<QueryResult<Row>> {
    this.#touch(connection);
    if (this.#turnOf !== connection) throw terminated();
    this.#endIdle(connection);
    return this.#writer.executeQuery<Row>(query);
  }

  /** Begins a transaction once no other one is open. */
  async begin(connection: ServerConnection): Promise<void> {
    this.#touch(connection);
    if (this.#turnOf === undefined) this.#turnOf = connection;
    else await this.#wait(connection);
    if (this.#turnOf !== connection) throw terminated();
    this.#writable.exec("begin immediate");
    this.#endIdle(connection);
  }

  /** Ends the session of an open transaction that makes no progress, because others wait for it. */
  #endIdle(connection: ServerConnection): void {
    this.#cancelIdle?.();
    this.#cancelIdle = this.#clock.after(IDLE_TIMEOUT_MS, () => {
      if (this.#turnOf === connection) this.end(connection);
    });
  }

  commit(connection: ServerConnection): void {
    this.#touch(connection);
    if (this.#turnOf !== connection) throw terminated();
    this.#writable.exec("commit");
    this.#endTurn();
  }

  rollback(connection: ServerConnection): void {
    if (this.#turnOf === connection) this.#endTurn();
  }

  /**
   * Makes a statement that changes nothing. It shows the others that this session is alive, and
   * fails if the connection has ended without notice. @throws as the driver does
   */
  ask(connection: ServerConnection): void {
    this.#touch(connection);
  }

  listen(connection: ServerConnection, heard: (topic: string, from: string) => void): void {
    this.#touch(connection);
    connection.heard = heard;
  }

  notify(topic: string, from: string): void {
    for (const { heard } of this.#connections) heard?.(topic, from);
  }

  get #writable(): SqliteHandle {
    return this.#handles[0] as SqliteHandle;
  }

  #touch(connection: ServerConnection): void {
    if (!connection.isOpen) throw terminated();
    connection.lastMs = this.nowMs();
  }

  #wait(connection: ServerConnection): Promise<void> {
    return new Promise((resolve, reject) => {
      let cancel: Cancel = () => undefined;
      const waiting: Waiting = {
        connection,
        settle: (error) => {
          cancel();
          this.#waiting.delete(waiting);
          if (error === undefined) resolve();
          else reject(error);
        },
      };
      this.#waiting.add(waiting);
      cancel = this.#clock.after(LOCK_TIMEOUT_MS, () => waiting.settle(lockTimeout()));
    });
  }

  /** Rolls back what is not committed and lets the next connection in the queue write. */
  #endTurn(): void {
    this.#cancelIdle?.();
    if (this.#writable.inTransaction) this.#writable.exec("rollback");
    const [next] = this.#waiting;
    this.#turnOf = next?.connection;
    next?.settle();
  }
}
