/** Tests that dist/, which contains the code of other packages, contains each one's licence. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
// @ts-expect-error: a script of the build, without types
import { licenceTexts as untyped } from "../../config/build/licences.mjs";
import { BIN, cleanUp, makeFolder } from "../support/bin-process.ts";

const licenceTexts: (moduleIds: readonly string[]) => string = untyped;
const DIST = dirname(BIN);
const ROOT = resolve(import.meta.dirname, "../..");
afterEach(cleanUp);

/** Lists the packages in dist/. The bundler writes the origin above each module. */
function bundledPackages(): readonly string[] {
  const files = [
    join(DIST, "main.js"),
    join(DIST, "index.js"),
    ...readdirSync(join(DIST, "chunks")).map((name) => join(DIST, "chunks", name)),
  ];
  const found = files.flatMap((path) => [
    ...readFileSync(path, "utf8").matchAll(/^\/\/ (node_modules\/(?:@[^/\n]+\/)?[^/\n]+)\//gm),
  ]);
  return [...new Set(found.map(([, folder = ""]) => folder))];
}

const readManifest = (folder: string) =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    name: string;
    version: string;
  };

describe("dist/THIRD_PARTY_LICENSES.txt", () => {
  it("names every package whose code is in dist/, with its version and the words that a licence has", () => {
    const sections = readFileSync(join(DIST, "THIRD_PARTY_LICENSES.txt"), "utf8").split(/^-{80}$/m);
    const packages = bundledPackages();
    expect(packages.length).toBeGreaterThan(15);
    for (const folder of packages) {
      const { name, version } = readManifest(join(ROOT, folder));
      const own = sections.filter((text) => text.trimStart().startsWith(`${name} ${version} (`));
      expect(own, name).toHaveLength(1);
      expect(own[0], name).toMatch(/copyright/i);
    }
  });
});

describe("licenceTexts", () => {
  function install(files: Record<string, string>): string {
    const folder = join(makeFolder(), "node_modules/@scope/tool");
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return join(folder, "lib/deep.js");
  }
  const manifest = JSON.stringify({ name: "@scope/tool", version: "1.2.3", license: "Apache-2.0" });

  it("has the notice beside the licence, and says a package once", () => {
    const module = install({
      "package.json": manifest,
      LICENSE: "may be used\n",
      "NOTICE.txt": "made by us",
      "licence.js": "code",
    });
    const text = licenceTexts([
      "\0runtime.js",
      "/src/main.ts",
      module,
      module.replace("deep", "other"),
    ]);
    expect(text.split(/\n-{80}\n/)[1]).toBe(
      "@scope/tool 1.2.3 (Apache-2.0)\n\nmay be used\n\nmade by us\n",
    );
  });

  it("fails the build for a package without a licence text", () => {
    expect(() => licenceTexts([install({ "package.json": manifest })])).toThrow(
      /@scope\/tool 1\.2\.3 \(Apache-2\.0\) has no licence text/,
    );
  });
});
