/**
 * What a transaction reads and then relies on, by name: the ledger, a sink, a watch. On Postgres,
 * those that name no scope in common run side by side, and one that names none has the state to
 * itself. A file has one writer at a time anyway. Which method names what: docs/adr/0024.
 */
import { createHash } from "node:crypto";
import { CompiledQuery } from "kysely";
import { lockName, nameOfSchema } from "./postgres-sessions.ts";

export const LEDGER = "ledger";
/** What is to be edited of messages on their way. */
export const EDITS = "edits";
export const scopeOfSource = (fingerprint: string): string => `source ${fingerprint}`;
/** Its targets, with their items, members and rechecks, and its events. */
export const scopeOfWatch = (watchKey: string): string => `watch ${watchKey}`;
/** Groups, threads, throttles and what was alerted on. */
export const scopeOfSink = (sink: string): string => `sink ${sink}`;

/** Stands for no statement: a connection to Postgres takes the locks of the scopes. */
export interface ScopeQuery extends CompiledQuery {
  readonly scopes: readonly string[];
}

export const scopeQuery = (scopes: readonly string[]): ScopeQuery => ({
  ...CompiledQuery.raw(""),
  scopes,
});

/** Each is a row in the server's table of locks, which has room for some thousands. */
const MAX_SCOPES = 100;

/** Waits for all that write. */
export const EXCLUSIVE = `pg_advisory_xact_lock(${lockName("writers")})`;

/**
 * Calls that take the locks of a transaction, in the order in which everyone takes them: nobody
 * waits in a circle.
 */
export const locksOf = (scopes: readonly string[]): readonly string[] =>
  new Set(scopes).size > MAX_SCOPES
    ? [EXCLUSIVE]
    : [`pg_advisory_xact_lock_shared(${lockName("writers")})`, ...scopeLocks(scopes)];

export const scopeLocks = (scopes: readonly string[]): readonly string[] =>
  [...new Set(scopes.map(keyOf))]
    .sort((a, b) => a - b)
    .map((key) => `pg_advisory_xact_lock(${key}, ${nameOfSchema})`);

/**
 * Below zero: other locks of ours are above. Two scopes of one key wait for each other without
 * need, which does no harm.
 */
const keyOf = (scope: string): number =>
  -(createHash("sha256").update(scope).digest().readUInt32BE() % 2 ** 31) - 1;
