/**
 * Explains why a state on Postgres could not be opened. Each reason has a sentence, a hint and an
 * exit code. No text contains a password.
 */
import { errorText } from "../../model/errors.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { type PostgresAddress, postgresName } from "../../model/postgres-address.ts";
import { isConnectionFailure, postgresCode } from "../db/postgres-errors.ts";

/**
 * The oldest major version that is accepted. The Postgres project supports no older ones either.
 */
const OLDEST_MAJOR = 14;

export interface ServerFacts {
  /** The version as a number, such as `180004`. */
  readonly version: number;
  readonly encoding: string;
  readonly isStandby: boolean;
  /** Whether a pooler between daemon and server uses a different session for each transaction. */
  readonly isShared: boolean;
}

/** Checks that a server can hold a state. @throws ExitError if it cannot */
export function checkServer(address: PostgresAddress, facts: ServerFacts): void {
  const name = postgresName(address);
  const major = Math.floor(facts.version / 10_000);
  if (major < OLDEST_MAJOR)
    throw refuse(
      "STATE_SERVER_UNFIT",
      `The server of ${name} is Postgres ${major}.`,
      `Use Postgres ${OLDEST_MAJOR} or newer.`,
    );
  if (facts.encoding !== "UTF8")
    throw refuse(
      "STATE_SERVER_UNFIT",
      `The database ${name} is encoded as ${facts.encoding}.`,
      "Create it with `encoding 'UTF8'`.",
    );
  if (facts.isStandby)
    throw refuse(
      "STATE_SERVER_UNFIT",
      `The server of ${name} is a standby, which takes no writes.`,
      "Name the primary in state.url.",
    );
  if (facts.isShared)
    throw refuse(
      "STATE_SERVER_UNFIT",
      `A pooler answers for ${name} and lends its sessions for one transaction at a time (PgBouncer: pool_mode = transaction).`,
      "Connect to Postgres itself, or set pool_mode = session for this database: one session marks the running daemon.",
    );
}

export const missingState = (address: PostgresAddress): ExitError =>
  refuse(
    "STATE_MISSING",
    `There is no state in ${postgresName(address)}.`,
    "`chirpwatch run` creates one, unless `state.must_exist` forbids it.",
  );

export const foreignDatabase = (address: PostgresAddress): ExitError =>
  refuse(
    "STATE_NOT_A_DATABASE",
    `The database ${postgresName(address)} contains tables of another program.`,
    "Create a database for chirpwatch alone.",
  );

export const mayNotCreate = (address: PostgresAddress): ExitError =>
  refuse(
    "STATE_READONLY",
    `The role ${address.user} may not create tables in ${postgresName(address)}.`,
    `As an administrator: alter database ${address.database} owner to ${address.user}.`,
  );

/** Converts an error that was thrown while connecting to an ExitError. */
export function connectFailure(error: unknown, address: PostgresAddress): ExitError {
  if (error instanceof ExitError) return error;
  const name = postgresName(address);
  const code = postgresCode(error);
  if (code === "28P01" || code === "28000")
    return refuse(
      "STATE_LOGIN_REFUSED",
      `${name} refuses the role ${address.user}: ${textOf(error)}.`,
      "Check user and password in state.url.",
      error,
    );
  if (code === "3D000")
    return refuse(
      "STATE_MISSING",
      `There is no database ${address.database} on ${address.host}:${address.port}.`,
      `As an administrator: create database ${address.database} owner ${address.user}.`,
      error,
    );
  if (code === "42501") return mayNotCreate(address);
  if (address.caFile !== undefined && errorText(error).includes(address.caFile))
    return refuse(
      "STATE_TLS_FAILED",
      `The certificate of sslrootcert cannot be read: ${textOf(error)}.`,
      "Name its file in state.url.",
      error,
    );
  if (/certificate|self.signed|SSL|TLS|ALT_?NAME|altnames/i.test(`${code} ${errorText(error)}`))
    return refuse(
      "STATE_TLS_FAILED",
      `The connection to ${name} is not safe: ${textOf(error)}.`,
      "Add sslrootcert=FILE with the authority's certificate to state.url, or name the server as its certificate does.",
      error,
    );
  if (isConnectionFailure(error))
    return refuse(
      "STATE_UNREACHABLE",
      `The Postgres server ${address.host}:${address.port} does not answer: ${textOf(error)}.`,
      "Start it, and check host and port in state.url and the network between.",
      error,
    );
  return refuse(
    "STATE_UNREADABLE",
    `The state in ${name} cannot be opened: ${textOf(error)}.`,
    "See the server's log.",
    error,
  );
}

/**
 * Returns the text of an error. If the connection to several addresses failed, the common error has
 * no text, so that of the first address is used.
 */
const textOf = (error: unknown): string => {
  const text = errorText(error instanceof AggregateError ? (error.errors[0] as unknown) : error);
  return text.replace(/\.$/, "");
};

const refuse = (code: string, message: string, hint: string, cause?: unknown): ExitError =>
  new ExitError(EXIT.storage, code, message, { hint, cause });
