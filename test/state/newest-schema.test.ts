import { expect, test } from "vitest";
import { loadDriver } from "../../src/state/db/driver.ts";
import { MIGRATIONS } from "../../src/state/migrations/migrate.ts";
import { openTemp, tempStatePath } from "./temp-state.ts";

interface Described {
  readonly name: string;
  readonly sql: string;
}

/** The statements that make the schema of a state, and the rows it begins with. */
function describeState(path: string): readonly string[] {
  const handle = new (loadDriver())(path, { readonly: true });
  const read = <Row>(query: string) => handle.prepare(query).all() as Row[];
  const made = read<Described>(
    "select name, sql from sqlite_schema where sql is not null and name not like 'sqlite_%' order by rowid",
  );
  const rows = made
    .filter(({ sql }) => sql.startsWith("create table") || sql.startsWith("CREATE TABLE"))
    .filter(({ name }) => !OF_NO_SCHEMA.has(name))
    .flatMap(({ name }) => read<object>(`select * from "${name}"`).map((row) => insert(name, row)));
  handle.close();
  return [...made.map(({ sql }) => sql.replaceAll(/\s+/g, " ")), ...rows];
}

/** These hold when a state was made, and not how. */
const OF_NO_SCHEMA: ReadonlySet<string> = new Set(["kysely_migration", "housekeeping", "notes"]);

const insert = (table: string, row: object): string =>
  `insert into "${table}" (${Object.keys(row)
    .map((name) => `"${name}"`)
    .join(", ")}) values (${Object.values(row)
    .map((value) => (typeof value === "string" ? `'${value}'` : String(value)))
    .join(", ")})`;

/** Breaks a statement where one of its lines would be too long. */
const inLines = (sql: string): string =>
  sql.replaceAll(/(.{1,94})(?: |$)/g, (_, line: string) => `\n  ${line}`).slice(3);

const sourceText = (statements: readonly string[]): string => `/**
 * The schema that all migrations together make on SQLite, for a state that does not exist yet. It
 * is written by \`npx vitest run test/state/newest-schema.test.ts -u\`.
 */
export const NEWEST_SCHEMA = \`
${statements.map(inLines).join(";\n")};
\`;
`;

/** A list of its own makes a state migrate step by step. */
async function migrated(): Promise<string> {
  const path = tempStatePath();
  await (await openTemp(path, { migrations: { ...MIGRATIONS } })).close();
  return path;
}

const appliedTo = (path: string): unknown => {
  const handle = new (loadDriver())(path, { readonly: true });
  const rows = handle.prepare("select name from kysely_migration order by name").pluck().all();
  handle.close();
  return rows;
};

test("the schema of a new state is committed as the migrations make it now", async () => {
  const statements = describeState(await migrated());
  expect(statements.length).toBeGreaterThan(60);
  await expect(sourceText(statements)).toMatchFileSnapshot(
    "../../src/state/migrations/newest-schema.ts",
  );
});

test("a new state and a migrated one are the same", async () => {
  const path = tempStatePath();
  await (await openTemp(path)).close();
  const other = await migrated();
  expect(describeState(path)).toEqual(describeState(other));
  expect(appliedTo(path)).toEqual(appliedTo(other));
  expect(appliedTo(path)).toEqual(Object.keys(MIGRATIONS));
});
