/** Statements that are run again and again are planned once. */
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { kyselyOver } from "../../../src/state/db/sqlite.ts";
import { loadDriver } from "../../../src/state/db/driver.ts";
import { NEWEST_SCHEMA } from "../../../src/state/migrations/newest-schema.ts";
import { readTree } from "../../architecture/source-tree.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

test("a limit is no bare parameter, for which SQLite would plan the statement at every run, and limits all the same", async () => {
  const handle = new (loadDriver())(":memory:");
  handle.exec(
    "create table notes (name text, value text); insert into notes values ('a', '1'), ('b', '2'), ('c', '3')",
  );
  const db = kyselyOver(handle, createVirtualClock(0));
  const query = db.selectFrom("notes").select("name").orderBy("name").limit(2);
  expect(query.compile().sql).toMatch(/ limit 0 \+ \?$/);
  expect(await query.execute()).toEqual([{ name: "a" }, { name: "b" }]);
  await db.destroy();
});

/** Returns the columns that conditions of partial indexes compare with a value. */
function comparedInIndexes(schema: string): ReadonlySet<string> {
  const conditions = [...schema.matchAll(/^CREATE INDEX [^;]*? where\s([^;]*);/gm)];
  const compared = conditions.flatMap(([, text = ""]) => [
    ...text.matchAll(/"?(\w+)"?\s+!?=\s+(?:'|\d)/g),
  ]);
  return new Set(compared.flatMap(([, column]) => column ?? []));
}

/** Returns the comparisons of these columns with anything but a literal or another column. */
function comparedWithParameters(text: string, columns: ReadonlySet<string>): readonly string[] {
  const comparison = /\(\s*"(?:\w+\.)?(\w+)",\s*"!?=",\s*(\S+)/g;
  return [...text.matchAll(comparison)].flatMap(([found, column = "", value = ""]) =>
    columns.has(column) && !/^(?:[A-Z_]+[),]|sql\.lit\(|\w+\.ref\()/.test(value)
      ? [found.replace(/\s+/g, " ")]
      : [],
  );
}

test("no parameter is compared with a column in the condition of a partial index, because SQLite would plan the statement at every run", () => {
  const columns = comparedInIndexes(NEWEST_SCHEMA);
  expect(columns).toEqual(new Set(["state", "grouped"]));
  const files = readTree(resolve(import.meta.dirname, "../../../src/state"));
  const found = files
    .filter(({ path }) => !path.startsWith("migrations/"))
    .flatMap(({ path, text }) =>
      comparedWithParameters(text, columns).map((comparison) => `${path}: ${comparison}`),
    );
  expect(found, "use a value of src/state/db/literals.ts").toEqual([]);
});

test("a comparison with a parameter is found however it is written", () => {
  const text = `.where("state", "=", "sent") .where("m.state", "!=", slot("was"))
    eb("d.grouped", "=", 1) .where("m.state", "=", SENT) .where("state", "=", sql.lit(state))
    .where("key", "=", "a") eb("a.state", "=", eb.ref("b.state")) .where(
      "state",
      "=",
      was,
    )`;
  expect(comparedWithParameters(text, new Set(["state", "grouped"]))).toEqual([
    '("state", "=", "sent")',
    '("m.state", "!=", slot("was"))',
    '("d.grouped", "=", 1)',
    '( "state", "=", was,',
  ]);
});
