/**
 * Tests that the list of mutated files is complete. A file that is new or was moved would otherwise
 * be missed at the next mutation run.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";

interface Part {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
}

const { FOLDERS, WHOLE, LEFT_OUT } = (await import(
  new URL("folders.mjs", import.meta.url).href
)) as {
  FOLDERS: Readonly<Record<string, readonly Part[]>>;
  WHOLE: readonly string[];
  LEFT_OUT: Readonly<Record<string, readonly string[]>>;
};
const parts = Object.values(FOLDERS).flat();

it("every file that is mutated, and every test that has to notice, exists", () => {
  const files = parts.flatMap(({ mutate, tests }) => [...mutate, ...tests]);
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

it("every file of a folder that is mutated as a whole is in one part, or left out for a reason", () => {
  const placed = [...parts.flatMap(({ mutate }) => mutate), ...Object.values(LEFT_OUT).flat()];
  const files = WHOLE.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  );
  expect(files.filter((file) => file.endsWith(".ts") && !placed.includes(file))).toEqual([]);
  expect(placed.filter((file, index) => placed.indexOf(file) !== index)).toEqual([]);
});

it("every file whose survivors have a reason exists", () => {
  const files = Object.keys(
    parse(readFileSync(new URL("survivors.yaml", import.meta.url), "utf8")) as object,
  );
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
