/**
 * One statement with many rows, for a database that is far away: what SQLite runs row by row is one
 * round trip here.
 */
import type { CompiledQuery } from "kysely";
import type { BatchQuery } from "./statement.ts";

/** Below the 65,535 values that Postgres's protocol can count. */
const MAX_VALUES = 30_000;
/**
 * `insert into "t" ("a", "b") values ($1, $2) on conflict …`: the columns, the row, and what
 * follows.
 */
const INSERT = /^(insert into "\w+" \(([^)]*)\) values )\(([^)]*)\)(.*)$/s;
const UPSERT = /^ on conflict \(([^)]*)\) do update /;

/** Statements that do what running the batch row by row would. */
export function expandBatch({
  sql,
  batch,
}: BatchQuery): readonly Pick<CompiledQuery, "sql" | "parameters">[] {
  const [, head = "", columns = "", row = "", tail = ""] = INSERT.exec(sql) ?? [];
  const width = row.split(", ").length;
  // A batch binds a value for each column, in their order, and nothing else.
  if (head === "" || /\$\d/.test(tail) || batch.some((values) => values.length !== width))
    return batch.map((parameters) => ({ sql, parameters }));
  const most = Math.floor(MAX_VALUES / width);
  return roundsOf(batch, keyPlaces(columns, tail)).flatMap((rows) => {
    const statements = [];
    for (let start = 0; start < rows.length; start += most)
      statements.push(rowsText(head, tail, rows.slice(start, start + most)));
    return statements;
  });
}

function rowsText(
  head: string,
  tail: string,
  rows: BatchQuery["batch"],
): Pick<CompiledQuery, "sql" | "parameters"> {
  let next = 1;
  const tuples = rows.map((values) => `(${values.map(() => `$${next++}`).join(", ")})`);
  return { sql: `${head}${tuples.join(", ")}${tail}`, parameters: rows.flat() };
}

/** Where the values stand that name the row of an upsert; undefined for other statements. */
function keyPlaces(columns: string, tail: string): readonly number[] | undefined {
  const [, keys] = UPSERT.exec(tail) ?? [];
  if (keys === undefined) return undefined;
  const names = columns.split(", ");
  return keys.split(", ").map((key) => names.indexOf(key));
}

/**
 * Postgres updates a row once a statement: rows of the same key go one statement after the other,
 * as they would one by one.
 */
function roundsOf(
  batch: BatchQuery["batch"],
  places: readonly number[] | undefined,
): readonly BatchQuery["batch"][] {
  if (places === undefined) return [batch];
  const rounds: (readonly unknown[])[][] = [];
  const seen = new Map<string, number>();
  for (const values of batch) {
    const key = JSON.stringify(places.map((place) => values[place]));
    const round = seen.get(key) ?? 0;
    seen.set(key, round + 1);
    (rounds[round] ??= []).push(values);
  }
  return rounds;
}
