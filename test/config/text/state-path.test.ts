import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findState, resolveStatePath } from "../../../src/config/text/state-path.ts";
import { createFiles } from "../../../src/runtime/files.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "state-path-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function find(text: string | undefined, env: Record<string, string> = {}): Promise<string> {
  const path = join(folder, "watches.yaml");
  if (text !== undefined) writeFileSync(path, text);
  return (await findState({ path, files: createFiles(), env })).path;
}

const USUAL = "data/chirpwatch.db";

it.each([
  ["a good file", "state: { path: own.db }\n", "own.db"],
  ["an absolute path", "state: { path: /var/lib/own.db }\n", "/var/lib/own.db"],
  ["an unknown key beside it", "state: { pth: x, path: own.db }\nwatchs: {}\n", "own.db"],
  ["a bracket that stays open above", "watches: [\nstate: { path: own.db }\n", "own.db"],
  ["a bracket that stays open below", "state: { path: own.db }\nwatches: [\n", "own.db"],
  ["a tab", "state:\n  path: own.db\nwatches:\n\ta: {}\n", "own.db"],
  ["a variable that is set", "state: { path: '${NAME}.db' }\n", "own.db"],
  ["a variable that is not", "state: { path: '${NOPE}.db' }\n", USUAL],
  ["no path", "state: {}\n", USUAL],
  ["a path that is none", "state: { path: [a] }\n", USUAL],
  ["a list", "- a\n", USUAL],
  ["nothing", "", USUAL],
  ["far too deep", "[".repeat(100_000), USUAL],
])("%s", async (_name, text, expected) => {
  expect(await find(text, { NAME: "own" })).toBe(
    expected.startsWith("/") ? expected : join(folder, expected),
  );
});

it("takes the usual place without a file, and CHIRPWATCH_DATA_DIR over the folder, from .env too", async () => {
  expect(await find(undefined)).toBe(join(folder, USUAL));
  expect(await find(undefined, { CHIRPWATCH_DATA_DIR: "/no-data" })).toBe("/no-data/chirpwatch.db");
  writeFileSync(join(folder, ".env"), "CHIRPWATCH_DATA_DIR=/elsewhere\n");
  expect(await find("state: { path: own.db }\nwatches: [\n")).toBe("/elsewhere/own.db");
});

describe("the usual path under CHIRPWATCH_DATA_DIR", () => {
  const resolve = (path = USUAL) =>
    resolveStatePath(path, {
      files: createFiles(),
      env: { CHIRPWATCH_DATA_DIR: folder },
      folder: "/conf",
    });
  const direct = () => join(folder, "chirpwatch.db");
  const below = () => join(folder, USUAL);

  it("lies in the folder itself, and any other where it says", async () => {
    expect(await resolve()).toBe(direct());
    expect(await resolve("data/own.db")).toBe(join(folder, "data/own.db"));
  });

  it("stays below `data/` where an older version made it, whatever lies beside it", async () => {
    mkdirSync(join(folder, "data"));
    writeFileSync(below(), "");
    expect(await resolve()).toBe(below());
    writeFileSync(direct(), "");
    expect(await resolve()).toBe(below());
  });

  it("stays there when the file was lost, as its backups lie there", async () => {
    mkdirSync(join(folder, "data"));
    expect(await resolve()).toBe(below());
  });

  it("is not given up for a folder `data` that somebody makes beside it", async () => {
    writeFileSync(direct(), "");
    mkdirSync(join(folder, "data"));
    expect(await resolve()).toBe(direct());
  });
});

it("reads every file of a folder", async () => {
  const path = join(folder, "conf");
  mkdirSync(path);
  writeFileSync(join(path, "a.yaml"), "watches: [");
  writeFileSync(join(path, "b.yaml"), "state: { path: own.db }");
  expect((await findState({ path, files: createFiles(), env: {} })).path).toBe(
    join(path, "own.db"),
  );
});

it("finds it in every bad file that is fit for a parser, where `state` stands first", async () => {
  const bad = join(import.meta.dirname, "../../bad-configs");
  const names = readdirSync(bad).filter((name) => name.endsWith(".yaml"));
  const lost: string[] = [];
  for (const name of names) {
    const text = readFileSync(join(bad, name), "utf8");
    if (/^state:|^[[\]-]/m.test(text)) continue;
    if ((await find(`state: { path: own.db }\n${text}`)) !== join(folder, "own.db"))
      lost.push(name);
  }
  expect(names.length).toBeGreaterThan(50);
  expect(lost).toEqual(["yaml-too-big.yaml"]);
});
