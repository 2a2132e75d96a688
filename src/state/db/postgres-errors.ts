/** Converts errors of Postgres and of the connection to it into StoreErrors. */
import { errorText } from "../../model/errors.ts";
import { StoreError, type StoreFailure } from "../../model/store-error.ts";
import { ownValue } from "../../model/own-value.ts";

/**
 * Returns the server's error code of five characters, or the system's name of a network error, such
 * as `ECONNREFUSED`; "" if the error has no code.
 */
export function postgresCode(error: unknown): string {
  const inner = error instanceof StoreError ? error.cause : error;
  const { code } = (inner ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : "";
}

/**
 * Whether a code is one of the server's error codes:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html.
 */
const isServerCode = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code);

/**
 * The codes with which the server ends a session whose transaction was idle, or ran, for too long.
 */
const TIMED_OUT = ["25P03", "25P04"];

/**
 * Whether the connection can no longer be used: a shutdown, crash or start of the server, too many
 * connections, or no answer at all.
 */
export function isConnectionFailure(error: unknown): boolean {
  const code = postgresCode(error);
  return (
    !isServerCode(code) ||
    code.startsWith("08") ||
    code.startsWith("57P") ||
    ["53300", ...TIMED_OUT].includes(code)
  );
}

const FAILURES: Readonly<
  Record<string, readonly [failure: StoreFailure, message: string, hint: string]>
> = {
  "53100": [
    "STORE_FULL",
    "The disk of the Postgres server is full.",
    "Free some space there; work resumes by itself.",
  ],
  "55P03": [
    "STORE_BUSY",
    "Another session holds a lock that the state needs on Postgres.",
    "pg_locks shows which session holds it.",
  ],
  "40001": [
    "STORE_BUSY",
    "Another session changed the same rows on Postgres.",
    "The work is retried by itself.",
  ],
  "40P01": [
    "STORE_BUSY",
    "Another session waits for the same rows on Postgres.",
    "The work is retried by itself.",
  ],
  "25006": [
    "STORE_READONLY",
    "The Postgres server takes no writes.",
    "Name the primary in state.url, not a standby.",
  ],
  "42501": [
    "STORE_READONLY",
    "The role may not write the state's tables.",
    "Make the role of state.url the owner of the tables.",
  ],
};

export function toPostgresStoreError(error: unknown): unknown {
  if (error instanceof StoreError) return error;
  const code = postgresCode(error);
  const details = { cause: error, fields: { postgres: code } };
  const known = ownValue(FAILURES, code);
  if (known !== undefined)
    return new StoreError(known[0], known[1], { ...details, hint: known[2] });
  if (isConnectionFailure(error))
    return new StoreError(
      "STORE_UNREACHABLE",
      `The Postgres server does not answer: ${errorText(error)}.`,
      {
        ...details,
        hint: "Start the server, or repair the connection to it; work resumes by itself.",
      },
    );
  return new StoreError(
    "STORE_WRITE_FAILED",
    `Postgres refused to read or write the state: ${errorText(error)}.`,
    {
      ...details,
      hint: "See the server's log.",
    },
  );
}
