/**
 * Tests what can happen to the state file under a running daemon and between two starts.
 * full-disk.test.ts covers a full disk, refusals.test.ts a damaged file.
 */
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createSystemClock } from "../../src/runtime/system-clock.ts";
import { createSystemRandom } from "../../src/runtime/system-random.ts";
import { loadDriver } from "../../src/state/db/driver.ts";
import { MIGRATIONS, schemaNumber } from "../../src/state/migrations/migrate.ts";
import { openStore } from "../../src/state/open.ts";
import { rememberingLog } from "../state/temp-state.ts";
import { runCommand } from "../support/run-command.ts";
import type { RunningDaemon } from "../support/daemon-process.ts";
import { until } from "../support/until.ts";
import {
  cleanUpAfterwards,
  morePolls,
  noted,
  createFixture,
  type Fixture,
  sorted,
} from "./fixture.ts";

const Database = loadDriver();

const locked = new Set<string>();
cleanUpAfterwards();
// Runs before the folders are removed: the last hook comes first.
afterAll(() => {
  for (const file of locked) spawnSync("chattr", ["-i", file]);
});

const WATCHES = { w: { type: "search", query: "acme" } };
const stateOf = ({ folder }: Fixture): string => join(folder, "data", "state.db");

/**
 * Makes the files unwritable. Where the system does not allow that, limits the file size of this
 * process instead. Returns a function that undoes it.
 */
function lockFiles(files: readonly string[], pid: number): () => void {
  if (spawnSync("chattr", ["+i", ...files]).status === 0) {
    for (const file of files) locked.add(file);
    return () => void spawnSync("chattr", ["-i", ...files]);
  }
  const limit = (bytes: string) => spawnSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}`]);
  if (limit("0:unlimited").status !== 0) throw new Error("neither chattr nor prlimit works here");
  return () => void limit("unlimited:unlimited");
}

async function stop(daemon: RunningDaemon): Promise<void> {
  daemon.kill("SIGTERM");
  expect((await daemon.gone).code).toBe(0);
}

/** Runs a daemon until it has reported this many posts, and stops it. Returns their ids. */
async function stopAfter(fixture: Fixture, count: number): Promise<readonly string[]> {
  const daemon = await fixture.start();
  await noted(daemon, "w");
  const alerted = fixture.api.post("search:acme", count);
  await until("the alerts", () => fixture.hook.subjects().length >= count, daemon.err);
  await morePolls(fixture.api, "search-tweets");
  await stop(daemon);
  return alerted;
}

describe.concurrent("a state file", () => {
  it("fault 62: that cannot be written any more stops polling, turns the status red, and nothing is lost", async () => {
    // Making a file unwritable has no effect in memory, so the state is on the disk.
    const fixture = await createFixture(tmpdir());
    fixture.configure({ watches: WATCHES, ops: { sink: "hook" } });
    const daemon = await fixture.startProcess();
    await noted(daemon, "w");
    const state = stateOf(fixture);
    const unlock = lockFiles([state, `${state}-wal`], daemon.pid);
    const missed = fixture.api.post("search:acme", 3);
    await until("a red status", async () => (await daemon.status()).state === "paused", daemon.err);
    expect((await daemon.status()).reasons.join(" ")).toMatch(/state/);
    expect((await fetch(`${daemon.url}/healthz`)).status).toBe(503);
    const before = fixture.api.asked.length;
    await until(
      "a word to ops",
      () => fixture.hook.messages().some(({ body }) => body.includes("state")),
      daemon.err,
    );
    expect(fixture.api.asked.length - before).toBeLessThanOrEqual(2);
    unlock();
    const alerted = () => fixture.hook.subjects().filter((id) => missed.includes(id));
    await until("what was missed", () => alerted().length >= missed.length, daemon.err);
    await morePolls(fixture.api, "search-tweets");
    expect(sorted(alerted())).toEqual(sorted(missed));
    expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
    await stop(daemon);
  });

  it("fault 64: whose WAL was deleted while nothing ran starts, checks itself and reports nothing twice", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: WATCHES });
    const first = await fixture.startProcess();
    await noted(first, "w");
    const alerted = fixture.api.post("search:acme", 5);
    await until("the alerts", () => fixture.hook.subjects().length >= alerted.length);
    // The checkpoint puts everything reported so far into the database itself. Anything later is in
    // the WAL alone.
    const beside = new Database(stateOf(fixture));
    await until(
      "a checkpoint",
      () =>
        (beside.pragma("wal_checkpoint(FULL)") as readonly { readonly busy: number }[])[0]?.busy ===
        0,
    );
    beside.close();
    await morePolls(fixture.api, "search-tweets");
    first.kill("SIGKILL");
    await first.gone;
    expect(existsSync(`${stateOf(fixture)}-wal`)).toBe(true);
    for (const end of ["-wal", "-shm"]) rmSync(`${stateOf(fixture)}${end}`, { force: true });
    const fresh = fixture.api.post("search:acme", 2);
    const second = await fixture.start();
    await second.logged(/^w: baseline done/);
    expect(second.log().map(({ msg }) => msg)).toContain(
      "state was not closed by the last process; checked and sound",
    );
    await until(
      "what is new",
      () => fixture.hook.subjects().length >= alerted.length + fresh.length,
      second.err,
    );
    await morePolls(fixture.api, "search-tweets");
    expect(sorted(fixture.hook.subjects())).toEqual(sorted([...alerted, ...fresh]));
  });

  it("fault 65: restored from an old backup catches up without a flood, and what it reports again carries the same event ids", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: WATCHES });
    fixture.api.post("search:acme", 10);
    const before = await stopAfter(fixture, 3);
    const backed = await runCommand(["state", "backup", "-c", "watches.yaml"], {
      cwd: fixture.folder,
    });
    expect(backed.code).toBe(0);
    const backup = /^Backed up to (\S+) /.exec(backed.out)?.[1] ?? "";
    const daemon = await fixture.start();
    await daemon.logged(/^w: baseline done/);
    const since = fixture.api.post("search:acme", 4);
    await until("the alerts", () => fixture.hook.subjects().length >= before.length + since.length);
    await stop(daemon);
    const restored = await runCommand(["state", "restore", backup, "-c", "watches.yaml"], {
      cwd: fixture.folder,
    });
    expect(`${restored.err} ${restored.code}`).toMatch(/0$/);
    const again = await fixture.start();
    await again.logged(/^w: baseline done/);
    const fresh = fixture.api.post("search:acme", 1);
    await until("what is new", () => fixture.hook.subjects().includes(fresh[0] ?? ""), again.err);
    await morePolls(fixture.api, "search-tweets");
    // The backup does not contain these alerts, so they are sent again. A receiver that keeps event
    // ids recognises them.
    const byEvent = new Map(
      fixture.hook.events().map((event) => [event.data.id as string, event.subject]),
    );
    expect(sorted([...byEvent.values()])).toEqual(sorted([...before, ...since, ...fresh]));
    expect(fixture.hook.subjects().filter((id) => before.includes(id))).toHaveLength(before.length);
    await stop(again);
  });

  it("fault 66: on which a migration fails half-way is left as it was, and is taken over when the obstacle is gone", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: WATCHES });
    // Creates the state of the former version, in which the last migration cannot be recorded after
    // it has run.
    const former = Object.fromEntries(Object.entries(MIGRATIONS).slice(0, -1)) as typeof MIGRATIONS;
    const clock = createSystemClock();
    const old = await openStore({
      path: stateOf(fixture),
      clock,
      random: createSystemRandom(),
      log: rememberingLog(),
      migrations: former,
    });
    await old.close();
    const state = new Database(stateOf(fixture));
    state.exec(
      "create trigger obstacle before insert on kysely_migration begin select raise(abort, 'no such luck'); end",
    );
    const schema = () => state.prepare("select group_concat(sql) from sqlite_master").pluck().get();
    const before = schema();
    const refused = await runCommand(["run", "-c", "watches.yaml"], { cwd: fixture.folder });
    expect(refused.code).toBe(74);
    const backup = new RegExp(
      `Nothing was changed: the former version still starts\\. A backup is at \\S+\\.backup-${schemaNumber(Object.keys(former))}-`,
    );
    expect(refused.err).toMatch(backup);
    expect(schema()).toBe(before);
    state.exec("drop trigger obstacle");
    state.close();
    const daemon = await fixture.start();
    await noted(daemon, "w");
    const fresh = fixture.api.post("search:acme", 2);
    await until("the alerts", () => fixture.hook.subjects().length >= fresh.length);
    await morePolls(fixture.api, "search-tweets");
    expect(sorted(fixture.hook.subjects())).toEqual(sorted(fresh));
    await stop(daemon);
  });

  it("fault 67: of a newer build is refused with both versions, and left alone", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: WATCHES });
    await stop(await fixture.start());
    const state = new Database(stateOf(fixture));
    state
      .prepare("insert into kysely_migration (name, timestamp) values ('9001-of-tomorrow', ?)")
      .run(new Date().toISOString());
    const { name } = state
      .prepare("select name from kysely_migration where name < '9' order by name desc limit 1")
      .get() as {
      name: string;
    };
    state.close();
    const asked = fixture.api.asked.length;
    const refused = await runCommand(["run", "-c", "watches.yaml"], { cwd: fixture.folder });
    expect(refused.code).toBe(74);
    expect(refused.err).toContain(
      `has schema 9001-of-tomorrow, but this build knows only up to ${name}`,
    );
    expect(fixture.api.asked).toHaveLength(asked);
  });
});
