/** Opening: what is created, what is refused and with which words, and what a killed process leaves behind. */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import type { Kysely } from "kysely";
import { afterEach, describe, expect, test } from "vitest";
import { EXIT, ExitError } from "../../src/model/exit-code.ts";
import { StoreError } from "../../src/model/store-error.ts";
import { backupState, listBackups } from "../../src/state/backup.ts";
import { checkInBackground, checkState } from "../../src/state/check.ts";
import { MIGRATIONS, schemaNumber } from "../../src/state/migrate.ts";
import { openFailure } from "../../src/state/open-failures.ts";
import { restoreState } from "../../src/state/restore.ts";
import { toStoreError } from "../../src/state/sqlite.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { openTemp, rememberingLog, START_MS, tempFolder, tempStatePath } from "./temp-state.ts";

const clock = createVirtualClock(START_MS);
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

async function refusal(work: Promise<unknown> | (() => unknown)): Promise<ExitError> {
  const error: unknown = await (typeof work === "function" ? Promise.resolve().then(work) : work).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ExitError);
  return error as ExitError;
}

function spawnScript(script: URL, args: readonly string[], identity: { uid?: number; gid?: number } = {}): ChildProcess {
  const child = spawn(process.execPath, [fileURLToPath(script), ...args], { stdio: ["ignore", "pipe", "inherit"], ...identity });
  children.push(child);
  return child;
}

const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => child.stdout?.once("data", (data: Buffer) => resolve(String(data))));

async function startWriter(path: string, identity: { uid?: number; gid?: number } = {}): Promise<{ line: string; child: ChildProcess }> {
  const child = spawnScript(new URL("./writer-process.mjs", import.meta.url), [path], identity);
  return { line: await firstLine(child), child };
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}

/** A closed state with one watch and one note. */
async function closedState(): Promise<string> {
  const path = tempStatePath();
  const store = await openTemp(path);
  await store.writeNote("who", "me");
  await store.close();
  return path;
}

/** Overwrites pages in the middle, where tables and indexes live. */
function damage(path: string): void {
  const bytes = readFileSync(path);
  bytes.fill(0xab, 4_096, Math.min(bytes.length, 4_096 * 20));
  writeFileSync(path, bytes);
}

describe("a state file", () => {
  test("is created with its folder, and says so", async () => {
    const log = rememberingLog();
    const path = tempStatePath();
    const store = await openTemp(path, { log });
    expect(store.created).toBe(true);
    expect(log.lines).toContainEqual({ level: "info", message: "state file created" });
    await store.close();
    expect((await openTemp(path)).created).toBe(false);
  });

  test("that must exist is not created", async () => {
    const path = tempStatePath();
    expect(await refusal(openTemp(path, { mustExist: true }))).toMatchObject({ code: "STATE_MISSING", exitCode: EXIT.storage });
    expect(existsSync(dirname(path))).toBe(false);
  });

  test("created where backups of another lie is worth a warning", async () => {
    const log = rememberingLog();
    const folder = tempFolder();
    writeFileSync(join(folder, "s.db.backup-0001-20260101T000000Z"), "");
    await openTemp(join(folder, "s.db"), { log });
    expect(log.lines.filter((line) => line.level === "warn")).toHaveLength(1);
  });

  test("keeps what was written, and is WAL", async () => {
    const path = await closedState();
    const store = await openTemp(path);
    expect(await store.readNote("who")).toBe("me");
    expect(store.unclean).toBe(false);
    expect(existsSync(`${path}-wal`)).toBe(true);
  });

  test("can be closed twice", async () => {
    const store = await openTemp(tempStatePath());
    await store.close();
    await expect(store.close()).resolves.toBeUndefined();
  });

  test("that is damaged is refused, naming the newest backup, and left as it is", async () => {
    const path = await closedState();
    const backup = await backupState(path, clock);
    damage(path);
    const before = readFileSync(path);
    const error = await refusal(openTemp(path));
    expect(error).toMatchObject({ code: "STATE_CORRUPT", exitCode: EXIT.storage });
    expect(error.hint).toContain(backup.path);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("that is no database is refused", async () => {
    const path = join(tempFolder(), "notes.txt");
    writeFileSync(path, "these are my holiday notes, ".repeat(100));
    expect(await refusal(openTemp(path))).toMatchObject({ code: "STATE_NOT_A_DATABASE", exitCode: EXIT.storage });
    expect(readFileSync(path, "utf8")).toContain("holiday");
  });

  test("of another program is refused", async () => {
    const path = join(tempFolder(), "other.db");
    const other = new Database(path);
    other.exec("create table songs (title text)");
    other.close();
    const error = await refusal(openTemp(path));
    expect(error).toMatchObject({ code: "STATE_NOT_A_DATABASE", message: `The database ${path} was not made by chirpwatch.` });
  });

  test("that was emptied is refused when there is a backup", async () => {
    const path = await closedState();
    await backupState(path, clock);
    writeFileSync(path, "");
    expect(await refusal(openTemp(path))).toMatchObject({ code: "STATE_CORRUPT" });
  });

  test("whose log was deleted while it was stopped still opens", async () => {
    const path = tempStatePath();
    const { child } = await startWriter(path);
    await kill(child);
    writeFileSync(`${path}-wal`, "");
    const store = await openTemp(path);
    expect(store.unclean).toBe(true);
  });

  test("is refused in a folder this user may not write", async () => {
    const folder = tempFolder();
    const path = join(folder, "state", "chirpwatch.db");
    chmodSync(folder, 0o555);
    const { line } = await startWriter(path, process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {});
    expect(JSON.parse(line)).toMatchObject({ code: "STATE_CANNOT_CREATE", exitCode: EXIT.cannotCreate });
  });

  test("that this user may read but not write is refused", async () => {
    const path = await closedState();
    const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    for (const name of readdirSync(dirname(path))) chmodSync(join(dirname(path), name), 0o444);
    chmodSync(dirname(path), 0o555);
    chmodSync(dirname(dirname(path)), 0o755);
    const { line } = await startWriter(path, identity);
    chmodSync(dirname(path), 0o755);
    expect(JSON.parse(line)).toMatchObject({ code: "STATE_READONLY", exitCode: EXIT.storage });
  });
});

describe("the lock", () => {
  test("refuses a second instance, and lets go when the first closes", async () => {
    const path = tempStatePath();
    const store = await openTemp(path);
    expect(await refusal(openTemp(path))).toMatchObject({ code: "STATE_LOCKED", exitCode: EXIT.alreadyRunning });
    await store.close();
    await openTemp(path);
  });

  test("dies with its process, which leaves a consistent state", async () => {
    const path = tempStatePath();
    const { line, child } = await startWriter(path);
    expect(line).toBe("writing\n");
    expect(await refusal(openTemp(path))).toMatchObject({ code: "STATE_LOCKED" });
    const reader = await openTemp(path, { readonly: true });
    while ((await reader.recentEvents(500)).length < 200);
    await kill(child);
    await reader.close();
    const store = await openTemp(path);
    expect(store.unclean).toBe(true);
    await expectConsistent(path, store);
  });

  test("does not keep out readers, nor commands that write beside the daemon", async () => {
    const path = tempStatePath();
    const daemon = await openTemp(path);
    const reader = await openTemp(path, { readonly: true });
    const command = await openTemp(path, { shared: true });
    await command.writeNote("from", "command");
    expect(await daemon.readNote("from")).toBe("command");
    expect(await reader.readNote("from")).toBe("command");
    await expect(reader.writeNote("from", "reader")).rejects.toMatchObject({ code: "STORE_READONLY" });
  });

  test("of a command beside no daemon leaves room for one, and no trace of a crash", async () => {
    const path = tempStatePath();
    const command = await openTemp(path, { shared: true });
    await command.close();
    expect((await openTemp(path)).unclean).toBe(false);
    await openTemp(path, { shared: true });
  });

  test("shares the ledger: processes never exceed the rate together", async () => {
    const path = tempStatePath();
    await (await openTemp(path)).close();
    const counts = await Promise.all(
      Array.from({ length: 3 }, () => firstLine(spawnScript(new URL("./ledger-process.mjs", import.meta.url), [path, String(START_MS)]))),
    );
    expect(counts.map(Number).reduce((a, b) => a + b)).toBe(25);
  });
});

/** Every event has its verdict and its delivery, every sealed delivery its message. */
async function expectConsistent(path: string, store: Awaited<ReturnType<typeof openTemp>>): Promise<void> {
  expect(checkState(path).problems).toEqual([]);
  const handle = new Database(path, { readonly: true });
  const count = (sql: string) => handle.prepare(sql).pluck().get() as number;
  const events = count("select count(*) from events");
  expect(events % 20).toBe(0);
  expect(count("select count(*) from items")).toBe(events);
  expect(count("select count(*) from deliveries")).toBe(events);
  expect(count("select count(*) from deliveries where state = 'sealed'")).toBe(count("select count(*) from messages"));
  expect(count("select known_items from targets")).toBe(events);
  const [source] = await store.loadSources(["s"]);
  expect(source?.revision).toBe(events / 20);
  handle.close();
}

const NAMES = Object.keys(MIGRATIONS);
const SCHEMA = schemaNumber(NAMES);

describe("migrations", () => {
  const grown = {
    ...MIGRATIONS,
    "9001-more": {
      up: async (db: Kysely<unknown>) => {
        await db.schema.createTable("more").addColumn("x", "text").execute();
      },
    },
  } as typeof MIGRATIONS;

  test("back the state up first", async () => {
    const path = await closedState();
    await openTemp(path, { migrations: grown });
    expect(listBackups(path).map((file) => basename(file))).toEqual([`chirpwatch.db.backup-${SCHEMA}-20260115T120000Z`]);
  });

  test("that fail are rolled back whole, and the former version still starts", async () => {
    const path = await closedState();
    const broken = {
      ...grown,
      "9002-broken": {
        up: async (db: Kysely<unknown>) => {
          await db.schema.createTable("half").addColumn("x", "text").execute();
          await db.schema.dropTable("notes").execute();
          throw new Error("no such luck");
        },
      },
    } as typeof MIGRATIONS;
    const error = await refusal(openTemp(path, { migrations: broken }));
    expect(error).toMatchObject({ code: "STATE_MIGRATION_FAILED", exitCode: EXIT.storage });
    expect(error.hint).toContain(listBackups(path)[0]);
    expect(checkState(path).schema).toBe(SCHEMA);
    expect(await (await openTemp(path)).readNote("who")).toBe("me");
  });

  test("of a newer build are refused with their exact name", async () => {
    const path = await closedState();
    await (await openTemp(path, { migrations: grown })).close();
    const error = await refusal(openTemp(path));
    expect(error).toMatchObject({ code: "STATE_NEWER_SCHEMA", exitCode: EXIT.storage });
    expect(error.message).toContain("9001-more");
    expect(error.message).toContain(NAMES.at(-1));
  });

  test("take a file of the first schema over with all it holds", async () => {
    const path = tempStatePath();
    const first = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < "0002")) as typeof MIGRATIONS;
    const old = await openTemp(path, { migrations: first });
    await old.close();
    const before = new Database(path);
    before.exec(`
      insert into watches (key, id, type, registered_at, paused, position) values ('k1', 'w', 'followers', 1, 0, 0);
      insert into targets (id, watch_key, key, name, user_id, username, registered_at, baseline_at, memory, revision, status, status_reason, position, known_items)
        values (1, 'k1', '@a', 'a', '44', 'a', 1, 2, '{"line":"9"}', 3, 'ok', '', 0, 1);
      insert into items (target_id, item_id, item_kind, verdict, detail, occurred_at, seen_at) values (1, '100', 'user', 'baseline', '', 1, 2);
      insert into notes (name, value) values ('who', '"me"');
    `);
    expect(before.prepare("select name from sqlite_master where name = 'members'").all()).toEqual([]);
    before.close();
    const store = await openTemp(path);
    const target = { watchKey: "k1", targetKey: "@a" };
    expect(await store.readNote("who")).toBe("me");
    expect(await store.loadTargets([target])).toMatchObject([{ userId: "44", baselineAtMs: 2, memory: { line: "9" }, revision: 3 }]);
    expect(await store.knownItems([target], ["100", "101"])).toEqual([new Set(["100"])]);
    expect(await store.knownMembers([target], ["100"])).toEqual([new Set()]);
    const seen = [{ id: "100", username: "b", displayName: "B", followersCount: 1, imageUrl: "" }];
    const members = [{ ...target, seenAtMs: 5, seen, left: [] }];
    await store.commitPoll({ atMs: 5, targets: [], verdicts: [], members, events: [], deliveries: [] });
    expect(await store.knownMembers([target], ["100"])).toEqual([new Set(["100"])]);
    expect(listBackups(path).map((file) => basename(file))).toEqual(["chirpwatch.db.backup-0001-20260115T120000Z"]);
  });

  test("keep what was spent before the ledger knew keys", async () => {
    const path = tempStatePath();
    const first = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < "0003")) as typeof MIGRATIONS;
    await (await openTemp(path, { migrations: first })).close();
    const before = new Database(path);
    before.exec("insert into spent_hours values (100, 7); insert into spent_lines values (100, 'w', 'search', 7)");
    before.close();
    const store = await openTemp(path);
    const line = { watch: "w", endpoint: "search", key: "", requests: 7 };
    expect(await store.spentSince(0)).toEqual({ total: 7, lines: [line] });
    const ask = { endpoint: "search", watch: "w", billed: true, atMs: 100 * 3_600_000, rate: { count: 9, intervalMs: 1_000 }, holdMs: 1 };
    await store.reserve({ ...ask, keys: [{ key: "main" }] });
    expect((await store.spentSince(0)).lines).toEqual([line, { ...line, key: "main", requests: 1 }]);
    expect(await store.spentByHour(0)).toEqual([{ hourMs: 100 * 3_600_000, requests: 8 }]);
  });
});

describe("backups", () => {
  test("are made beside a running daemon, and restored whole", async () => {
    const path = tempStatePath();
    const daemon = await openTemp(path);
    await daemon.writeNote("who", "before");
    const backup = await backupState(path, clock);
    await daemon.writeNote("who", "after");
    expect(await refusal(() => restoreState(path, backup.path, clock))).toMatchObject({ code: "STATE_LOCKED" });
    await daemon.close();
    const { replaced, schema } = restoreState(path, backup.path, clock);
    expect(schema).toBe(SCHEMA);
    expect(existsSync(replaced ?? "")).toBe(true);
    expect(await (await openTemp(path)).readNote("who")).toBe("before");
  });

  test("replace a damaged state", async () => {
    const path = await closedState();
    const backup = await backupState(path, clock);
    damage(path);
    restoreState(path, backup.path, clock);
    expect(await (await openTemp(path)).readNote("who")).toBe("me");
  });

  test("that are damaged are not restored", async () => {
    const path = await closedState();
    const backup = await backupState(path, clock);
    damage(backup.path);
    expect(await refusal(() => restoreState(path, backup.path, clock))).toMatchObject({ code: "STATE_CORRUPT" });
    expect(await (await openTemp(path)).readNote("who")).toBe("me");
  });

  test("that are not there are told, with the newest that is", async () => {
    const path = await closedState();
    const backup = await backupState(path, clock);
    const error = await refusal(() => restoreState(path, `${path}.backup-of-nobody`, clock));
    expect(error).toMatchObject({ code: "STATE_MISSING", message: `There is no backup ${path}.backup-of-nobody.` });
    expect(error.hint).toContain(backup.path);
  });

  test("are listed newest first", () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "x"));
    for (const name of ["0002-20260101T000000Z", "0001-20260102T000000Z", "0001-20260102T000000Z.part"]) {
      writeFileSync(join(folder, `s.db.backup-${name}`), "");
    }
    expect(listBackups(join(folder, "s.db")).map((file) => basename(file))).toEqual([
      "s.db.backup-0001-20260102T000000Z",
      "s.db.backup-0002-20260101T000000Z",
    ]);
  });
});

describe("checks", () => {
  test("in the background find what is damaged, and nothing in what is sound", async () => {
    const path = await closedState();
    expect(await checkInBackground(path).problems).toEqual([]);
    damage(path);
    expect((await checkInBackground(path).problems).length).toBeGreaterThan(0);
  });
});

describe("failures", () => {
  const context = { path: "/x/state.db", existed: true, newestBackup: undefined };

  test("of the native build end in a sentence with the cure", () => {
    const wrongAbi = Object.assign(new Error("was compiled against a different Node.js version using NODE_MODULE_VERSION 127"), {
      code: "ERR_DLOPEN_FAILED",
    });
    for (const cause of [wrongAbi, new Error("Could not locate the bindings file. Tried: …")]) {
      const error = openFailure(cause, context);
      expect(error).toMatchObject({ code: "STORE_DRIVER_UNUSABLE", exitCode: EXIT.internal });
      expect(error.hint).toContain("npm rebuild better-sqlite3");
    }
  });

  test("of a full disk at the start are told as such", () => {
    const full = new Database.SqliteError("database or disk is full", "SQLITE_FULL");
    expect(openFailure(full, context)).toMatchObject({ code: "STATE_DISK_FULL", exitCode: EXIT.storage });
    expect(openFailure(toStoreError(full), context)).toMatchObject({ code: "STATE_DISK_FULL" });
  });

  test.each([
    ["SQLITE_FULL", "STORE_FULL"],
    ["SQLITE_BUSY", "STORE_BUSY"],
    ["SQLITE_BUSY_SNAPSHOT", "STORE_BUSY"],
    ["SQLITE_READONLY_DBMOVED", "STORE_READONLY"],
    ["SQLITE_IOERR_WRITE", "STORE_WRITE_FAILED"],
  ])("of SQLite while it runs: %s is %s, to be tried again", (sqlite, code) => {
    const error = toStoreError(new Database.SqliteError("x", sqlite));
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ code, retry: "later" });
  });
});
