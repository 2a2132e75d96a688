import { chmodSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { EXIT } from "../../../src/model/exit-code.ts";
import { backupState } from "../../../src/state/upkeep/backup.ts";
import { checkState } from "../../../src/state/upkeep/check.ts";
import { makePrivateFolders } from "../../../src/state/db/private-files.ts";
import { restoreState } from "../../../src/state/upkeep/restore.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { openTemp, START_MS, tempFolder } from "../temp-state.ts";

const clock = createVirtualClock(START_MS);
const usual = process.umask();
afterEach(() => void process.umask(usual));

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const modesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]));

describe.each([
  ["that lets everyone in", 0o000],
  ["as usual", 0o022],
  ["that keeps everyone out, its owner too", 0o777],
])("under an umask %s", (_name, umask) => {
  it("state, log, lock and backups are for their owner only, and so are new folders", async () => {
    const root = tempFolder();
    const path = join(root, "new", "deep", "state.db");
    process.umask(umask);
    const store = await openTemp(path);
    await store.writeNote("who", "me");
    await store.backup();
    await backupState(path, createVirtualClock(START_MS + 1_000));
    const modes = modesIn(dirname(path));
    const names = ["state.db", "state.db-shm", "state.db-wal", "state.db.lock"];
    expect(Object.keys(modes)).toEqual(expect.arrayContaining(names));
    expect(Object.keys(modes).filter((name) => name.includes(".backup-"))).toHaveLength(2);
    expect(Object.values(modes).filter((mode) => mode !== "600")).toEqual([]);
    expect([modeOf(join(root, "new")), modeOf(dirname(path))]).toEqual(["700", "700"]);
    expect(checkState(path).wide).toEqual([]);
  });
});

it("a backup that others may read becomes a state that they may not", async () => {
  const path = join(tempFolder(), "state.db");
  await (await openTemp(path)).close();
  const backup = await backupState(path, clock);
  chmodSync(backup.path, 0o644);
  restoreState(path, backup.path, clock);
  expect(modeOf(path)).toBe("600");
});

it("state check names what others may open, and the mode it should have", async () => {
  const path = join(tempFolder(), "state.db");
  const store = await openTemp(path);
  const { path: backup } = await store.backup();
  chmodSync(dirname(path), 0o750);
  for (const [file, mode] of [
    [path, 0o640],
    [`${path}-wal`, 0o666],
    [backup, 0o604],
  ] as const)
    chmodSync(file, mode);
  expect(checkState(path).wide).toEqual([
    { path: dirname(path), mode: "0750", wanted: "0700" },
    { path, mode: "0640", wanted: "0600" },
    { path: `${path}-wal`, mode: "0666", wanted: "0600" },
    { path: backup, mode: "0604", wanted: "0600" },
  ]);
});

it("a folder that cannot be made is an error at once, and no endless attempt", async () => {
  expect(() => makePrivateFolders("/proc/none/deep")).toThrow(/mkdir/);
  await expect(openTemp("/proc/none/deep/state.db")).rejects.toMatchObject({
    code: "STATE_CANNOT_CREATE",
    exitCode: EXIT.cannotCreate,
  });
});
