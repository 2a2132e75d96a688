/**
 * Tests what a start loads before its first poll, because every start pays for each further package
 * and large module.
 */
import { dirname, posix, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { loadedSpecifiersOf, readTree } from "./source-tree.ts";

const texts = new Map(
  readTree(resolve(import.meta.dirname, "../../src")).map(({ path, text }) => [path, text]),
);

/** The entry and the one command it loads. */
const ENTRIES = ["main.ts", "cli/program.ts", "cli/start/run.ts"];

const loaded = new Set<string>();
function load(path: string): void {
  if (loaded.has(path)) return;
  loaded.add(path);
  for (const name of loadedSpecifiersOf(texts.get(path) ?? ""))
    load(name.startsWith(".") ? posix.join(dirname(path), name) : name);
}
ENTRIES.forEach(load);

describe("a start", () => {
  it("loads these packages, and no other before it is needed", () => {
    const packages = [...loaded].filter((name) => !texts.has(name) && !name.startsWith("node:"));
    expect(packages.sort()).toEqual([
      "commander",
      "croner",
      "ipaddr.js",
      "kysely",
      "picocolors",
      "pino",
      "yaml",
      "zod",
    ]);
  });

  it.each([
    "sandbox/",
    "server/routes.ts",
    "server/page/page.ts",
    "server/metrics/prom-metrics.ts",
    "config/where/where.ts",
    "config/load/json-schema.ts",
    "route/pattern.ts",
    "runtime/http-agent.ts",
  ])("leaves %s for when it is needed", (part) => {
    expect([...texts.keys()].some((path) => path.startsWith(part))).toBe(true);
    expect([...loaded].filter((path) => path.startsWith(part))).toEqual([]);
  });

  it("makes no schema of a watch type that no watch has", () => {
    const types = [...texts].filter(
      ([path, text]) => path.startsWith("watches/") && /^export const \w+: WatchType</m.test(text),
    );
    expect(
      types.filter(([, text]) => !text.includes("const schema = lazy(")).map(([path]) => path),
    ).toEqual([]);
    expect(types.length).toBeGreaterThan(30);
  });
});
