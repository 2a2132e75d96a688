/**
 * Compiles a Kysely query once per database and runs it many times with other values: building and compiling a query costs far
 * more than running it. Holds no query of its own.
 */
import type { Compilable, CompiledQuery, Insertable, InsertQueryBuilder, InsertResult, Kysely } from "kysely";
import type { Tables } from "./tables.ts";

/** A database or an open transaction on it. */
export type Executor = Kysely<Tables>;

export interface StatementResult<Row> {
  readonly rows: readonly Row[];
  /** Rows inserted, updated or deleted. */
  readonly changed: number;
}

/** Stands in a compiled query where a value will be. */
class Slot {
  readonly name: string | number;
  constructor(name: string | number) {
    this.name = name;
  }
}

type SlotOf<Args> = <K extends keyof Args & string>(name: K) => Args[K];

/** Compiled text by dialect adapter: one database and its transactions share one adapter. */
type Cache = WeakMap<object, CompiledQuery>;

function compiledOn(cache: Cache, on: Executor, build: () => Compilable): CompiledQuery {
  const { adapter } = on.getExecutor();
  const known = cache.get(adapter);
  if (known !== undefined) return known;
  const compiled = build().compile();
  cache.set(adapter, compiled);
  return compiled;
}

async function run<Row>(on: Executor, compiled: CompiledQuery, value: (name: string | number) => unknown): Promise<StatementResult<Row>> {
  const parameters = compiled.parameters.map((p) => (p instanceof Slot ? value(p.name) : p));
  const result = await on.executeQuery({ ...compiled, parameters } as CompiledQuery<Row>);
  return { rows: result.rows, changed: Number(result.numAffectedRows ?? 0n) };
}

/** `statement<{ id: string }>()((on, slot) => on.selectFrom(…).where("id", "=", slot("id")))` gives a function of database and values. */
export const statement =
  <Args extends object>() =>
  <Row>(build: (on: Executor, slot: SlotOf<Args>) => Compilable<Row>): ((on: Executor, args: Args) => Promise<StatementResult<Row>>) => {
    const cache: Cache = new WeakMap();
    const slot = ((name: string) => new Slot(name)) as unknown as SlotOf<Args>;
    return (on, args) => {
      const compiled = compiledOn(cache, on, () => build(on, slot));
      return run<Row>(on, compiled, (name) => args[name as keyof Args]);
    };
  };

/**
 * One statement for many rows. The adapter runs it once for each list of values, without a promise for each: cheaper than statements of
 * many rows, whose plans copy every row once more.
 */
export interface BatchQuery extends CompiledQuery {
  readonly batch: readonly (readonly unknown[])[];
}

/** Inserts any number of rows. `finish` adds conflict clauses. All rows have the columns named. */
export function insertRows<T extends keyof Tables>(
  table: T,
  columns: readonly (keyof Tables[T] & string)[],
  finish: (insert: InsertQueryBuilder<Tables, T, InsertResult>) => Compilable,
): (on: Executor, rows: readonly Insertable<Tables[T]>[]) => Promise<Pick<StatementResult<never>, "changed">> {
  const cache: Cache = new WeakMap();
  const build = (on: Executor) => {
    const row = Object.fromEntries(columns.map((column) => [column, new Slot(column)]));
    return finish(on.insertInto(table).values(row as unknown as Insertable<Tables[T]>) as InsertQueryBuilder<Tables, T, InsertResult>);
  };
  return async (on, rows) => {
    if (rows.length === 0) return { changed: 0 };
    const compiled = compiledOn(cache, on, () => build(on));
    const batch = rows.map((row) => compiled.parameters.map((p) => (p instanceof Slot ? row[p.name as never] : p)));
    const query: BatchQuery = { ...compiled, parameters: batch[0] ?? [], batch };
    const { numAffectedRows } = await on.executeQuery(query);
    return { changed: Number(numAffectedRows ?? 0n) };
  };
}

const LIST_SIZES = [1, 8, 64, 256] as const;

/** Like `statement`, with one list of any length for an `in (…)`: asked in chunks, each padded by repeating its last value. */
export const listStatement =
  <Args extends object, Item>() =>
  <Row>(build: (on: Executor, list: Item[], slot: SlotOf<Args>) => Compilable<Row>) => {
    const caches = new Map<number, Cache>(LIST_SIZES.map((size) => [size, new WeakMap()]));
    const slot = ((name: string) => new Slot(name)) as unknown as SlotOf<Args>;
    const largest = LIST_SIZES[LIST_SIZES.length - 1] as number;
    return async (on: Executor, items: readonly Item[], args: Args): Promise<StatementResult<Row>> => {
      const rows: Row[] = [];
      let changed = 0;
      for (let start = 0; start < items.length; start += largest) {
        const chunk = items.slice(start, start + largest);
        const size = LIST_SIZES.find((s) => s >= chunk.length) ?? largest;
        const list = Array.from({ length: size }, (_, i) => new Slot(i)) as unknown as Item[];
        const compiled = compiledOn(caches.get(size) as Cache, on, () => build(on, list, slot));
        const answer = await run<Row>(on, compiled, (name) =>
          typeof name === "number" ? chunk[Math.min(name, chunk.length - 1)] : args[name as keyof Args],
        );
        rows.push(...answer.rows);
        changed += answer.changed;
      }
      return { rows, changed };
    };
  };

/** Everything in `work`, or nothing. */
export const transact = <Result>(db: Executor, work: (on: Executor) => Promise<Result>): Promise<Result> => db.transaction().execute(work);
