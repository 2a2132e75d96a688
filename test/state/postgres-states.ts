/**
 * Empty states on one Postgres server: a database that is migrated once and emptied for each test.
 */
import { Client } from "pg";
import { onTestFinished } from "vitest";
import { kyselyOverPool, type Ownership } from "../../src/state/db/postgres.ts";
import { createPool } from "../../src/state/db/postgres-sessions.ts";
import { migrate } from "../../src/state/migrations/migrate.ts";
import { findInconsistencies } from "../../src/state/upkeep/inconsistencies.ts";
import { createStore } from "../../src/state/store.ts";
import type { PostgresAddress } from "../../src/model/postgres-address.ts";
import type { Store } from "../../src/model/store.ts";
import type { PostgresServer } from "../support/postgres.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { START_MS } from "./temp-state.ts";

interface Migrated {
  readonly db: ReturnType<typeof kyselyOverPool>;
  readonly cleaner: Client;
  readonly tables: readonly string[];
}

export class PostgresStates {
  readonly #server: PostgresServer;
  readonly #tables: readonly string[];
  readonly #database: string;
  /** Both are open until the server ends. */
  readonly #db: ReturnType<typeof kyselyOverPool>;
  readonly #cleaner: Client;

  private constructor(server: PostgresServer, database: string, { db, cleaner, tables }: Migrated) {
    this.#server = server;
    this.#database = database;
    this.#db = db;
    this.#cleaner = cleaner;
    this.#tables = tables;
  }

  static async on(server: PostgresServer): Promise<PostgresStates> {
    const database = new URL(await server.url()).pathname.slice(1);
    const db = kyselyOverPool(await createPool(targetOf(server, database)));
    await migrate(db);
    const rows = await server.ask(
      database,
      "select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%'",
    );
    const cleaner = new Client({
      host: "127.0.0.1",
      port: server.port,
      user: "postgres",
      database,
    });
    cleaner.on("error", () => undefined);
    await cleaner.connect();
    // Deliveries name their events, and targets their watches.
    await cleaner.query("set session_replication_role = replica");
    return new PostgresStates(server, database, {
      db,
      cleaner,
      tables: rows.map(({ tablename }) => String(tablename)),
    });
  }

  /**
   * Empties the state and returns a store on the open sessions: opening new ones takes as long as a
   * test.
   */
  async empty(): Promise<Store> {
    const deletions = this.#tables.map((table) => `delete from ${table}`);
    await this.#cleaner.query(
      [
        ...deletions,
        "select setval(cast(cast(sequencename as text) as regclass), 0) from pg_sequences",
      ].join("; "),
    );
    return createStore(this.#db, storeDeps(), async () => undefined);
  }

  /** Runs statements as the superuser. */
  async ask(text: string): Promise<void> {
    await this.#server.ask(this.#database, text);
  }

  inconsistencies(): Promise<readonly string[]> {
    return findInconsistencies(this.#db);
  }

  /** Opens another store on the same state, through the server's port or another way to it. */
  async open(port = this.#server.port): Promise<Store> {
    return storeOver(await createPool(this.address(port)));
  }

  /** Opens a store whose transactions wait before their COMMIT. */
  async openHeld(owner?: Ownership): Promise<HeldStore> {
    const pool = await createPool(this.address());
    let release = () => undefined as void;
    let reach = () => undefined as void;
    let commits = 0;
    const released = new Promise<void>((resolve) => (release = resolve));
    const reached = new Promise<void>((resolve) => (reach = resolve));
    pool.on("connect", (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      const heldQuery = async (...args: unknown[]) => {
        if (args[0] === "commit") {
          commits += 1;
          reach();
          await released;
        }
        return query(...args);
      };
      Object.assign(client, { query: heldQuery });
    });
    return {
      store: storeOver(pool, owner),
      reached,
      commits: () => commits,
      release: () => release(),
    };
  }

  /** Sessions that wait for a scope, or for the whole state. */
  async waiting(): Promise<number> {
    return (
      await this.#server.ask(
        this.#database,
        "select 1 from pg_locks where locktype = 'advisory' and not granted",
      )
    ).length;
  }

  address(port = this.#server.port): PostgresAddress {
    return { ...targetOf(this.#server, this.#database), port };
  }
}

export interface HeldStore {
  readonly store: Store;
  /** Resolves once a transaction has done everything but its COMMIT. */
  readonly reached: Promise<void>;
  /** How many have come so far. */
  commits(): number;
  release(): void;
}

const storeDeps = () => ({ clock: createVirtualClock(START_MS), random: createSeededRandom(1) });

function storeOver(pool: Awaited<ReturnType<typeof createPool>>, owner?: Ownership): Store {
  const db = kyselyOverPool(pool, owner);
  const store = createStore(db, storeDeps(), () => db.destroy());
  onTestFinished(() => store.close());
  return store;
}

const targetOf = ({ port, user, password }: PostgresServer, database: string) => ({
  host: "127.0.0.1",
  port,
  user,
  password,
  database,
  tls: "off" as const,
});
