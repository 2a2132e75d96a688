/**
 * Converts a batch, which is one statement with many lists of values, to statements that insert
 * many rows each. Only Postgres needs this, because each statement takes a round trip to the
 * server. SQLite runs a batch row by row.
 */
import type { CompiledQuery } from "kysely";
import type { BatchQuery } from "./statement.ts";

/** The maximum number of values in one statement. Postgres's protocol allows 65,535. */
const MAX_VALUES = 30_000;
/**
 * Splits `insert into "t" ("a", "b") values ($1, $2) on conflict …` into four parts: the text
 * before the row, the names of the columns in it, the values of the row, and the text after the
 * row.
 */
const INSERT = /^(insert into "\w+" \(([^)]*)\) values )\(([^)]*)\)(.*)$/s;
const UPSERT = /^ on conflict \(([^)]*)\) do update /;

/** Returns statements that have the same effect as running the batch row by row. */
export function expandBatch({
  sql,
  batch,
}: BatchQuery): readonly Pick<CompiledQuery, "sql" | "parameters">[] {
  const [, head = "", columns = "", row = "", tail = ""] = INSERT.exec(sql) ?? [];
  const width = row.split(", ").length;
  // Only certain inserts can be expanded: the row must have exactly one value for each column, in
  // the order of the columns, and the rest of the statement no values. Any other batch is run row
  // by row.
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

/**
 * Returns the positions of the values that identify the row of an upsert; undefined for other
 * statements.
 */
function keyPlaces(columns: string, tail: string): readonly number[] | undefined {
  const [, keys] = UPSERT.exec(tail) ?? [];
  if (keys === undefined) return undefined;
  const names = columns.split(", ");
  return keys.split(", ").map((key) => names.indexOf(key));
}

/**
 * Splits a batch so that no statement has two rows with the same key, because Postgres refuses to
 * update a row twice in one statement.
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
