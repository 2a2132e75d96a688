/** The rows that statements on SQLite return. */
import { sql } from "kysely";
import { expect, test } from "vitest";
import { kyselyOver } from "../../../src/state/db/sqlite.ts";
import { loadDriver } from "../../../src/state/db/driver.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

function open() {
  const handle = new (loadDriver())(":memory:");
  handle.exec("create table notes (name text, value text); insert into notes values ('a', '1')");
  return kyselyOver(handle, createVirtualClock(0));
}

test("have the columns that the table has now, when the same statement ran before it got another", async () => {
  const db = open();
  const read = () => db.selectFrom("notes").selectAll().execute();
  expect(await read()).toEqual([{ name: "a", value: "1" }]);
  await sql`alter table notes add column more text default 'x'`.execute(db);
  expect(await read()).toEqual([{ name: "a", value: "1", more: "x" }]);
  await db.destroy();
});

test("come from reads and from writes, with the number of rows that a write without rows changed", async () => {
  const db = open();
  const insert = db.insertInto("notes").values([{ name: "b", value: "2" }]);
  expect(await insert.returning(["name"]).execute()).toEqual([{ name: "b" }]);
  const update = db.updateTable("notes").set({ value: "3" });
  expect(Number((await update.executeTakeFirst()).numUpdatedRows)).toBe(2);
  expect(await db.selectFrom("notes").select("value").execute()).toEqual([
    { value: "3" },
    { value: "3" },
  ]);
  await db.destroy();
});
