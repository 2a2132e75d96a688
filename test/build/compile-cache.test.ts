/** Tests the compiled code that the built command keeps between its starts. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import * as nodeModule from "node:module";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { cleanUpAfterwards } from "../e2e/fixture.ts";
import { BIN, makeFolder } from "../support/bin-process.ts";
import { skipAloud } from "../support/skip-aloud.ts";

cleanUpAfterwards();

const byNode = "enableCompileCache" in nodeModule;
const BY_NODE = "Node keeps compiled code itself, in files of its own";

/**
 * Makes a copy of the built command, so that its files can be changed, and a folder for compiled
 * code.
 */
function makeCopy(): { readonly folder: string; readonly kept: string } {
  const folder = makeFolder({ "package.json": '{ "type": "module", "version": "1.2.3" }' });
  cpSync(dirname(BIN), join(folder, "dist"), { recursive: true });
  return { folder, kept: makeFolder() };
}

const runCopy = (folder: string, args: readonly string[], env: NodeJS.ProcessEnv) =>
  spawnSync(process.execPath, [join(folder, "dist/main.js"), ...args], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], ...env },
  });

/** Returns the contents of the kept files by name. */
function contentsOf(kept: string): ReadonlyMap<string, string> {
  const paths = readdirSync(kept, { recursive: true, encoding: "utf8" })
    .map((name) => join(kept, name))
    .filter((path) => statSync(path).isFile());
  return new Map(paths.map((path) => [path, readFileSync(path, "latin1")]));
}

it("a second start uses the compiled code that the first one kept, and writes none", () => {
  const { folder, kept } = makeCopy();
  const env = { NODE_COMPILE_CACHE: kept };
  expect(runCopy(folder, ["--version"], env).stdout).toBe("1.2.3\n");
  const before = contentsOf(kept);
  expect(before.size).toBeGreaterThan(20);
  expect(runCopy(folder, ["--version"], env).stdout).toBe("1.2.3\n");
  expect(contentsOf(kept)).toEqual(before);
});

it("compiled code of another text, although of the same length, is not used", () => {
  const { folder, kept } = makeCopy();
  const env = { NODE_COMPILE_CACHE: kept };
  runCopy(folder, ["--help"], env);
  const changed = readdirSync(join(folder, "dist/chunks"))
    .map((name) => join(folder, "dist/chunks", name))
    .find((path) => readFileSync(path, "utf8").includes("Alerts people to what is new"));
  const text = readFileSync(changed ?? "", "utf8");
  writeFileSync(changed ?? "", text.replace("Alerts people to", "Informs folk of "));
  expect(runCopy(folder, ["--help"], env).stdout).toContain("Informs folk of  what is new");
});

it("a kept file that was changed is not used, and is replaced", (context) => {
  if (byNode) skipAloud(context, BY_NODE);
  const { folder, kept } = makeCopy();
  const env = { NODE_COMPILE_CACHE: kept };
  runCopy(folder, ["--version"], env);
  for (const [path, text] of contentsOf(kept))
    writeFileSync(path, `${text.slice(0, -1)}${text.endsWith("\0") ? "\x01" : "\0"}`, "latin1");
  expect(runCopy(folder, ["--version"], env).stdout).toBe("1.2.3\n");
  const digestOf = (text: string) =>
    createHash("sha256").update(text, "latin1").digest().toString("latin1");
  for (const text of contentsOf(kept).values())
    expect(text.slice(32, 64)).toBe(digestOf(text.slice(64)));
});

it("a folder that others may write is not used", (context) => {
  if (byNode) skipAloud(context, BY_NODE);
  const { folder, kept } = makeCopy();
  const env = { NODE_COMPILE_CACHE: kept };
  runCopy(folder, ["--version"], env);
  const [name = ""] = readdirSync(kept);
  const [path = ""] = contentsOf(kept).keys();
  writeFileSync(path, "not compiled code");
  chmodSync(join(kept, name), 0o777);
  expect(runCopy(folder, ["--version"], env).stdout).toBe("1.2.3\n");
  expect(readFileSync(path, "utf8")).toBe("not compiled code");
});

it("nothing is kept where the folder cannot be made, the variable forbids it, or a command fails", () => {
  const { folder, kept } = makeCopy();
  writeFileSync(join(kept, "file"), "");
  const inFile = runCopy(folder, ["--version"], { NODE_COMPILE_CACHE: join(kept, "file/below") });
  expect([inFile.stdout, inFile.stderr]).toEqual(["1.2.3\n", ""]);
  const env = { NODE_COMPILE_CACHE: join(kept, "cache") };
  runCopy(folder, ["--version"], { ...env, NODE_DISABLE_COMPILE_CACHE: "1" });
  expect(existsSync(env.NODE_COMPILE_CACHE)).toBe(false);
  if (byNode) return;
  expect(runCopy(folder, ["no-such-command"], env).status).toBe(2);
  expect(contentsOf(env.NODE_COMPILE_CACHE).size).toBe(0);
});
