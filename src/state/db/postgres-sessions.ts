/**
 * Opens sessions on a Postgres server, with timeouts and TLS, and computes the names of the
 * advisory locks. Makes no queries.
 */
import { readFileSync } from "node:fs";
import type { Client, ClientConfig, Pool } from "pg";
import type { PostgresAddress } from "../../model/postgres-address.ts";

/**
 * The first of the two numbers that name an advisory lock. The second is a hash of the schema's
 * name, so that several states can share a database.
 */
const LOCKS = { writers: 0x63770001, owner: 0x63770002 } as const;
export const nameOfSchema = "hashtext(current_schema())";
export const lockName = (lock: keyof typeof LOCKS): string => `${LOCKS[lock]}, ${nameOfSchema}`;

const CONNECTIONS = 5;
const CONNECT_TIMEOUT_MS = 10_000;
const KEEPALIVE_MS = 10_000;
/**
 * How long the server lets a statement run. This is shorter than the client's limit
 * `ANSWER_TIMEOUT_MS`, so that the server ends the statement first and the session remains usable.
 */
export const STATEMENT_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 10_000;

/**
 * Time limits for transactions. A replica that is cut off or hangs in a transaction holds locks for
 * which all other replicas wait. The server ends such a transaction after 5 s, a third of the
 * leader's lease (`LEASE_MS`). The other replicas wait for a lock for up to 10 s, so that they do
 * not give up earlier.
 */
export const TRANSACTION_LIMITS =
  "set idle_in_transaction_session_timeout = '5s'; set lock_timeout = '10s'";

const INT8 = 20;
const NUMERIC = 1700;

/** Loads the driver when a state on Postgres is first opened. */
const loadPg = async () => (await import("pg")).default;

export async function createPool(address: PostgresAddress, name?: string): Promise<Pool> {
  const pg = await loadPg();
  const pool = new pg.Pool({
    ...settingsOf(pg, address, name),
    query_timeout: ANSWER_TIMEOUT_MS,
    max: CONNECTIONS,
  });
  // The pool reports errors of idle connections here, which have no effect. An error of a
  // connection in use is thrown to the code that uses it.
  const ignore = () => undefined;
  pool.on("error", ignore);
  pool.on("connect", (client) => client.on("error", ignore));
  return pool;
}

/** Connects a single session. @throws what `pg` throws */
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
