import { readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { watchFiles } from "../../../src/app/reload/watch-files.ts";
import type { Files } from "../../../src/model/files.ts";
import { createFiles } from "../../../src/runtime/files.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

let folder: string;
let clock: VirtualClock;
let changes: number;
let stop: () => void;

/** Real files, read synchronously because the virtual clock does not wait for a disk. */
const files: Files = {
  ...createFiles(),
  readText: async (path) => readFileSync(path, "utf8"),
  stamp: async (path) => {
    const { ino, ctimeNs } = statSync(path, { bigint: true });
    return `${ino} ${ctimeNs}`;
  },
};

async function checkFiles(times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) await clock.advance(2_000);
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "chirpwatch-files-"));
  clock = createVirtualClock(Date.UTC(2026, 0, 1));
  changes = 0;
});

afterEach(async () => {
  stop();
  await rm(folder, { recursive: true });
});

async function watch(...names: string[]): Promise<void> {
  const paths = names.map((name) => join(folder, name));
  stop = watchFiles({
    files,
    clock,
    hash: sha256,
    paths: () => paths,
    onChange: async () => void (changes += 1),
  });
}

it("reports a change once, when two checks saw the same", async () => {
  await writeFile(join(folder, "watches.yaml"), "a");
  await watch("watches.yaml");
  await checkFiles(3);
  expect(changes).toBe(0);
  await writeFile(join(folder, "watches.yaml"), "b");
  await checkFiles(1);
  expect(changes).toBe(0);
  await checkFiles(5);
  expect(changes).toBe(1);
});

it("sees a mounted secret whose symlink is swapped", async () => {
  for (const version of ["1", "2"]) {
    await mkdir(join(folder, version));
    await writeFile(join(folder, version, "token"), `secret ${version}`);
  }
  await symlink("1", join(folder, "data"));
  await symlink("data/token", join(folder, "token"));
  await watch("token");
  await checkFiles(2);
  await symlink("2", join(folder, "next"));
  await rename(join(folder, "next"), join(folder, "data"));
  await checkFiles(3);
  expect(changes).toBe(1);
});

it("does not mind a file that is touched and not changed", async () => {
  await writeFile(join(folder, "watches.yaml"), "a");
  await watch("watches.yaml");
  await checkFiles(2);
  await utimes(join(folder, "watches.yaml"), 1, 1);
  await checkFiles(3);
  expect(changes).toBe(0);
});

it("reports a file that goes away and comes back different", async () => {
  await writeFile(join(folder, "watches.yaml"), "a");
  await watch("watches.yaml");
  await checkFiles(2);
  await rm(join(folder, "watches.yaml"));
  await checkFiles(3);
  expect(changes).toBe(1);
  await writeFile(join(folder, "watches.yaml"), "b");
  await checkFiles(3);
  expect(changes).toBe(2);
});

it("reports a change that falls into the time in which the one before becomes active", async () => {
  const path = join(folder, "watches.yaml");
  await writeFile(path, "a");
  const alerted: string[] = [];
  const onChange = async () => {
    alerted.push(readFileSync(path, "utf8"));
    if (alerted.length === 1) writeFileSync(path, "c");
  };
  stop = watchFiles({ files, clock, hash: sha256, paths: () => [path], onChange });
  await checkFiles(2);
  await writeFile(path, "b");
  await checkFiles(5);
  expect(alerted).toEqual(["b", "c"]);
});

it("does not report the files that a new configuration names as changed", async () => {
  for (const name of ["watches.yaml", "accounts.txt"]) await writeFile(join(folder, name), "a");
  let names = ["watches.yaml"];
  const onChange = async () => {
    changes += 1;
    names = ["watches.yaml", "accounts.txt"];
  };
  stop = watchFiles({
    files,
    clock,
    hash: sha256,
    paths: () => names.map((name) => join(folder, name)),
    onChange,
  });
  await checkFiles(2);
  await writeFile(join(folder, "watches.yaml"), "b");
  await checkFiles(5);
  expect(changes).toBe(1);
});

it("reports a change of one of two files, and reads a file again only when its stamp is another; without stamps, each time", async () => {
  for (const stamp of [files.stamp, undefined]) {
    for (const name of ["watches.yaml", "token"]) await writeFile(join(folder, name), "a");
    changes = 0;
    const read: string[] = [];
    const readText = (path: string) => {
      read.push(path.slice(folder.length + 1));
      return files.readText(path);
    };
    const paths = () => ["watches.yaml", "token"].map((name) => join(folder, name));
    const asked: Files = {
      ...files,
      readText,
      ...(stamp === undefined ? { stamp: undefined as never } : { stamp }),
    };
    stop = watchFiles({
      files: asked,
      clock,
      hash: sha256,
      paths,
      onChange: async () => void (changes += 1),
    });
    await checkFiles(3);
    await writeFile(join(folder, "token"), "b");
    await checkFiles(5);
    expect(changes).toBe(1);
    expect(read.length).toBeGreaterThanOrEqual(3);
    if (stamp !== undefined) expect(read.filter((name) => name === "watches.yaml")).toHaveLength(1);
    stop();
  }
});
