import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const checkouts: string[] = [];

/**
 * Creates a checkout with one source file and without node_modules, so that only what a test links
 * is installed.
 */
function makeCheckout(files: Readonly<Record<string, string>>): string {
  const checkout = mkdtempSync(join(tmpdir(), "prepare-"));
  checkouts.push(checkout);
  cpSync(join(root, "config/build"), join(checkout, "config/build"), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), text);
  }
  return checkout;
}

const prepare = (checkout: string) =>
  spawnSync(process.execPath, [join(checkout, "config/build/prepare.mjs")], {
    cwd: tmpdir(),
    encoding: "utf8",
  });

const installCompiler = (checkout: string) =>
  symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"));

const SOURCES = {
  "package.json": '{ "type": "module" }',
  "tsconfig.build.json":
    '{ "compilerOptions": { "rootDir": "src", "outDir": "dist", "declaration": true, "module": "NodeNext", "target": "ES2023", "rewriteRelativeImportExtensions": true, "types": [] }, "include": ["src"] }',
  "src/main.ts":
    '#!/usr/bin/env node\nvoid import("./late/answer.ts").then(({ answer }) => console.log(answer));\n',
  "src/late/answer.ts": "export const answer: number = 42;\n",
  "src/index.ts": 'export type { Question } from "./inner/question.ts";\n',
  "src/inner/question.ts": "export interface Question {\n  readonly text: string;\n}\n",
};

describe("prepare", () => {
  afterEach(() => {
    for (const checkout of checkouts.splice(0)) rmSync(checkout, { recursive: true, force: true });
  });

  it("builds a dist whose entry can be executed, without what an older build left behind, and keeps what is imported late in a file of its own", () => {
    const checkout = makeCheckout({ ...SOURCES, "dist/gone.js": "" });
    installCompiler(checkout);
    expect(prepare(checkout)).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(spawnSync(join(checkout, "dist/main.js"), { encoding: "utf8" })).toMatchObject({
      stdout: "42\n",
      stderr: "",
    });
    expect(statSync(join(checkout, "dist/main.js")).mode & 0o111).toBe(0o111);
    expect(existsSync(join(checkout, "dist/gone.js"))).toBe(false);
    expect(readFileSync(join(checkout, "dist/main.js"), "utf8")).toContain(
      'require("./chunks/answer.js")',
    );
    expect(readFileSync(join(checkout, "dist/index.d.ts"), "utf8")).toContain(
      "readonly text: string",
    );
    expect(readdirSync(join(checkout, "dist")).filter((name) => name.endsWith(".d.ts"))).toEqual([
      "index.d.ts",
    ]);
    expect(readdirSync(checkout).filter((name) => name.startsWith(".types"))).toEqual([]);
    expect(readFileSync(join(checkout, "dist/chunks/answer.js"), "utf8")).toContain(
      "// src/late/answer.ts\n",
    );
  });

  it("fails where the sources do not compile", () => {
    const checkout = makeCheckout({
      ...SOURCES,
      "src/late/answer.ts": "export const answer: number = 'text';\n",
    });
    installCompiler(checkout);
    expect(prepare(checkout).status).not.toBe(0);
  });

  it("without TypeScript keeps the dist there is, silently", () => {
    const checkout = makeCheckout({ ...SOURCES, "dist/main.js": "kept" });
    expect(prepare(checkout)).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(readFileSync(join(checkout, "dist/main.js"), "utf8")).toBe("kept");
  });

  it("without TypeScript and without a dist says in one sentence what to do, and lets the install succeed", () => {
    const { status, stdout } = prepare(makeCheckout(SOURCES));
    expect(status).toBe(0);
    expect(stdout.trim().split("\n")).toEqual([
      expect.stringMatching(/^chirpwatch is not built: .*npm ci.*\.$/),
    ]);
  });
});

describe("old tools", () => {
  it("are refused with a sentence before anything is built", async () => {
    // @ts-expect-error: a script of the build, without types
    const { oldToolText } = (await import("../../config/build/tools.mjs")) as {
      oldToolText: (node: string, agent?: string) => string | undefined;
    };
    expect(oldToolText("18.20.4")).toBe(
      "Node 18.20.4 is too old for chirpwatch: install Node 20.19 or newer, then run `npm ci` again.",
    );
    expect(oldToolText("20.18.3")).toMatch(/^Node 20\.18\.3 is too old/);
    expect(oldToolText("20.19.0", "npm/6.14.18 node/v20.19.0 linux x64")).toMatch(
      /^npm 6\.14 is too old: it does not read the lock file\. Use /,
    );
    for (const agent of [undefined, "npm/10.8.2 node/v20.19.0 linux x64", "pnpm/9.0.0"])
      expect(oldToolText("20.19.0", agent)).toBeUndefined();
  });
});
