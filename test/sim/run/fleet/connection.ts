/**
 * The path of a replica's statements to the simulated server. Statements wait while the process is
 * stalled and are never answered after it has ended. Transactions begin with the fence of the
 * replica's membership, as those on Postgres do.
 */
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from "kysely";
import { toPostgresStoreError } from "../../../../src/state/db/postgres-errors.ts";
import type { Ownership } from "../../../../src/state/db/postgres.ts";
import type { Disk } from "../disk.ts";
import type { Life } from "../life.ts";
import type { ServerConnection, SimServer } from "./server.ts";
import type { Way } from "./way.ts";

/** The driver's timeouts for a connection and for an answer. */
const CONNECT_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 70_000;

export interface Process {
  readonly server: SimServer;
  readonly way: Pick<Way, "pass">;
  readonly life: Pick<Life, "isOver" | "awake">;
  /** The moments before and after commits. */
  readonly moments: Pick<Disk, "onCommit">;
}

/** Creates the driver of the replica whose connections have this name. */
export const createDriver = (process: Process, name: string, owner: Ownership): Driver => ({
  init: async () => undefined,
  async acquireConnection() {
    await owner.held();
    // A process that is over opens no connection, because nothing would close it.
    const { server, way, life } = process;
    try {
      const connection = await life.awake(() =>
        way.pass(CONNECT_TIMEOUT_MS, () => server.connect(name)),
      );
      return new ReplicaConnection(process, connection, owner);
    } catch (error) {
      throw toPostgresStoreError(error) as Error;
    }
  },
  beginTransaction: (connection) => (connection as ReplicaConnection).begin(),
  commitTransaction: (connection) => (connection as ReplicaConnection).commit(),
  rollbackTransaction: (connection) => (connection as ReplicaConnection).rollback(),
  releaseConnection: async (connection) => (connection as ReplicaConnection).release(),
  destroy: async () => undefined,
});

class ReplicaConnection implements DatabaseConnection {
  readonly #process: Process;
  readonly #connection: ServerConnection;
  readonly #owner: Ownership;
  #isInTransaction = false;

  constructor(process: Process, connection: ServerConnection, owner: Ownership) {
    this.#process = process;
    this.#connection = connection;
    this.#owner = owner;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { server } = this.#process;
    if (this.#isInTransaction) return this.#ask(() => server.write<Row>(this.#connection, query));
    if (!isWrite(query)) return this.#ask(() => server.read<Row>(this.#connection, query));
    await this.begin();
    try {
      const result = await this.#ask(() => server.write<Row>(this.#connection, query));
      await this.commit();
      return result;
    } catch (error) {
      await this.rollback();
      throw error;
    }
  }

  streamQuery(): never {
    throw new Error("nothing is streamed");
  }

  async begin(): Promise<void> {
    const { server } = this.#process;
    const { text, check } = this.#owner.fence;
    this.#isInTransaction = true;
    try {
      const { rows } = await this.#ask(async () => {
        await server.begin(this.#connection);
        return server.write<object>(this.#connection, CompiledQuery.raw(text));
      });
      check(Object.values(rows[0] ?? {})[0]);
    } catch (error) {
      await this.rollback();
      throw error;
    }
  }

  async commit(): Promise<void> {
    const { server, moments } = this.#process;
    await this.#ask(async () => this.#pass(() => moments.onCommit?.("commit")));
    await this.#ask(async () => {
      server.commit(this.#connection);
      const { name } = this.#connection;
      // The replica may be stalled before it learns of the commit, and be removed meanwhile.
      if (server.removed.has(name))
        server.objections.push(`written by a replica that others had taken over from: ${name}`);
    });
    this.#isInTransaction = false;
    await this.#ask(async () => this.#pass(() => moments.onCommit?.("committed")));
    // A process that is cut off now does not learn that the commit is done.
    await this.#ask(async () => server.ask(this.#connection));
  }

  async rollback(): Promise<void> {
    if (!this.#isInTransaction) return;
    this.#isInTransaction = false;
    await this.#ask(async () => this.#process.server.rollback(this.#connection));
  }

  release(): void {
    this.#process.server.end(this.#connection);
  }

  /**
   * Reports a moment. If the process ends at it, the error stays inside, because nobody is left to
   * receive it.
   */
  #pass(moment: () => void): void {
    try {
      moment();
    } catch (error) {
      if (!this.#process.life.isOver) throw error;
    }
  }

  async #ask<Result>(go: () => Promise<Result>): Promise<Result> {
    const { life, way } = this.#process;
    try {
      const result = await life.awake(() => way.pass(ANSWER_TIMEOUT_MS, go));
      return await life.awake(() => result);
    } catch (error) {
      return life.awake(() => Promise.reject(toPostgresStoreError(error) as Error));
    }
  }
}

const WRITES: ReadonlySet<string> = new Set([
  "InsertQueryNode",
  "UpdateQueryNode",
  "DeleteQueryNode",
]);
const isWrite = ({ query }: CompiledQuery): boolean => WRITES.has(query.kind);
