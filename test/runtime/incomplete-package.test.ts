import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { incompleteText } from "../../src/runtime/incomplete-package.ts";
import { packageFile } from "../../src/runtime/package-file.ts";
import { BIN, cleanUp, makeFolder } from "../support/bin-process.ts";

afterEach(cleanUp);

describe("a package that was cut", () => {
  it.each(["chunks", "chunks/sandbox.js"])(
    "says so without a stack where dist/%s is missing",
    (missing) => {
      const folder = makeFolder({ "package.json": '{ "type": "module", "version": "1.0.0" }' });
      cpSync(dirname(BIN), join(folder, "dist"), { recursive: true });
      if (missing.endsWith(".js"))
        expect(readdirSync(join(folder, "dist/chunks"))).toContain("sandbox.js");
      rmSync(join(folder, "dist", missing), { recursive: true });
      const { status, stderr } = spawnSync(
        process.execPath,
        [join(folder, "dist/main.js"), "sandbox"],
        { encoding: "utf8" },
      );
      expect(stderr).toMatch(
        /^chirpwatch is incomplete: (?:dist\/chunks\/sandbox\.js is|files of its package are) missing\.\nInstall it again, and compare .*\n$/,
      );
      expect(status).toBe(70);
    },
  );

  it("is no matter of other files that are missing", () => {
    const missing = (path: string) =>
      Object.assign(new Error("no such file"), { code: "ENOENT", path });
    expect(incompleteText(missing(packageFile("config/demo-scenario.json")))).toContain(
      "config/demo-scenario.json is missing",
    );
    expect(incompleteText(missing("/etc/chirpwatch/watches.yaml"))).toBeUndefined();
    expect(
      incompleteText(
        Object.assign(new Error("Cannot find package 'pg' imported from x"), {
          code: "ERR_MODULE_NOT_FOUND",
        }),
      ),
    ).toBeUndefined();
    expect(
      incompleteText(
        Object.assign(new Error("Cannot find module 'pg'"), {
          code: "MODULE_NOT_FOUND",
          requireStack: [packageFile("dist/main.js")],
        }),
      ),
    ).toBeUndefined();
    expect(incompleteText(undefined)).toBeUndefined();
  });
});
