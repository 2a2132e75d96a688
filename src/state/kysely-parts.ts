/**
 * The values of Kysely that are used, from its CommonJS build: its 260 small modules load in half the time that way. Types come from the
 * package itself.
 */
import { createRequire } from "node:module";
import type * as kysely from "kysely";

const parts = createRequire(import.meta.url)("kysely") as typeof kysely;

export const { CompiledQuery, Kysely, Migrator, sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } = parts;
export type CompiledQuery = kysely.CompiledQuery;
export type Kysely<Tables> = kysely.Kysely<Tables>;
