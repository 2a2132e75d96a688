/**
 * The SQLite driver as this Node loads it: that it survives garbage collection, and what a start
 * says when it does not load.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { driverPath } from "../../../src/state/db/driver.ts";
import { endChildren, runScript } from "../../support/child-process.ts";
import { makeStateFolder } from "../../support/state-folder.ts";

const CHECKOUT = resolve(import.meta.dirname, "../../..");
const isPrebuilt = Number(process.versions.napi) >= 10;

afterAll(endChildren);

// Collections that V8 begins by itself, between any two allocations: there, not in gc(), release 12
// aborts on Node 24.19 and newer.
test("statements and databases are collected without a crash", async () => {
  const script = `
    const Database = require(process.argv[1]);
    for (let round = 0; round < 1_000; round += 1) {
      const database = new Database(":memory:");
      for (let value = 0; value < 30; value += 1) database.prepare("select " + value).all();
      database.close();
    }
    console.log("collected");`;
  expect(await runScript(["--gc-interval=500", "-e", script, driverPath()])).toEqual({
    code: 0,
    signal: null,
    out: "collected\n",
    err: "",
  });
});

const failing = (message: string): string => `throw new Error(${JSON.stringify(message)})`;

const NAME = isPrebuilt ? "better-sqlite3" : "better-sqlite3-node20";
const OTHER_ABI =
  "The module '/x.node'\nwas compiled against a different Node.js version using\nNODE_MODULE_VERSION 127.";

describe("a driver that", () => {
  /** A copy of the build. */
  let copy: string;
  beforeAll(() => {
    copy = makeStateFolder();
    for (const part of ["dist", "config", "package.json", "watches.example.yaml"])
      cpSync(join(CHECKOUT, part), join(copy, part), { recursive: true });
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  test.each([
    ["is missing", undefined, "is not installed", "Install chirpwatch again with this Node"],
    [
      "was never built",
      failing("Could not locate the bindings file. Tried:\n → /x.node"),
      isPrebuilt
        ? `brings no binary for ${process.platform} on ${process.arch}`
        : "was not built: its install script did not run",
      isPrebuilt ? "npx node-gyp rebuild" : `npm rebuild ${NAME}`,
    ],
    [
      "was built for another Node",
      failing(OTHER_ABI),
      "was built for another version of Node",
      isPrebuilt ? "npx node-gyp rebuild" : `npm rebuild ${NAME}`,
    ],
    [
      "the system refuses",
      failing("/lib/libc.so.6: version `GLIBC_2.99' not found"),
      "does not load: /lib/libc.so.6: version `GLIBC_2.99' not found",
      isPrebuilt ? "npx node-gyp rebuild" : `npm rebuild ${NAME}`,
    ],
  ])("%s ends the start in one sentence with the cure", async (_, driver, reason, cure) => {
    const folder = join(copy, "node_modules", NAME);
    rmSync(folder, { recursive: true, force: true });
    if (driver !== undefined) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "index.js"), driver);
    }
    const { code, err } = await runScript([join(copy, "dist/main.js"), "demo", "--once"], {
      cwd: copy,
    });
    expect(err).toContain(
      `The SQLite driver for Node ${process.versions.node} (${NAME}) ${reason}.`,
    );
    expect(err).toContain(cure);
    expect(code).toBe(70);
  });
});
