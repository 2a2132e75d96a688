/**
 * Opening: what is created, what is refused and with which words, and what a killed process leaves
 * behind.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Kysely } from "kysely";
import { rolldown } from "rolldown";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { EXIT, ExitError } from "../../src/model/exit-code.ts";
import { StoreError } from "../../src/model/store-error.ts";
import { backupState, listBackups } from "../../src/state/upkeep/backup.ts";
import { checkInBackground, checkState } from "../../src/state/upkeep/check.ts";
import { loadDriver } from "../../src/state/db/driver.ts";
import { MIGRATIONS, schemaNumber } from "../../src/state/migrations/migrate.ts";
import { openFailure } from "../../src/state/files/open-failures.ts";
import { restoreState } from "../../src/state/upkeep/restore.ts";
import { toStoreError } from "../../src/state/db/sqlite-dialect.ts";
import {
  type ChildProcess,
  endChildren,
  runScript,
  startScript,
} from "../support/child-process.ts";
import { makeEvent } from "../support/make-event.ts";
import { until } from "../support/until.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { openTemp, rememberingLog, START_MS, tempFolder, tempStatePath } from "./temp-state.ts";

const Database = loadDriver();

const clock = createVirtualClock(START_MS);
afterEach(endChildren);

async function refusal(work: Promise<unknown> | (() => unknown)): Promise<ExitError> {
  const error: unknown = await (typeof work === "function"
    ? Promise.resolve().then(work)
    : work
  ).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ExitError);
  return error as ExitError;
}

const WRITER = fileURLToPath(new URL("./writer-process.mjs", import.meta.url));
const LEDGER = fileURLToPath(new URL("./ledger-process.mjs", import.meta.url));
/** Beside the packages, which it finds there. */
const PARTS = resolve(`node_modules/.cache/chirpwatch/process-parts-${process.pid}.mjs`);

beforeAll(async () => {
  const bundled = await rolldown({
    input: fileURLToPath(new URL("./process-parts.ts", import.meta.url)),
    platform: "node",
    external: /^[a-z@]/,
  });
  await bundled.write({ file: PARTS, format: "esm" });
  await bundled.close();
});
afterAll(() => rmSync(PARTS, { force: true }));

/** Resolves when it writes. */
async function startWriter(path: string): Promise<ChildProcess> {
  const child = startScript([WRITER, PARTS, path]);
  await until("the writer's line", () => child.out() === "writing\n", child.err);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await child.gone;
}

/**
 * Nothing keeps root from writing: a process of root's becomes nobody, below a folder that everyone
 * may enter.
 */
const IS_ROOT = process.getuid?.() === 0;
const OPEN_TO_ALL = IS_ROOT ? "/tmp" : tmpdir();

/** Whose it is, and the cure: where it is another user's, and where it is the writer's own. */
function denial(at: string, mode: string, chown: string): string {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (!IS_ROOT)
    return `${at} belongs to this process's uid ${uid}, with mode ${mode}: run \`chmod u+rwX ${at}\`.`;
  return `This process has uid 65534, and ${at} belongs to uid ${uid} (mode ${mode}): run \`${chown}\`, or start it as that user (\`--user ${uid}:${gid}\` in Docker).`;
}

/** What a process says that may not write the file or its folder. */
async function refusedWriter(path: string): Promise<unknown> {
  const { out, err } = await runScript([WRITER, PARTS, path, ...(IS_ROOT ? ["nobody"] : [])]);
  expect(err).toBe("");
  return JSON.parse(out);
}

/** A closed state with one watch and one note. */
async function closedState(path = tempStatePath()): Promise<string> {
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
    expect(await refusal(openTemp(path, { mustExist: true }))).toMatchObject({
      code: "STATE_MISSING",
      exitCode: EXIT.storage,
    });
    expect(existsSync(dirname(path))).toBe(false);
  });

  test("that is empty is created anew with a warning, and refused where it must exist or has a backup", async () => {
    const path = join(tempFolder(), "s.db");
    const empty = () => writeFileSync(path, "");
    empty();
    const refused = {
      code: "STATE_MISSING",
      message: `The state file ${path} is empty.`,
      exitCode: EXIT.storage,
    };
    expect(await refusal(openTemp(path, { mustExist: true }))).toMatchObject(refused);
    expect(readFileSync(path)).toHaveLength(0);
    const log = rememberingLog();
    const store = await openTemp(path, { log });
    expect(store.created).toBe(true);
    expect(log.lines).toEqual([
      { level: "warn", message: "state file was empty: a new state is created in it" },
    ]);
    await store.close();
    await backupState(path, clock);
    for (const end of ["-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
    empty();
    expect(await refusal(openTemp(path))).toMatchObject({ code: "STATE_CORRUPT" });
    expect(readFileSync(path)).toHaveLength(0);
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
    expect(await refusal(openTemp(path))).toMatchObject({
      code: "STATE_NOT_A_DATABASE",
      exitCode: EXIT.storage,
    });
    expect(readFileSync(path, "utf8")).toContain("holiday");
  });

  test("of another program is refused", async () => {
    const path = join(tempFolder(), "other.db");
    const other = new Database(path);
    other.exec("create table songs (title text)");
    other.close();
    const error = await refusal(openTemp(path));
    expect(error).toMatchObject({
      code: "STATE_NOT_A_DATABASE",
      message: `The database ${path} was not made by chirpwatch.`,
    });
  });

  test("that was emptied is refused when there is a backup", async () => {
    const path = await closedState();
    await backupState(path, clock);
    writeFileSync(path, "");
    expect(await refusal(openTemp(path))).toMatchObject({ code: "STATE_CORRUPT" });
  });

  test("whose log was deleted while it was stopped still opens", async () => {
    const path = tempStatePath();
    const child = await startWriter(path);
    await kill(child);
    writeFileSync(`${path}-wal`, "");
    const store = await openTemp(path);
    expect(store.unclean).toBe(true);
  });

  test("is refused in a folder this user may not write", async () => {
    const folder = tempFolder(OPEN_TO_ALL);
    chmodSync(folder, 0o555);
    expect(await refusedWriter(join(folder, "state", "chirpwatch.db"))).toMatchObject({
      code: "STATE_CANNOT_CREATE",
      exitCode: EXIT.cannotCreate,
      hint: denial(folder, "0555", `mkdir -p ${folder}/state && chown 65534 ${folder}/state`),
    });
  });

  test("that this user may read but not write is refused", async () => {
    const path = await closedState(join(tempFolder(OPEN_TO_ALL), "data", "chirpwatch.db"));
    for (const name of readdirSync(dirname(path))) chmodSync(join(dirname(path), name), 0o444);
    chmodSync(dirname(path), 0o555);
    chmodSync(dirname(dirname(path)), 0o755);
    const refused = await refusedWriter(path);
    chmodSync(dirname(path), 0o755);
    expect(refused).toMatchObject({
      code: "STATE_READONLY",
      exitCode: EXIT.storage,
      hint: denial(path, "0444", `chown 65534 ${path}*`),
    });
  });
});

describe("the lock", () => {
  test("refuses a second instance, and lets go when the first closes", async () => {
    const path = tempStatePath();
    const store = await openTemp(path);
    expect(await refusal(openTemp(path))).toMatchObject({
      code: "STATE_LOCKED",
      exitCode: EXIT.alreadyRunning,
    });
    await store.close();
    await openTemp(path);
  });

  test("dies with its process, which leaves a consistent state", async () => {
    const path = tempStatePath();
    const child = await startWriter(path);
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
    await expect(reader.writeNote("from", "reader")).rejects.toMatchObject({
      code: "STORE_READONLY",
    });
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
    const ends = await Promise.all(
      Array.from({ length: 3 }, () => runScript([LEDGER, PARTS, path, String(START_MS)])),
    );
    expect(ends.map(({ out }) => Number(out)).reduce((a, b) => a + b)).toBe(25);
  });
});

/** Every event has its verdict and its delivery, every sealed delivery its message. */
async function expectConsistent(
  path: string,
  store: Awaited<ReturnType<typeof openTemp>>,
): Promise<void> {
  expect(checkState(path).problems).toEqual([]);
  const handle = new Database(path, { readonly: true });
  const count = (sql: string) => handle.prepare(sql).pluck().get() as number;
  const events = count("select count(*) from events");
  expect(events % 20).toBe(0);
  expect(count("select count(*) from items")).toBe(events);
  expect(count("select count(*) from deliveries")).toBe(events);
  expect(count("select count(*) from deliveries where state = 'sealed'")).toBe(
    count("select count(*) from messages"),
  );
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
    expect(listBackups(path).map((file) => basename(file))).toEqual([
      `chirpwatch.db.backup-${SCHEMA}-20260115T120000Z`,
    ]);
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
    const first = Object.fromEntries(
      Object.entries(MIGRATIONS).filter(([name]) => name < "0002"),
    ) as typeof MIGRATIONS;
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
    expect(before.prepare("select name from sqlite_master where name = 'members'").all()).toEqual(
      [],
    );
    before.close();
    const store = await openTemp(path);
    const target = { watchKey: "k1", targetKey: "@a" };
    expect(await store.readNote("who")).toBe("me");
    expect(await store.loadTargets([target])).toMatchObject([
      { userId: "44", baselineAtMs: 2, memory: { line: "9" }, revision: 3 },
    ]);
    expect(await store.knownItems([target], ["100", "101"])).toEqual([new Set(["100"])]);
    expect(await store.knownMembers([target], ["100"])).toEqual([new Set()]);
    const seen = [{ id: "100", username: "b", displayName: "B", followersCount: 1, imageUrl: "" }];
    const members = [{ ...target, seenAtMs: 5, seen, left: [] }];
    await store.commitPoll({
      atMs: 5,
      targets: [],
      verdicts: [],
      members,
      events: [],
      deliveries: [],
    });
    expect(await store.knownMembers([target], ["100"])).toEqual([new Set(["100"])]);
    expect(listBackups(path).map((file) => basename(file))).toEqual([
      "chirpwatch.db.backup-0001-20260115T120000Z",
    ]);
  });

  test("add the accounts that a watch names beside its targets", async () => {
    const path = tempStatePath();
    const earlier = Object.fromEntries(
      Object.entries(MIGRATIONS).filter(([name]) => name < "0008"),
    ) as typeof MIGRATIONS;
    await (await openTemp(path, { migrations: earlier })).close();
    const before = new Database(path);
    before.exec(
      "insert into watches (key, id, type, registered_at, paused, position) values ('k1', 'w', 'membership', 1, 0, 0)",
    );
    before.close();
    const store = await openTemp(path);
    expect((await store.listWatches()).map(({ key, accounts }) => [key, accounts])).toEqual([
      ["k1", {}],
    ]);
    await store.nameAccounts([{ watchKey: "k1", handle: "acme", userId: "44" }]);
    expect((await store.listWatches())[0]?.accounts).toEqual({ acme: "44" });
  });

  test("keep all that was learned, under the name that each value has", async () => {
    const path = tempStatePath();
    const earlier = Object.fromEntries(
      Object.entries(MIGRATIONS).filter(([name]) => name < "0013"),
    ) as typeof MIGRATIONS;
    await (await openTemp(path, { migrations: earlier })).close();
    const before = new Database(path);
    const notes = {
      "feeds.0": { k1: { feed: 1 } },
      "feeds.15": { k2: { feed: 2 } },
      "probes.7": { "44": { handle: "old" }, "45": { handle: "b" } },
      "probes.recent": { "44": { handle: "new" } },
      "probes.counts": { g: { members: 3 } },
      changes: { g: { lastMs: 5 } },
      "quota.audit": [1],
    };
    for (const [name, value] of Object.entries(notes))
      before
        .prepare("insert into notes (name, value) values (?, ?)")
        .run(name, JSON.stringify(value));
    const source = before.prepare(
      "insert into sources (fingerprint, memory, revision, last_poll_at, last_ok_at) values (?, ?, 4, 600, 600)",
    );
    source.run(
      "g",
      JSON.stringify({ strategy: "probe", chosenAtMs: 5, limits: { operators: 20 } }),
    );
    source.run("f", JSON.stringify({ watermark: "9" }));
    before.close();
    const store = await openTemp(path);
    const learned = async (scope: string) => Object.fromEntries(await store.loadLearned(scope));
    expect(await learned("feeds")).toEqual({ k1: { feed: 1 }, k2: { feed: 2 } });
    expect(await learned("accounts")).toEqual({ "44": { handle: "new" }, "45": { handle: "b" } });
    expect(await learned("group_counts")).toEqual({ g: { members: 3 } });
    expect(await learned("other_changes")).toEqual({ g: { lastMs: 5 } });
    expect(await learned("groups")).toEqual({
      g: { strategy: "probe", chosenAtMs: 5, limits: { operators: 20 } },
    });
    expect(await store.loadSources(["g", "f"])).toMatchObject([
      { memory: {}, revision: 4, lastPollAtMs: 600 },
      { memory: { watermark: "9" }, revision: 4, lastPollAtMs: 600 },
    ]);
    expect([
      await store.readNote("probes.7"),
      await store.readNote("changes"),
      await store.readNote("quota.audit"),
    ]).toEqual([null, null, [1]]);
  });

  test("keep what the operator was alerted", async () => {
    const path = tempStatePath();
    const earlier = Object.fromEntries(
      Object.entries(MIGRATIONS).filter(([name]) => name < "0013"),
    ) as typeof MIGRATIONS;
    await (await openTemp(path, { migrations: earlier })).close();
    const before = new Database(path);
    const notes = {
      "upstream.dark": 5,
      "upstream.silent": null,
      "watch.stalled": ["brand", "team"],
      "keys.refused": ["b"],
      "quota.short": ["2026-02-01", "2026-03-01"],
      "quota.spent": "2026-03-01",
      "quota.drift:main": ["2026-03-01"],
      "list:k1": "anna bob",
      "list:k2": "",
      "list:k1:at": 7,
    };
    for (const [name, value] of Object.entries(notes))
      before
        .prepare("insert into notes (name, value) values (?, ?)")
        .run(name, JSON.stringify(value));
    before.close();
    const store = await openTemp(path);
    const alerted = await store.loadLearned("ops_alerts");
    expect([...alerted.keys()].toSorted()).toEqual([
      "key.refused:b",
      "list.incomplete:k1",
      "quota.drift:main:2026-03-01",
      "quota.short:2026-02-01",
      "quota.short:2026-03-01",
      "quota.spent:2026-03-01",
      "upstream.dark",
      "watch.stalled:brand",
      "watch.stalled:team",
    ]);
    expect(alerted.get("list.incomplete:k1")).toEqual({
      times: 1,
      isRaised: true,
      about: "anna bob",
    });
    expect([await store.readNote("list:k1:at"), await store.readNote("watch.stalled")]).toEqual([
      7,
      null,
    ]);
  });

  test("know since when watches are away from the notes and removals of before", async () => {
    const path = tempStatePath();
    const earlier = Object.fromEntries(
      Object.entries(MIGRATIONS).filter(([name]) => name < "0012"),
    ) as typeof MIGRATIONS;
    await (await openTemp(path, { migrations: earlier })).close();
    const before = new Database(path);
    before.exec(`
      insert into watches (key, id, type, registered_at, paused, position, removed_at) values
        ('k1', 'active', 'search', 1, 0, 0, null), ('k2', 'paused', 'search', 1, 1, 1, null), ('k3', 'removed', 'search', 1, 0, 2, 700);
      insert into targets (id, watch_key, key, name, registered_at, baseline_at, memory, revision, status, status_reason, position, known_items)
        values (1, 'k1', 'q', 'q', 1, 2, '{}', 1, 'ok', '', 0, 0), (2, 'k2', 'q', 'q', 1, 2, '{}', 1, 'ok', '', 0, 0),
               (3, 'k3', 'q', 'q', 1, 2, '{}', 1, 'ok', '', 0, 0);
      insert into notes (name, value) values ('paused:k2', '600'), ('paused:k9', '1'), ('other', '5');
    `);
    before.close();
    const store = await openTemp(path);
    expect(await store.readNote("paused:k2")).toBeNull();
    expect(await store.readNote("other")).toBe(5);
    const targets = [{ key: "q", name: "q" }];
    const [active, , removed] = await store.registerWatches(
      ["active", "paused", "removed"].map((id) => ({ id, type: "search", targets })),
      1_000,
    );
    expect(active).not.toHaveProperty("returnedFromMs");
    expect(active?.targets[0]?.memory).toEqual({});
    expect(removed).toMatchObject({ key: "k3", returnedFromMs: 700 });
    expect(removed?.targets[0]?.memory).toEqual({
      resume_ms: 700,
      away: { from_ms: 700, to_ms: 1_000 },
    });
    expect(await store.setPaused("paused", false, { atMs: 2_000 })).toEqual({
      wasPaused: true,
      awaySinceMs: 600,
    });
    const [target] = await store.loadTargets([{ watchKey: "k2", targetKey: "q" }]);
    expect(target?.memory).toEqual({ resume_ms: 600, away: { from_ms: 600, to_ms: 2_000 } });
  });

  test("keep what was spent before the ledger knew keys", async () => {
    const path = tempStatePath();
    const first = Object.fromEntries(
      Object.entries(MIGRATIONS).filter(([name]) => name < "0003"),
    ) as typeof MIGRATIONS;
    await (await openTemp(path, { migrations: first })).close();
    const before = new Database(path);
    before.exec(
      "insert into spent_hours values (100, 7); insert into spent_lines values (100, 'w', 'search', 7)",
    );
    before.close();
    const store = await openTemp(path);
    const line = { watch: "w", endpoint: "search", key: "", requests: 7 };
    expect(await store.spentSince(0)).toEqual({ total: 7, lines: [line] });
    const ask = {
      endpoint: "search",
      watch: "w",
      billed: true,
      atMs: 100 * 3_600_000,
      rate: { count: 9, intervalMs: 1_000 },
      holdMs: 1,
    };
    await store.reserve({ ...ask, keys: [{ key: "main" }] });
    expect((await store.spentSince(0)).lines).toEqual([
      line,
      { ...line, key: "main", requests: 1 },
    ]);
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
    expect(await refusal(() => restoreState(path, backup.path, clock))).toMatchObject({
      code: "STATE_LOCKED",
    });
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
    const error = await refusal(() => restoreState(path, backup.path, clock));
    expect(error).toMatchObject({
      code: "STATE_CORRUPT",
      hint: "There is no other backup beside the state.",
    });
    expect(error.message).toContain(`The state file ${backup.path} is damaged`);
    expect(await (await openTemp(path)).readNote("who")).toBe("me");
  });

  test("that are no state of ours are not restored, and named", async () => {
    const path = await closedState();
    const older = await backupState(path, clock);
    const other = join(tempFolder(), "notes.txt");
    writeFileSync(other, "these are my holiday notes, ".repeat(100));
    const error = await refusal(() => restoreState(path, other, clock));
    expect(error).toMatchObject({
      code: "STATE_NOT_A_DATABASE",
      message: `The state file ${other} is not a chirpwatch database.`,
    });
    expect(error.hint).toContain(`chirpwatch state restore ${older.path}`);
    expect(readdirSync(dirname(path)).filter((name) => name.includes("restoring"))).toEqual([]);
  });

  test("say how far back they go, and how many alerts came since", async () => {
    const path = tempStatePath();
    const store = await openTemp(path);
    const [registered] = await store.registerWatches(
      [{ id: "w", type: "search", targets: [] }],
      START_MS,
    );
    const watchKey = registered?.key ?? "";
    const eventAt = (id: string, detectedAtMs: number) =>
      store.commitPoll({
        atMs: detectedAtMs,
        targets: [],
        verdicts: [],
        events: [makeEvent(id, { watchKey, detectedAtMs })],
        deliveries: [],
      });
    await eventAt("e1", START_MS + 1_000);
    const backup = await backupState(path, createVirtualClock(START_MS + 5_000));
    for (const [id, atMs] of [
      ["e2", 7_000],
      ["e3", 9_000],
    ] as const)
      await eventAt(id, START_MS + atMs);
    await store.close();
    expect(restoreState(path, backup.path, clock)).toMatchObject({
      reachesMs: START_MS + 1_000,
      alertsSince: 2,
    });
  });

  test("say which silences and pauses they bring back that had ended, and which newer ones they do not know", async () => {
    const path = tempStatePath();
    const store = await openTemp(path);
    const silence = (team: string, hours: number) =>
      store.addSilence({
        matchers: [`team="${team}"`],
        startsAtMs: START_MS,
        endsAtMs: START_MS + hours * 3_600_000,
        author: "",
        comment: "",
      });
    const watch = (id: string) => ({ id, type: "search", targets: [] });
    await store.registerWatches(["kept", "resumed", "later"].map(watch), START_MS);
    for (const [team, hours] of [
      ["kept", 9],
      ["ended", 9],
      ["over", 1],
    ] as const)
      await silence(team, hours);
    for (const id of ["kept", "resumed"]) await store.setPaused(id, true, { atMs: START_MS });
    const backup = await backupState(path, createVirtualClock(START_MS + 5_000));
    await store.expireSilence("2", START_MS + 6_000);
    await silence("later", 9);
    await store.setPaused("resumed", false, { atMs: START_MS + 6_000 });
    await store.setPaused("later", true, { atMs: START_MS + 6_000 });
    await store.close();
    expect(
      restoreState(path, backup.path, createVirtualClock(START_MS + 2 * 3_600_000)).changed,
    ).toEqual({
      returned: ['the silence 2 (team="ended")', "the pause of resumed"],
      lost: ['the silence 4 (team="later")', "the pause of later"],
    });
  });

  test("that are not there are named, with the newest that is", async () => {
    const path = await closedState();
    const backup = await backupState(path, clock);
    const error = await refusal(() => restoreState(path, `${path}.backup-of-nobody`, clock));
    expect(error).toMatchObject({
      code: "STATE_MISSING",
      message: `There is no backup ${path}.backup-of-nobody.`,
    });
    expect(error.hint).toContain(backup.path);
  });

  test("are listed newest first", () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "x"));
    for (const name of [
      "0002-20260101T000000Z",
      "0001-20260102T000000Z",
      "0001-20260102T000000Z.part",
    ]) {
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

  test("of a full disk at the start are reported as such", () => {
    const full = new Database.SqliteError("database or disk is full", "SQLITE_FULL");
    expect(openFailure(full, context)).toMatchObject({
      code: "STATE_DISK_FULL",
      exitCode: EXIT.storage,
    });
    expect(openFailure(toStoreError(full, "s.db"), context)).toMatchObject({
      code: "STATE_DISK_FULL",
    });
  });

  test.each([
    ["SQLITE_FULL", "STORE_FULL"],
    ["SQLITE_BUSY", "STORE_BUSY"],
    ["SQLITE_BUSY_SNAPSHOT", "STORE_BUSY"],
    ["SQLITE_READONLY_DBMOVED", "STORE_READONLY"],
    ["SQLITE_IOERR_WRITE", "STORE_WRITE_FAILED"],
  ])("of SQLite while it runs: %s is %s, to be tried again", (sqlite, code) => {
    const error = toStoreError(new Database.SqliteError("x", sqlite), "s.db");
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ code, retry: "later" });
  });
});
