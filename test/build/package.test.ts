/**
 * Tests the packed package as another program uses it: installed in another folder, compiled
 * against its types, run.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
// @ts-expect-error: a script of the build, without types
import { completeLock } from "../../config/build/lock.mjs";
import { beforeAll, describe, expect, it } from "vitest";
import { PAGES } from "../docs/pages.ts";
import { cleanUpAfterwards, keep } from "../e2e/fixture.ts";
import { BIN, makeFolder } from "../support/bin-process.ts";
import { runScript } from "../support/child-process.ts";
import { startSandboxHere } from "../support/sandbox-process.ts";

cleanUpAfterwards();

const ROOT = resolve(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly dependencies: Readonly<Record<string, string>>;
};
/** The program of docs/client.md, as it stands there. */
const program =
  PAGES.find(({ path }) => path === "docs/client.md")?.blocks.find(
    ({ language }) => language === "ts",
  )?.text ?? "";

let consumer: string;
let tarballBytes: number;

const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: cwd },
    timeout: 120_000,
  });

/**
 * Packs the package and unpacks it as an installer would. Its dependencies are those of this
 * checkout.
 */
beforeAll(() => {
  const source = makeFolder();
  for (const name of [
    "package.json",
    "LICENSE",
    "README.md",
    "config",
    "docs",
    "watches.example.yaml",
  ])
    cpSync(join(ROOT, name), join(source, name), { recursive: true });
  cpSync(dirname(BIN), join(source, "dist"), { recursive: true });
  const tarball = run("npm", ["pack", "--ignore-scripts", "--silent"], source).trim();
  tarballBytes = statSync(join(source, tarball)).size;
  consumer = makeFolder({
    "package.json": JSON.stringify({ name: "consumer", type: "module" }),
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        target: "ES2023",
        module: "NodeNext",
        strict: true,
        skipLibCheck: false,
        types: ["node"],
        outDir: "built",
      },
      include: ["*.ts"],
    }),
  });
  const modules = join(consumer, "node_modules");
  mkdirSync(join(modules, "chirpwatch"), { recursive: true });
  run(
    "tar",
    ["-xzf", join(source, tarball), "-C", join(modules, "chirpwatch"), "--strip-components=1"],
    consumer,
  );
  for (const name of [...Object.keys(manifest.dependencies), "@types/node"]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
});

/** Returns the compiler's errors. It emits JavaScript even if there are some. */
function compile(
  programs: Readonly<Record<string, string>>,
  options: readonly string[] = [],
): readonly string[] {
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(consumer, name), text);
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  return spawnSync(process.execPath, [compiler, ...options], { cwd: consumer, encoding: "utf8" })
    .stdout.split("\n")
    .filter(Boolean);
}

describe("the packed package", () => {
  it("compiles against a program's strict settings, refuses a wrong input, and runs against the sandbox", async () => {
    const wrong =
      'import { createClient } from "chirpwatch/api";\nvoid createClient({ baseUrl: "", key: "" }).info({ username: "a", user_id: "1" });\n';
    const errors = compile({ "program.ts": program, "wrong.ts": wrong });
    expect(errors.filter((line) => !line.startsWith(" "))).toEqual([
      expect.stringContaining("wrong.ts(2,"),
    ]);
    const { url, key } = keep(await startSandboxHere());
    const env = { CHIRPWATCH_API_URL: url, CHIRPWATCH_API_KEY: key };
    const { code, out, err } = await runScript(["built/program.js"], { cwd: consumer, env });
    expect([code, err]).toEqual([0, ""]);
    const lines = out.trim().split("\n");
    expect(lines[0]).toMatch(/^alice has \d+ followers$/);
    expect(lines.filter((line) => /^\d{4}-\d\d-\d\dT[\d:.]+Z @\w+: /.test(line))).toHaveLength(30);
    expect(lines.slice(-3)).toEqual([
      expect.stringMatching(/^\d+$/),
      expect.stringMatching(/^\d+$/),
      'not_found, retry: "no"',
    ]);
  });

  it("compiles under a bundler's resolution too", () => {
    expect(
      compile({ "program.ts": program, "wrong.ts": "export {};\n" }, [
        "--module",
        "esnext",
        "--moduleResolution",
        "bundler",
        "--noEmit",
      ]),
    ).toEqual([]);
  });

  it("is what a user needs and nothing else: at most 250 files and 1.6 MB, no sources, and the types in one file", () => {
    const files = readdirSync(join(consumer, "node_modules/chirpwatch"), {
      recursive: true,
      withFileTypes: true,
    })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) =>
        relative(join(consumer, "node_modules/chirpwatch"), join(parentPath, name)),
      );
    expect(files.length).toBeLessThanOrEqual(250);
    expect(tarballBytes).toBeLessThanOrEqual(1_600_000);
    expect(files.filter((file) => file.endsWith(".ts"))).toEqual(["dist/index.d.ts"]);
    expect(files).toEqual(
      expect.arrayContaining([
        "LICENSE",
        // Nothing imports the scripts of threads, so they are listed.
        "dist/backtest-worker.js",
        "dist/template-worker.js",
        "config/watches.schema.json",
        "config/slack-app-manifest.yaml",
        "docs/mcp.md",
        "watches.example.yaml",
      ]),
    );
    // The pages that an assistant reads are included, without pictures, decisions and pages for
    // contributors.
    expect(files.filter((file) => /^docs\/(?:pictures|adr|extending)/.test(file))).toEqual([]);
    expect(
      files.filter((file) => file.startsWith("config/build") || file.startsWith("src/")),
    ).toEqual([]);
  });

  it("has the licence texts of the packages that are bundled", () => {
    expect(
      existsSync(join(consumer, "node_modules/chirpwatch/dist/THIRD_PARTY_LICENSES.txt")),
    ).toBe(true);
  });

  it("says of each operation what it is for where a program's author looks", () => {
    const types = readFileSync(join(consumer, "node_modules/chirpwatch/dist/index.d.ts"), "utf8");
    expect(types).toContain(
      'readonly doc: "Change of the score over 7 and 30 days; null when the service knows none.";',
    );
  });

  it("has both names of its one door", () => {
    const script =
      'const [a, b] = await Promise.all([import("chirpwatch"), import("chirpwatch/api")]); console.log(a === b, typeof a.createClient);';
    expect(run(process.execPath, ["--input-type=module", "-e", script], consumer)).toBe(
      "true function\n",
    );
  });
});

describe("the lock file", () => {
  // See https://github.com/WiseLibs/better-sqlite3/issues/1516 and
  // docs/adr/0018-two-releases-of-the-sqlite-driver.md.
  it("holds what npm does not write about the SQLite drivers: run `npm run lock` after each `npm install`", () => {
    const text = readFileSync(join(ROOT, "package-lock.json"), "utf8");
    expect(completeLock(text)).toBe(text);
  });
});
