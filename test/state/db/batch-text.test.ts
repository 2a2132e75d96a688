/** A batch becomes few statements that do what running it row by row would. */
import type { CompiledQuery } from "kysely";
import { expect, test } from "vitest";
import { expandBatch } from "../../../src/state/db/batch-text.ts";

const expand = (sql: string, batch: readonly (readonly unknown[])[]) =>
  expandBatch({ sql, batch, parameters: batch[0] ?? [] } as unknown as CompiledQuery & {
    batch: typeof batch;
  });

test("rows become one statement", () => {
  const sql = 'insert into "t" ("a", "b") values ($1, $2) on conflict ("a") do nothing';
  expect(
    expand(sql, [
      [1, "x"],
      [1, "y"],
    ]),
  ).toEqual([
    {
      sql: 'insert into "t" ("a", "b") values ($1, $2), ($3, $4) on conflict ("a") do nothing',
      parameters: [1, "x", 1, "y"],
    },
  ]);
});

test("rows of an upsert that name the same row go one after the other", () => {
  const tail = ' on conflict ("b") do update set "a" = "excluded"."a"';
  const sql = `insert into "t" ("a", "b") values ($1, $2)${tail}`;
  expect(
    expand(sql, [
      [1, "x"],
      [2, "y"],
      [3, "x"],
    ]),
  ).toEqual([
    {
      sql: `insert into "t" ("a", "b") values ($1, $2), ($3, $4)${tail}`,
      parameters: [1, "x", 2, "y"],
    },
    { sql: `insert into "t" ("a", "b") values ($1, $2)${tail}`, parameters: [3, "x"] },
  ]);
});

test("no statement has more values than the protocol counts", () => {
  const rows = Array.from({ length: 40_000 }, (_, n) => [n, n]);
  const statements = expand('insert into "t" ("a", "b") values ($1, $2)', rows);
  expect(statements.map(({ parameters }) => parameters.length)).toEqual([30_000, 30_000, 20_000]);
  expect(statements.flatMap(({ parameters }) => parameters)).toEqual(rows.flat());
});

test("a statement of another shape runs row by row", () => {
  const sql = 'insert into "t" ("a") values ($1) on conflict ("a") do update set "b" = $2';
  expect(
    expand(sql, [
      [1, 2],
      [3, 4],
    ]),
  ).toEqual([
    { sql, parameters: [1, 2] },
    { sql, parameters: [3, 4] },
  ]);
});
