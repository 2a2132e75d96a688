/**
 * Names the scopes of a transaction, which are the parts of the state on which it relies: the
 * ledger, a sink, a watch. On Postgres, transactions without a common scope run at the same time,
 * and a transaction that names no scope runs alone. On SQLite, only one transaction writes at a
 * time anyway. docs/adr/0024 lists the scopes of each method.
 */
import { createHash } from "node:crypto";
import { CompiledQuery } from "kysely";
import { lockName, nameOfSchema } from "./postgres-sessions.ts";

export const LEDGER = "ledger";
/** Covers the pending edits of messages. */
export const EDITS = "edits";
export const scopeOfSource = (fingerprint: string): string => `source ${fingerprint}`;
/** Covers a watch's targets with their items, members and rechecks, and its events. */
export const scopeOfWatch = (watchKey: string): string => `watch ${watchKey}`;
/** Covers a sink's groups, threads, throttles and deduplication keys. */
export const scopeOfSink = (sink: string): string => `sink ${sink}`;

/**
 * A query without SQL. A connection to Postgres that runs it takes the locks of the scopes instead.
 */
export interface ScopeQuery extends CompiledQuery {
  readonly scopes: readonly string[];
}

export const scopeQuery = (scopes: readonly string[]): ScopeQuery => ({
  ...CompiledQuery.raw(""),
  scopes,
});

/**
 * The maximum number of scopes of a transaction. With more, a transaction takes the exclusive lock
 * instead, because each scope takes a row in the server's table of locks, which has room for only
 * some thousands.
 */
const MAX_SCOPES = 100;

/** The SQL call that takes the exclusive lock: it waits until no other transaction writes. */
export const EXCLUSIVE = `pg_advisory_xact_lock(${lockName("writers")})`;

/**
 * Returns the SQL calls that take the locks of a transaction with scopes. Every transaction takes
 * them in the same order, so no deadlock can arise.
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
 * Returns the lock number of a scope. The number is negative, because the other locks have positive
 * numbers. If two scopes get the same number, their transactions wait for each other, which is
 * needless but harmless.
 */
const keyOf = (scope: string): number =>
  -(createHash("sha256").update(scope).digest().readUInt32BE() % 2 ** 31) - 1;
