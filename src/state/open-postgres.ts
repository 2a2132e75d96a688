/**
 * Opens and closes a state on Postgres: checks the server, makes the daemon one of the replicas,
 * migrates the schema and connects. `store.ts` has the operations.
 */
import { dirname } from "node:path";
import type { Client } from "pg";
import { errorText } from "../model/errors.ts";
import { EXIT, ExitError } from "../model/exit-code.ts";
import type { Log } from "../model/log.ts";
import { type PostgresAddress, postgresName } from "../model/postgres-address.ts";
import { askText, kyselyOverPool, type Ownership, tableBytes } from "./db/postgres.ts";
import { makePrivateFolders } from "./db/private-files.ts";
import { postgresCode } from "./db/postgres-errors.ts";
import {
  connectReplica,
  DAEMON,
  KNOWN_REPLICAS,
  migrationsOf,
  tryLock,
} from "./membership/postgres-replicas.ts";
import { PostgresMembership } from "./membership/postgres-membership.ts";
import { connectSession, createPool } from "./db/postgres-sessions.ts";
import type { KnownReplica } from "./membership/replica-session.ts";
import { notifyText, PostgresSignals } from "./membership/postgres-signals.ts";
import type { Executor } from "./db/statement.ts";
import {
  checkServer,
  connectFailure,
  foreignDatabase,
  mayNotCreate,
  missingState,
  type ServerFacts,
} from "./files/postgres-failures.ts";
import { migrate, pendingMigrations, migratedState } from "./migrations/migrate.ts";
import type { OpenedStore, OpenOptions } from "./open.ts";
import { quieten } from "./polls/quieten.ts";
import { createStore } from "./store.ts";
import { findInconsistencies } from "./upkeep/inconsistencies.ts";
import { createTransfer, refuseHalfTransferred } from "./upkeep/transfer.ts";

/** Opens the state. @throws ExitError with a sentence, a hint and the exit code */
export async function openPostgres(
  address: PostgresAddress,
  options: OpenOptions,
): Promise<OpenedStore> {
  const teardown: (() => Promise<void>)[] = [];
  try {
    const isNew = await prepare(address, options);
    let hasMigrated = false;
    const isVisitor = options.readonly === true || mayBringUp(options);
    // The control socket lies in this folder.
    if (!isVisitor) makePrivateFolders(dirname(options.path));
    const id = options.random.id();
    const signals = new PostgresSignals(id);
    const connect = (name: string) => connectReplica(address, name);
    const bringUpOnce = async () => {
      await bringUp(address, options);
      hasMigrated = true;
    };
    const schema = { pendingOf: pendingIn(address, options), bringUp: bringUpOnce };
    const membership = isVisitor
      ? undefined
      : await PostgresMembership.take({
          ...options,
          state: postgresName(address),
          connect,
          id,
          ...schema,
          signals,
        });
    if (membership !== undefined) teardown.push(() => membership.close());
    const db = await open(
      address,
      membership === undefined ? "chirpwatch: command" : DAEMON + membership.id,
      membership,
    );
    teardown.push(() => db.destroy());
    if (options.halfTransferred !== true) await refuseHalfTransferred(db, postgresName(address));
    // If several daemons start together on an empty database, only the one that migrated it has
    // created the state.
    const created = isNew && (membership === undefined || hasMigrated);
    return await compose(db, {
      address,
      options,
      created,
      membership,
      signals,
      close: () => drain(teardown),
    });
  } catch (error) {
    await drain(teardown);
    throw connectFailure(error, address);
  }
}

async function drain(teardown: (() => Promise<void>)[]): Promise<void> {
  for (const undo of teardown.splice(0).reverse()) await undo().catch(() => undefined);
}

const open = async (
  address: PostgresAddress,
  name?: string,
  owner?: Ownership,
): Promise<Executor> => kyselyOverPool(await createPool(address, name), owner);

const pendingIn =
  (address: PostgresAddress, { migrations }: OpenOptions) =>
  (applied: readonly string[]): readonly string[] =>
    pendingMigrations(applied, migratedState.server(postgresName(address)), migrations);

/** Checks the server and the schema. Resolves to whether there was no state before. */
async function prepare(address: PostgresAddress, options: OpenOptions): Promise<boolean> {
  const session = await connectSession(address);
  try {
    checkServer(address, await factsOf(session, address));
    await warnOfSettings(session, options.log);
    const applied = await appliedIn(session, address);
    const isEmpty = applied.length === 0;
    if (isEmpty && (options.mustExist === true || options.readonly === true))
      throw missingState(address);
    const pending = pendingIn(address, options)(applied);
    if (pending.length === 0) return false;
    // A command migrates a state only if no daemon holds it.
    if (mayBringUp(options) && (await tryLock(session))) await bringUp(address, options);
    else if (mayBringUp(options) || options.readonly === true) throw olderSchema(address, pending);
    return isEmpty;
  } finally {
    await session.end();
  }
}

const mayBringUp = ({ shared, changing }: OpenOptions): boolean =>
  shared === true || changing === true;

const FACTS = `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
  pg_is_in_recovery() as "isStandby", pg_backend_pid() as pid`;

async function factsOf(session: Client, address: PostgresAddress): Promise<ServerFacts> {
  const { rows } = await session.query<Omit<ServerFacts, "isShared"> & { readonly pid: number }>(
    FACTS,
  );
  const [facts] = rows;
  if (facts === undefined) throw new Error("the server says nothing of itself");
  // A connection pooler invents the process id that it reports for a session. So if this id differs
  // from the server's own, there is a pooler.
  const isPooled = (session as unknown as { processID: number | null }).processID !== facts.pid;
  return { ...facts, isShared: isPooled && (await isSessionShared(session, address)) };
}

/**
 * Whether a pooler gives one backend to several sessions. Without such a pooler, another session
 * with an open transaction has a different backend, and this session keeps its own.
 */
async function isSessionShared(session: Client, address: PostgresAddress): Promise<boolean> {
  const pidOf = async (client: Client) =>
    (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid;
  const other = await connectSession(address);
  try {
    const own = await pidOf(session);
    await other.query("begin");
    const taken = await pidOf(other);
    return taken === own || (await pidOf(session)) !== own;
  } finally {
    await other.end();
  }
}

async function warnOfSettings(session: Client, log: Log): Promise<void> {
  for (const setting of ["fsync", "full_page_writes", "synchronous_commit"]) {
    const { rows } = await session.query<{ value: string }>("select current_setting($1) as value", [
      setting,
    ]);
    if (rows[0]?.value !== "off") continue;
    log.warn("postgres does not wait for its disk: what it confirmed may be lost in a crash", {
      setting,
      value: "off",
    });
  }
}

/**
 * Returns the names of the migrations that the state has been through; an empty list if there are
 * no tables. @throws ExitError if all tables belong to another program
 */
async function appliedIn(session: Client, address: PostgresAddress): Promise<readonly string[]> {
  const applied = await migrationsOf(session);
  if (applied.length > 0) return applied;
  const { rows } = await session.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = current_schema()",
  );
  if (rows.length > 0 && !rows.some(({ name }) => name === "kysely_migration"))
    throw foreignDatabase(address);
  return [];
}

/**
 * Migrates the schema. Kysely takes a lock, so only one process migrates at a time, and runs all
 * migrations in one transaction.
 */
async function bringUp(address: PostgresAddress, { migrations }: OpenOptions): Promise<void> {
  const db = await open(address);
  try {
    await migrate(db, migrations);
  } catch (error) {
    if (postgresCode(error) === "42501") throw mayNotCreate(address);
    throw new ExitError(
      EXIT.storage,
      "STATE_MIGRATION_FAILED",
      `The state in ${postgresName(address)} could not be migrated: ${errorText(error).replace(/\.$/, "")}.`,
      { hint: "Nothing was changed: the former version still starts.", cause: error },
    );
  } finally {
    await db.destroy();
  }
}

const olderSchema = (address: PostgresAddress, pending: readonly string[]): ExitError =>
  new ExitError(
    EXIT.storage,
    "STATE_OLDER_SCHEMA",
    `The state in ${postgresName(address)} lacks ${pending.join(", ")} of this build.`,
    {
      hint: "Start this version's `chirpwatch run` once: it migrates the state.",
    },
  );

interface Opened {
  readonly address: PostgresAddress;
  readonly options: OpenOptions;
  readonly created: boolean;
  readonly membership: PostgresMembership | undefined;
  readonly signals: PostgresSignals;
  readonly close: () => Promise<void>;
}

async function compose(
  db: Executor,
  { address, options, created, membership, signals, close }: Opened,
): Promise<OpenedStore> {
  const { clock, random, log } = options;
  const path = postgresName(address);
  if (created) log.info("state created", { path });
  let bytes = await tableBytes(db);
  const store = createStore(db, { clock: membership?.clock ?? clock, random }, close);
  return {
    ...store,
    path,
    created,
    // A database server recovers from a crash without help, so there is nothing to check here.
    unclean: false,
    problems: Promise.resolve([]),
    backup: () =>
      Promise.reject(
        new ExitError(EXIT.usage, "STATE_ON_POSTGRES", `The state is in ${path}.`, {
          hint: "Use pg_dump.",
        }),
      ),
    transfer: createTransfer(db),
    membership,
    signals: {
      send: async (topic) => void (await askText(db, notifyText(topic, membership?.id ?? ""))),
      on: signals.on,
    },
    async connectedReplicas() {
      const known = await askText<KnownReplica>(db, KNOWN_REPLICAS);
      const connected = new Set(
        known.flatMap(({ id, silentMs }) => (silentMs === null ? [] : [id])),
      );
      return (await store.replicas()).filter(({ id }) => connected.has(id));
    },
    quieten: (span) => quieten(db, span),
    inconsistencies: () => findInconsistencies(db),
    // Returns the size that was read last, and starts to read it again for the next call, because
    // this function cannot wait.
    sizeBytes: () => {
      void tableBytes(db).then(
        (now) => (bytes = now),
        () => undefined,
      );
      return bytes;
    },
  };
}
