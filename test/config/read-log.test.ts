import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadConfig } from "../../src/config/load/load-config.ts";
import { isUnchanged } from "../../src/config/read-log.ts";
import { createFiles } from "../../src/runtime/files.ts";
import { SINK_TYPES } from "../../src/sinks/registry.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";

/**
 * Creates a folder of configuration files with an account list and a key, and records its reads.
 */
async function openFolder() {
  const folder = mkdtempSync(join(tmpdir(), "chirpwatch-read-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  mkdirSync(join(folder, "conf"));
  write(
    "conf/a.yaml",
    'version: 1\napi: { base_url: "http://127.0.0.1:1", key_file: ../key }\nsinks: { out: { type: console } }\n',
  );
  write(
    "conf/b.yaml",
    "watches: { w: { type: timeline, accounts: [{ file: ../accounts.txt }] } }\n",
  );
  write("accounts.txt", "alice\n");
  write("key", "secret\n");
  const files = createFiles();
  const load = async () => {
    const loaded = await loadConfig({
      path: join(folder, "conf"),
      files,
      env: {},
      watchTypes: WATCH_TYPES,
      sinkTypes: SINK_TYPES,
    });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues));
    return loaded.config;
  };
  const config = await load();
  return { write, folder, load, config, isSame: () => isUnchanged(config.reads, files) };
}

it.each([
  [
    "a configuration file",
    "conf/b.yaml",
    "watches: { w: { type: timeline, accounts: [{ file: ../accounts.txt }] } } # edited\n",
  ],
  ["another file in the folder", "conf/c.yaml", "ops: { sink: out }\n"],
  ["an account list", "accounts.txt", "alice\nbob\n"],
  ["a secret file", "key", "other\n"],
  ["a first .env", "conf/.env", "NAME=value\n"],
])("shows that %s changed, and that nothing did", async (_what, name, text) => {
  const { write, isSame, config, load } = await openFolder();
  expect(await isSame()).toBe(true);
  write(name, text);
  expect(await isSame()).toBe(false);
  expect((await load()).hash).not.toBe(config.hash);
});

it("takes a folder in which the daemon has put its own data for unchanged", async () => {
  const { write, folder, isSame } = await openFolder();
  mkdirSync(join(folder, "conf", "data"));
  write("conf/.notes.yaml", "");
  expect(await isSame()).toBe(true);
});

it("takes a file that was written again as it was for unchanged, and one that is gone for a change", async () => {
  const { write, folder, isSame } = await openFolder();
  write("accounts.txt", "bob\n");
  write("accounts.txt", "alice\n");
  expect(await isSame()).toBe(true);
  rmSync(join(folder, "accounts.txt"));
  expect(await isSame()).toBe(false);
});

it("names a configuration by its texts, wherever they lie", async () => {
  expect((await openFolder()).config.hash).toBe((await openFolder()).config.hash);
});
