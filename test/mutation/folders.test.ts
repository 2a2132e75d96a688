/** A file that was moved would else be missed when the mutation score is next asked for. */
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";

interface Part {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
}

it("every file that is mutated, and every test that has to notice, exists", async () => {
  const { FOLDERS } = (await import(new URL("folders.mjs", import.meta.url).href)) as {
    FOLDERS: Readonly<Record<string, readonly Part[]>>;
  };
  const files = Object.values(FOLDERS).flatMap((parts) => parts.flatMap(({ mutate, tests }) => [...mutate, ...tests]));
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

it("every file whose survivors have a reason exists", () => {
  const files = Object.keys(parse(readFileSync(new URL("survivors.yaml", import.meta.url), "utf8")) as object);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
