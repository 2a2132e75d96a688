/**
 * Compiles a Kysely query once per database and runs it many times with other values: building and compiling a query costs far
 * more than running it. Holds no query of its own.
 */
import type { Compilable, CompiledQuery, Insertable, InsertQueryBuilder, InsertResult, Kysely } from "kysely";
import type { Tables } from "./tables.ts";

/** A database or an open transaction on it. */
export type Executor = Kysely<Tables>;

export interface Answer<Row> {
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

async function run<Row>(on: Executor, compiled: CompiledQuery, value: (name: string | number) => unknown): Promise<Answer<Row>> {
  const parameters = compiled.parameters.map((p) => (p instanceof Slot ? value(p.name) : p));
  const result = await on.executeQuery({ ...compiled, parameters } as CompiledQuery<Row>);
  return { rows: result.rows, changed: Number(result.numAffectedRows ?? 0n) };
}

/** `statement<{ id: string }>()((on, slot) => on.selectFrom(…).where("id", "=", slot("id")))` gives a function of database and values. */
export const statement =
  <Args extends object>() =>
  <Row>(build: (on: Executor, slot: SlotOf<Args>) => Compilable<Row>): ((on: Executor, args: Args) => Promise<Answer<Row>>) => {
    const cache: Cache = new WeakMap();
    const slot = ((name: string) => new Slot(name)) as unknown as SlotOf<Args>;
    return (on, args) => {
      const compiled = compiledOn(cache, on, () => build(on, slot));
      return run<Row>(on, compiled, (name) => args[name as keyof Args]);
    };
  };

/** Longest first; the product with the widest table stays under the parameter limits of both databases. */
const INSERT_SIZES = [64, 16, 4, 1] as const;

/** Inserts any number of rows in few statements. `finish` adds conflict and returning clauses. All rows have the columns named. */
export function insertRows<T extends keyof Tables, Row>(
  table: T,
  columns: readonly (keyof Tables[T] & string)[],
  finish: (insert: InsertQueryBuilder<Tables, T, InsertResult>) => Compilable<Row>,
): (on: Executor, rows: readonly Insertable<Tables[T]>[]) => Promise<Answer<Row>> {
  const caches = new Map<number, Cache>(INSERT_SIZES.map((size) => [size, new WeakMap()]));
  const build = (on: Executor, size: number) => {
    const rows = Array.from({ length: size }, (_, row) =>
      Object.fromEntries(columns.map((column, i) => [column, new Slot(row * columns.length + i)])),
    );
    return finish(on.insertInto(table).values(rows as unknown as Insertable<Tables[T]>[]) as InsertQueryBuilder<Tables, T, InsertResult>);
  };
  return async (on, rows) => {
    const found: Row[] = [];
    let changed = 0;
    let start = 0;
    for (const size of INSERT_SIZES) {
      for (; rows.length - start >= size; start += size) {
        const compiled = compiledOn(caches.get(size) as Cache, on, () => build(on, size));
        const values: unknown[] = [];
        for (let r = start; r < start + size; r += 1) for (const column of columns) values.push(rows[r]?.[column as never]);
        const answer = await run<Row>(on, compiled, (index) => values[index as number]);
        found.push(...answer.rows);
        changed += answer.changed;
      }
    }
    return { rows: found, changed };
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
    return async (on: Executor, items: readonly Item[], args: Args): Promise<Answer<Row>> => {
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
