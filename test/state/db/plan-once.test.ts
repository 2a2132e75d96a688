/** Statements that are run again and again are planned once. */
import { expect, test } from "vitest";
import { kyselyOver } from "../../../src/state/db/sqlite.ts";
import { loadDriver } from "../../../src/state/db/driver.ts";
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
