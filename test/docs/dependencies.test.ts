/** Tests that the page about dependencies names exactly those of package.json. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(resolve(root, "docs/adr/0026-what-each-package-is-for.md"), "utf8");
const manifest = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as Record<
  string,
  Record<string, string>
>;

const namedIn = (title: string): readonly string[] => {
  const section = page.split(/^## /m).find((text) => text.startsWith(title)) ?? "";
  const firstCells = section.split("\n").flatMap((line) => /^\| (`[^|]*)/.exec(line)?.[1] ?? []);
  return firstCells
    .flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ""))
    .sort();
};

it.each([
  ["At run time", ["dependencies", "optionalDependencies"]],
  ["For development", ["devDependencies"]],
])("%s", (title, kinds) => {
  expect(namedIn(title)).toEqual(kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {})).sort());
});
