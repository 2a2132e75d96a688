/**
 * Tests what an image keeps of node_modules: enough to run, and nothing that dist/ already
 * contains.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterEach, expect, it } from "vitest";
import { cleanUp, makeFolder } from "../support/bin-process.ts";

const SCRIPT = resolve(import.meta.dirname, "../../config/build/prune-image.mjs");
afterEach(cleanUp);

function install(modules: Readonly<Record<string, object>>): string {
  const root = makeFolder({ "package.json": "{}" });
  for (const [path, manifest] of Object.entries(modules)) {
    const folder = join(root, "node_modules", path);
    mkdirSync(folder, { recursive: true });
    for (const name of [
      "index.js",
      "index.js.map",
      "index.d.ts",
      "LICENSE",
      "README.md",
      "Notice.md",
    ])
      writeFileSync(join(folder, name), "");
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  }
  mkdirSync(join(root, "dist"));
  for (const name of ["main.js", "index.d.ts"]) writeFileSync(join(root, "dist", name), "");
  return root;
}

it("keeps the packages that are not bundled and what they need, without types, source maps and pages, but with licences and notices", () => {
  const root = install({
    "discord.js": {
      dependencies: { rest: "1", shared: "2", "@types/ws": "1" },
      optionalDependencies: { absent: "1", extra: "1" },
    },
    "discord.js/node_modules/shared": {},
    rest: { dependencies: { shared: "1", "discord.js": "1" } },
    "rest/node_modules/unused": {},
    shared: {},
    extra: {},
    "@types/ws": {},
    "@slack/web-api": { peerDependencies: { peer: "1" } },
    peer: {},
    "@slack/unused": {},
    hono: { dependencies: { shared: "1" } },
    typescript: {},
  });
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT], { cwd: root, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const left = readdirSync(root, { recursive: true, encoding: "utf8" });
  const manifests = left
    .filter((path) => path.endsWith("/package.json"))
    .map((path) => dirname(path).replace("node_modules/", ""));
  expect(manifests.sort()).toEqual([
    "@slack/web-api",
    "discord.js",
    "discord.js/node_modules/shared",
    "extra",
    "peer",
    "rest",
    "shared",
  ]);
  expect(left.filter((path) => /\.(map|ts)$|README/.test(path))).toEqual([]);
  for (const name of ["LICENSE", "Notice.md"])
    expect(existsSync(join(root, "node_modules/rest", name)), name).toBe(true);
  expect(readdirSync(join(root, "dist"))).toEqual(["main.js"]);
});
