/**
 * Tests files of secrets on a real disk: only a regular file of a reasonable size is read, and
 * nothing waits for a pipe.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load/load-config.ts";
import { createFiles } from "../../../src/runtime/files.ts";
import { SINK_TYPES } from "../../../src/sinks/registry.ts";
import { WATCH_TYPES } from "../../../src/watches/registry.ts";
import { skipAloud } from "../../support/skip-aloud.ts";

const folder = mkdtempSync(join(tmpdir(), "secret-kinds-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the issues about the key's file and the file sink's path. */
async function problems(keyFile: string, sinkPath = "alerts.ndjson"): Promise<readonly string[]> {
  const path = join(folder, "watches.yaml");
  const lines = [
    `api: { base_url: sandbox, key_file: ${keyFile} }`,
    "watches: { w: { type: search, query: acme } }",
    `sinks: { out: { type: file, path: ${sinkPath} } }`,
    "ops: { sink: out }",
  ];
  writeFileSync(path, lines.join("\n"));
  const loaded = await loadConfig({
    path,
    files: createFiles(),
    env: {},
    watchTypes: WATCH_TYPES,
    sinkTypes: SINK_TYPES,
  });
  return loaded.ok
    ? []
    : loaded.issues
        .filter(({ severity }) => severity === "error")
        .map(({ message }) => message.replaceAll(folder, "DIR"));
}

it("refuses a pipe without waiting for it, and a device", async (context) => {
  const pipe = join(folder, "pipe");
  if (spawnSync("mkfifo", [pipe]).status !== 0)
    return skipAloud(context, "there is no mkfifo here");
  const refusal = "this is a pipe, a socket or a device, not a regular file";
  expect(await problems(pipe)).toEqual([`\`key_file\`: DIR/pipe: ${refusal}`]);
  symlinkSync("/dev/zero", join(folder, "zero"));
  expect(await problems("zero")).toEqual([`\`key_file\`: zero: ${refusal}`]);
});

it("takes 64 KB, and not a byte more", async () => {
  writeFileSync(join(folder, "key"), "k".repeat(65_536));
  expect(await problems("key")).toEqual([]);
  writeFileSync(join(folder, "key"), "k".repeat(65_537));
  expect(await problems("key")).toEqual([
    "`key_file`: key: the file is larger than the 64 KB allowed for a secret",
  ]);
});

it("refuses a file sink that would write into the key, also through a link", async () => {
  writeFileSync(join(folder, "key"), "k");
  symlinkSync("key", join(folder, "link"));
  const refusal = (path: string) => [
    `\`path\`: DIR/${path} is a file of this configuration: name a file of its own`,
  ];
  expect(await problems("key", "key")).toEqual(refusal("key"));
  expect(await problems("key", "link")).toEqual(refusal("link"));
  expect(await problems("key", "watches.yaml")).toEqual(refusal("watches.yaml"));
  expect(await problems("key")).toEqual([]);
});
