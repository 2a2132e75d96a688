/**
 * A state on Postgres: made at the first start, held by one daemon, and refused in a sentence with
 * its cure where that cannot be.
 */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { parsePostgresUrl } from "../../src/config/text/postgres-url.ts";
import type { Clock } from "../../src/model/clock.ts";
import { ExitError } from "../../src/model/exit-code.ts";
import type { PostgresAddress } from "../../src/model/postgres-address.ts";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import { checkServer } from "../../src/state/files/postgres-failures.ts";
import type { OpenedStore, OpenOptions } from "../../src/state/open.ts";
import { MIGRATIONS } from "../../src/state/migrations/migrate.ts";
import { openState } from "../../src/state/open-state.ts";
import { throughPgBouncer } from "../support/pgbouncer.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { memoryStatePath, rememberingLog } from "./temp-state.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

const clock = createSystemClock();
/** A process that finds the state held waits before it is refused: here a tenth of the time. */
const quickClock: Clock = { ...clock, after: (ms, fn) => clock.after(ms / 10, fn) };

async function open(url: string, options: Partial<OpenOptions> = {}): Promise<OpenedStore> {
  const postgres = parsePostgresUrl(url, "/") as PostgresAddress;
  const deps = { clock, random: createSeededRandom(1), log: rememberingLog() };
  const store = await openState({ path: memoryStatePath(), postgres, ...deps, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** `code: message / hint`; never the password. */
async function refusal(url: string, options: Partial<OpenOptions> = {}): Promise<string> {
  const error = await open(url, { clock: quickClock, ...options }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ExitError)) throw new Error(`no refusal: ${String(error)}`);
  const text = `${error.code}: ${error.message} / ${error.hint}`;
  expect(text).not.toContain(server.password);
  return text.replaceAll(String(server.port), "PORT");
}

test("is made at the first start, found by the next, and has its size", async () => {
  const url = await server.url();
  expect(await refusal(url, { readonly: true })).toMatch(
    /^STATE_MISSING: There is no state in postgres:\/\/127.0.0.1:PORT\/state_\d+\./,
  );
  expect(await refusal(url, { mustExist: true })).toContain("STATE_MISSING");
  const log = rememberingLog();
  const first = await open(url, { log });
  expect(first.created).toBe(true);
  expect(first.path).toMatch(/^postgres:\/\/127\.0\.0\.1:\d+\/state_\d+$/);
  expect(first.sizeBytes()).toBeGreaterThan(100_000);
  await first.writeNote("n", 1);
  await first.close();
  const second = await open(url, { mustExist: true });
  expect(second.created).toBe(false);
  expect(await second.readNote("n")).toBe(1);
  const settings = log.lines.filter(({ level }) => level === "warn").map(({ message }) => message);
  // The server of the tests runs with fsync off.
  expect(settings).toEqual([
    "postgres does not wait for its disk: what it confirmed may be lost in a crash",
  ]);
});

test("is held by one daemon; commands read and write beside it, and it is free when that closes it", async () => {
  const url = await server.url();
  const daemon = await open(url);
  expect(await refusal(url)).toBe(
    `STATE_LOCKED: Another chirpwatch is running on ${daemon.path.replaceAll(String(server.port), "PORT")}. / Stop it first, or give this one a database of its own.`,
  );
  const reader = await open(url, { readonly: true });
  const writer = await open(url, { shared: true, mustExist: true });
  await writer.writeNote("n", 2);
  expect(await reader.readNote("n")).toBe(2);
  await daemon.close();
  await open(url);
});

test("is opened by two daemons at once for one of them", async () => {
  const url = await server.url();
  const results = await Promise.allSettled([
    open(url, { clock: quickClock }),
    open(url, { clock: quickClock }),
  ]);
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("waits for a server that restarts, and holds it again afterwards", async () => {
  const url = await server.url();
  const log = rememberingLog();
  const store = await open(url, { log });
  await store.writeNote("n", 1);
  await server.stop("immediate");
  const written = store.writeNote("n", 2).then(
    () => "written",
    () => store.writeNote("n", 2).then(() => "written at the second try"),
  );
  await server.start();
  expect(await written).toMatch(/^written/);
  expect(await store.readNote("n")).toBe(2);
  expect(log.lines.map(({ message }) => message)).toEqual(
    expect.arrayContaining(["connection to postgres was lost", "connection to postgres is back"]),
  );
  expect(await refusal(url)).toContain("STATE_LOCKED");
});

test("is refused with the reason and its cure", async () => {
  const good = new URL(await server.url());
  const changed = (change: (url: URL) => void): string => {
    const url = new URL(good);
    change(url);
    return url.href;
  };
  const refused = await refusal(changed((url) => (url.password = "wrong")));
  expect(refused).toContain(
    'refuses the role owner: password authentication failed for user "owner". / Check user and password',
  );
  expect(refused).toMatch(/^STATE_LOGIN_REFUSED: postgres:/);
  expect(await refusal(changed((url) => (url.username = "nobody")))).toContain(
    'refuses the role nobody: password authentication failed for user "nobody". / Check user and password',
  );
  expect(await refusal(changed((url) => (url.pathname = "/nowhere")))).toContain(
    "STATE_MISSING: There is no database nowhere on 127.0.0.1:PORT. / As an administrator: create database nowhere owner owner.",
  );
  expect(await refusal(changed((url) => (url.port = "1")))).toContain(
    "STATE_UNREACHABLE: The Postgres server 127.0.0.1:1 does not answer: connect ECONNREFUSED 127.0.0.1:1. / Start it",
  );
  expect(await refusal(`${good.href}?sslmode=verify-full`)).toContain("STATE_TLS_FAILED");
  expect(await refusal(`${good.href}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`)).toContain(
    "STATE_TLS_FAILED: The certificate of sslrootcert cannot be read: ENOENT",
  );
  await server.ask("postgres", "create database latin encoding 'LATIN1' template template0");
  expect(await refusal(changed((url) => (url.pathname = "/latin")))).toContain(
    "STATE_SERVER_UNFIT: The database",
  );
  await server.ask("postgres", "create database another");
  expect(await refusal(changed((url) => (url.pathname = "/another")))).toContain(
    "STATE_READONLY: The role owner may not create tables in postgres://127.0.0.1:PORT/another. / As an administrator: alter database another owner to owner.",
  );
  await server.ask("another", "create table invoices (id int)");
  expect(await refusal(changed((url) => (url.pathname = "/another")))).toContain(
    "STATE_NOT_A_DATABASE",
  );
});

test("of a newer version, or of one that this build is newer than, is refused to those that may not change it", async () => {
  const url = await server.url();
  await (await open(url)).close();
  const database = new URL(url).pathname.slice(1);
  await server.ask(database, "insert into kysely_migration values ('9999-later', 'now')");
  expect(await refusal(url)).toMatch(
    /^STATE_NEWER_SCHEMA: The state in postgres:\/\/127.0.0.1:PORT\/state_\d+ has schema 9999-later, but this build knows only up to \d{4}-[a-z-]+\. \/ Start the newer chirpwatch again, or restore a dump from before the upgrade with pg_restore\.$/,
  );
  await server.ask(database, "delete from kysely_migration where name > '0020'");
  expect(await refusal(url, { readonly: true })).toContain("STATE_OLDER_SCHEMA");
});

test("fault 90: refuses a pooler that lends a session for one transaction only, and takes one that lends it whole", async (context) => {
  expect(await refusal(await throughPgBouncer(context, server, "transaction"))).toMatch(
    /^STATE_SERVER_UNFIT: A pooler answers for .* lends its sessions for one transaction at a time/,
  );
  expect((await open(await throughPgBouncer(context, server, "session"))).created).toBe(true);
});

test("needs a server that fits", () => {
  const address = parsePostgresUrl("postgres://u@db.example.com/cw", "/") as PostgresAddress;
  const fit = { version: 140_005, encoding: "UTF8", isStandby: false, isShared: false };
  expect(() => checkServer(address, fit)).not.toThrow();
  expect(() => checkServer(address, { ...fit, version: 130_011 })).toThrow(
    "The server of postgres://db.example.com:5432/cw is Postgres 13.",
  );
  expect(() => checkServer(address, { ...fit, isStandby: true })).toThrow("standby");
  expect(() => checkServer(address, { ...fit, isShared: true })).toThrow("pool_mode = transaction");
});

test("texts that an older release kept escaped are decoded once", async () => {
  const url = await server.url();
  const then = Object.fromEntries(
    Object.entries(MIGRATIONS).filter(([name]) => name < "0034"),
  ) as typeof MIGRATIONS;
  await (await open(url, { migrations: then })).close();
  const kept = JSON.stringify({ values: { description: 'R&amp;D &lt;x&gt; &amp;lt; & "y"' } });
  await server.ask(
    new URL(url).pathname.slice(1),
    `insert into sources (fingerprint, memory, revision) values ('f', '${kept}', 1)`,
  );
  await (await open(url)).close();
  const [row] = await server.ask(new URL(url).pathname.slice(1), "select memory from sources");
  expect(JSON.parse(String(row?.["memory"]))).toEqual({
    values: { description: 'R&D <x> &lt; & "y"' },
  });
});
