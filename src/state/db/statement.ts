/**
 * Compiles a Kysely query once per kind of database and runs it many times with different values,
 * because building and compiling a query costs far more than running it.
 */
import {
  type Compilable,
  type CompiledQuery,
  type Insertable,
  type InsertQueryBuilder,
  type InsertResult,
  type Kysely,
  PostgresAdapter,
} from "kysely";
import { groupBy } from "../../model/group-by.ts";
import { scopeQuery } from "./scopes.ts";
import type { Tables } from "./tables.ts";

/** A database, or an open transaction on it. */
export type Executor = Kysely<Tables>;

export interface StatementResult<Row> {
  readonly rows: readonly Row[];
  /** The number of rows that were inserted, updated or deleted. */
  readonly changed: number;
}

/** Marks the place of a value in a compiled query. */
class Slot {
  readonly name: string | number;
  constructor(name: string | number) {
    this.name = name;
  }
}

type SlotOf<Args> = <K extends keyof Args & string>(name: K) => Args[K];

/** Compiled queries by dialect adapter. All databases of a kind share one adapter. */
type Cache = WeakMap<object, CompiledQuery>;

function compiledOn(cache: Cache, on: Executor, build: () => Compilable): CompiledQuery {
  const { adapter } = on.getExecutor();
  const known = cache.get(adapter);
  if (known !== undefined) return known;
  const compiled = build().compile();
  cache.set(adapter, compiled);
  return compiled;
}

async function run<Row>(
  on: Executor,
  compiled: CompiledQuery,
  value: (name: string | number) => unknown,
): Promise<StatementResult<Row>> {
  const parameters = valuesOf(compiled, value);
  const result = await on.executeQuery({ ...compiled, parameters } as CompiledQuery<Row>);
  return { rows: result.rows, changed: Number(result.numAffectedRows ?? 0n) };
}

/**
 * Creates a function of database and values from a query: `statement<{ id: string }>()((on, slot)
 * => on.selectFrom(…).where("id", "=", slot("id")))`.
 */
export const statement =
  <Args extends object>() =>
  <Row>(
    build: (on: Executor, slot: SlotOf<Args>) => Compilable<Row>,
  ): ((on: Executor, args: Args) => Promise<StatementResult<Row>>) => {
    const cache: Cache = new WeakMap();
    const slot = ((name: string) => new Slot(name)) as unknown as SlotOf<Args>;
    return (on, args) => {
      const compiled = compiledOn(cache, on, () => build(on, slot));
      return run<Row>(on, compiled, (name) => args[name as keyof Args]);
    };
  };

/**
 * Creates a function that runs a statement for each of many sets of values in one call. The result
 * has the rows of all runs, in the order of the sets.
 */
export const statementForEach =
  <Args extends object>() =>
  <Row>(build: (on: Executor, slot: SlotOf<Args>) => Compilable<Row>) => {
    const cache: Cache = new WeakMap();
    const slot = ((name: string) => new Slot(name)) as unknown as SlotOf<Args>;
    return async (on: Executor, all: readonly Args[]): Promise<StatementResult<Row>> => {
      const compiled = compiledOn(cache, on, () => build(on, slot));
      return runBatch<Row>(
        on,
        compiled,
        all.map((args) => valuesOf(compiled, (name) => args[name as keyof Args])),
      );
    };
  };

const valuesOf = (
  { parameters }: CompiledQuery,
  value: (name: string | number) => unknown,
): readonly unknown[] => parameters.map((p) => (p instanceof Slot ? value(p.name) : p));

async function runBatch<Row>(
  on: Executor,
  compiled: CompiledQuery,
  batch: BatchQuery["batch"],
): Promise<StatementResult<Row>> {
  if (batch.length === 0) return { rows: [], changed: 0 };
  const query: BatchQuery = { ...compiled, parameters: batch[0] ?? [], batch };
  const { rows, numAffectedRows } = await on.executeQuery<Row>(
    query as CompiledQuery<Row> & BatchQuery,
  );
  return { rows, changed: Number(numAffectedRows ?? 0n) };
}

/**
 * A statement that the driver runs once for each list of values, without a promise for each. On
 * SQLite this is cheaper than a statement with many rows, whose plan copies every row once more.
 */
export interface BatchQuery extends CompiledQuery {
  readonly batch: readonly (readonly unknown[])[];
}

/**
 * Creates a function that inserts any number of rows. All rows have the given columns. `finish`
 * adds conflict clauses.
 */
export function insertRows<T extends keyof Tables>(
  table: T,
  columns: readonly (keyof Tables[T] & string)[],
  finish: (insert: InsertQueryBuilder<Tables, T, InsertResult>) => Compilable,
): (
  on: Executor,
  rows: readonly Insertable<Tables[T]>[],
) => Promise<Pick<StatementResult<never>, "changed">> {
  const cache: Cache = new WeakMap();
  const build = (on: Executor) => {
    const row = Object.fromEntries(columns.map((column) => [column, new Slot(column)]));
    return finish(
      on.insertInto(table).values(row as unknown as Insertable<Tables[T]>) as InsertQueryBuilder<
        Tables,
        T,
        InsertResult
      >,
    );
  };
  return async (on, rows) => {
    if (rows.length === 0) return { changed: 0 };
    const compiled = compiledOn(cache, on, () => build(on));
    return runBatch(
      on,
      compiled,
      rows.map((row) => valuesOf(compiled, (name) => row[name as never])),
    );
  };
}

const MAX_LIST = 256;
/**
 * The sizes to which chunks of a list are padded, so that only these many variants of a statement
 * are compiled. The largest is first, so that the full chunks of a long list run before its rest.
 */
const LIST_SIZES = [MAX_LIST, 64, 8, 1];

/** A list of values for an `in (…)`, and the other values of the statement. */
export interface Listed<Args, Item> {
  readonly items: readonly Item[];
  readonly args: Args;
}

/**
 * Creates a function like `statement`, but with one list of any length for an `in (…)`. The list is
 * split into chunks, and each chunk is padded by repeating its last value.
 */
export const listStatement = <Args extends object, Item>() => {
  const forEach = listStatementForEach<Args, Item>();
  return <Row>(build: (on: Executor, list: Item[], slot: SlotOf<Args>) => Compilable<Row>) => {
    const runAll = forEach(build);
    return (on: Executor, items: readonly Item[], args: Args) => runAll(on, [{ items, args }]);
  };
};

/**
 * Creates a function like that of `listStatement`, but for many lists in one call. The result has
 * the rows of all lists, in no fixed order of the lists.
 */
export const listStatementForEach =
  <Args extends object, Item>() =>
  <Row>(build: (on: Executor, list: Item[], slot: SlotOf<Args>) => Compilable<Row>) => {
    const caches = new Map<number, Cache>(LIST_SIZES.map((size) => [size, new WeakMap()]));
    const slot = ((name: string) => new Slot(name)) as unknown as SlotOf<Args>;
    return async (
      on: Executor,
      lists: readonly Listed<Args, Item>[],
    ): Promise<StatementResult<Row>> => {
      const bySize = groupBy(lists.flatMap(chunksOf), sizeOf);
      const rows: Row[] = [];
      let changed = 0;
      for (const size of LIST_SIZES) {
        const own = bySize.get(size);
        if (own === undefined) continue;
        const list = Array.from({ length: size }, (_, i) => new Slot(i)) as unknown as Item[];
        const compiled = compiledOn(caches.get(size) as Cache, on, () => build(on, list, slot));
        const answer = await runBatch<Row>(
          on,
          compiled,
          own.map(({ items, args }) =>
            valuesOf(compiled, (name) =>
              typeof name === "number"
                ? items[Math.min(name, items.length - 1)]
                : args[name as keyof Args],
            ),
          ),
        );
        rows.push(...answer.rows);
        changed += answer.changed;
      }
      return { rows, changed };
    };
  };

function chunksOf<Args, Item>({ items, args }: Listed<Args, Item>): readonly Listed<Args, Item>[] {
  if (items.length > 0 && items.length <= MAX_LIST) return [{ items, args }];
  const chunks: Listed<Args, Item>[] = [];
  for (let start = 0; start < items.length; start += MAX_LIST)
    chunks.push({ items: items.slice(start, start + MAX_LIST), args });
  return chunks;
}

/** Returns the size to which a chunk is padded. */
const sizeOf = ({ items: { length } }: { readonly items: readonly unknown[] }): number =>
  LIST_SIZES.findLast((size) => size >= length) ?? MAX_LIST;

/**
 * The scopes of a transaction, or a function that finds them inside the transaction, once it shares
 * the state's lock. The function may read and must not write.
 */
export type Scopes = readonly string[] | ((on: Executor) => Promise<readonly string[]>);

/**
 * Runs `work` in a transaction, which takes effect completely or not at all. Nothing else writes
 * meanwhile. With `scopes`, on Postgres, only transactions that share one of these scopes have to
 * wait.
 */
export const transact = <Result>(
  db: Executor,
  work: (on: Executor) => Promise<Result>,
  scopes?: Scopes,
): Promise<Result> =>
  db.transaction().execute(async (on) => {
    if (scopes !== undefined && isOnPostgres(on)) await takeScopes(on, scopes);
    return work(on);
  });

/**
 * The isolation level by which a transaction asks the SQLite driver not to wait for the disk.
 * SQLite itself has no isolation levels.
 */
export const UNSYNCED = "read uncommitted";

/**
 * Like `transact`, but on SQLite does not wait until the disk has stored the changes. The next
 * `transact` waits for its own changes and for these. If the machine loses its power before that,
 * these changes are lost as a whole. The end of the process alone loses nothing.
 */
export const transactUnsynced: typeof transact = (db, work, scopes) =>
  isOnPostgres(db)
    ? transact(db, work, scopes)
    : db.transaction().setIsolationLevel(UNSYNCED).execute(work);

export const isOnPostgres = (on: Executor): boolean =>
  on.getExecutor().adapter instanceof PostgresAdapter;

async function takeScopes(on: Executor, scopes: Scopes): Promise<void> {
  if (typeof scopes !== "function") return void (await on.executeQuery(scopeQuery(scopes)));
  await on.executeQuery(scopeQuery([]));
  await on.executeQuery(scopeQuery(await scopes(on)));
}
