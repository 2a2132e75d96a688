/**
 * Sessions on a Postgres server: how they are opened from an address, with what limits, and how the
 * advisory locks are named. Asks nothing itself.
 */
import { readFileSync } from "node:fs";
import type { Client, ClientConfig, Pool } from "pg";
import type { PostgresAddress } from "../../model/postgres-address.ts";

/**
 * Names of advisory locks have two numbers: the first is ours, the second the schema's, so that
 * several states can share a database.
 */
const LOCKS = { writers: 0x63770001, owner: 0x63770002 } as const;
export const nameOfSchema = "hashtext(current_schema())";
export const lockName = (lock: keyof typeof LOCKS): string => `${LOCKS[lock]}, ${nameOfSchema}`;

const CONNECTIONS = 5;
const CONNECT_TIMEOUT_MS = 10_000;
const KEEPALIVE_MS = 10_000;
/** Of one statement. The server gives up first, with an error that leaves the session whole. */
export const STATEMENT_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 10_000;

/**
 * A replica that is cut off, or stands still, in the middle of a transaction holds locks that all
 * others wait for. The server ends that transaction after a third of the lease, within which the
 * others wait for it without giving up.
 */
export const TRANSACTION_LIMITS =
  "set idle_in_transaction_session_timeout = '5s'; set lock_timeout = '10s'";

const INT8 = 20;
const NUMERIC = 1700;

/** Loaded by the first state that is on Postgres. */
const loadPg = async () => (await import("pg")).default;

export async function createPool(address: PostgresAddress, name?: string): Promise<Pool> {
  const pg = await loadPg();
  const pool = new pg.Pool({
    ...settingsOf(pg, address, name),
    query_timeout: ANSWER_TIMEOUT_MS,
    max: CONNECTIONS,
  });
  // A connection that is cut while nobody uses it concerns nobody; one that is in use throws where
  // it is used.
  const ignore = () => undefined;
  pool.on("error", ignore);
  pool.on("connect", (client) => client.on("error", ignore));
  return pool;
}

/** A session by itself, connected. @throws as `pg` does */
export async function connectSession(
  address: PostgresAddress,
  { name, answerTimeoutMs }: { readonly name?: string; readonly answerTimeoutMs?: number } = {},
): Promise<Client> {
  const pg = await loadPg();
  const client = new pg.Client({
    ...settingsOf(pg, address, name),
    ...(answerTimeoutMs === undefined ? {} : { query_timeout: answerTimeoutMs }),
  });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

function settingsOf(
  { types }: Awaited<ReturnType<typeof loadPg>>,
  address: PostgresAddress,
  name = "chirpwatch",
): ClientConfig {
  const { host, port, user, password, database } = address;
  const parserOf: typeof types.getTypeParser = (oid: number, format?: string) =>
    oid === INT8 || oid === NUMERIC ? Number : types.getTypeParser(oid, format as "text");
  return {
    host,
    port,
    user,
    ...(password === undefined ? {} : { password }),
    database,
    ssl: tlsOf(address),
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
    types: { getTypeParser: parserOf },
  };
}

function tlsOf({ tls, host, caFile }: PostgresAddress): ClientConfig["ssl"] {
  if (tls === "off") return false;
  if (tls === "unverified") return { rejectUnauthorized: false };
  const ca = caFile === undefined ? {} : { ca: readFileSync(caFile, "utf8") };
  return {
    ...ca,
    host,
    rejectUnauthorized: true,
    ...(tls === "ca" ? { checkServerIdentity: () => undefined } : {}),
  };
}
