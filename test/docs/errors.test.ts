import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listFiles } from "../architecture/source-tree.ts";
import { PAGES } from "./pages.ts";
import { ROOT } from "./program.ts";

const src = join(ROOT, "src");
const texts = listFiles(src, ".ts").map((path) => readFileSync(join(src, path), "utf8"));

/**
 * Words in capitals that are not error codes of chirpwatch: names of environment variables, and
 * codes of the YAML parser, Node, vendors and drivers.
 */
const FOREIGN = [
  /^(?:CHIRPWATCH|SLACK|DISCORD|WEBHOOK|SQLITE|ERR|UND_ERR)_/,
  /^(?:MODULE_NOT_FOUND|NO_COLOR)$/,
  /^INTERACTION_CREATE$/,
  /^(?:HTTPS?|NO)_PROXY$/,
  /^(?:BAD_SCALAR_START|BLOCK_AS_IMPLICIT_KEY|MULTILINE_IMPLICIT_KEY|TAB_AS_INDENT|UNEXPECTED_TOKEN)$/,
];

/**
 * Families of codes such as `SINK_${kind}`, with one code for every member of the union that the
 * class is made with.
 */
const FAMILIES: readonly { readonly prefix: string; readonly members: RegExp }[] = [
  { prefix: "SINK", members: /export type SinkFailure =\s+([^;]+);/ },
  { prefix: "UPSTREAM", members: /export type UpstreamFailure =\s+([^;]+);/ },
  { prefix: "REQUEST_HELD", members: /class RequestHeld[\s\S]*?readonly reason:\s+([^;]+);/ },
];

function codesInSource(): readonly string[] {
  const written = texts.flatMap((text) =>
    [...text.matchAll(/"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"/g)].map((found) => found[1] ?? ""),
  );
  const made = FAMILIES.flatMap(({ prefix, members }) => {
    const union =
      texts.map((text) => members.exec(text)?.[1]).find((found) => found !== undefined) ?? "";
    return [...union.matchAll(/"(\w+)"/g)].map(
      (found) => `${prefix}_${(found[1] ?? "").toUpperCase()}`,
    );
  });
  return [
    ...new Set([
      ...written.filter((word) => !FOREIGN.some((pattern) => pattern.test(word))),
      ...made,
    ]),
  ].sort();
}

const rows = (PAGES.find(({ path }) => path === "docs/errors.md")?.text ?? "")
  .split("\n")
  .flatMap((line) => /^\| `([A-Z_0-9]+)` \| (.+) \| (.+) \|$/.exec(line)?.slice(1) ?? [])
  .reduce<string[][]>(
    (all, cell, index) => (index % 3 === 0 ? [...all, [cell]] : (all.at(-1)?.push(cell), all)),
    [],
  );

describe("docs/errors.md", () => {
  it("has every code of the source, and no other", () => {
    expect(rows.map(([code = ""]) => code).toSorted()).toEqual(codesInSource());
  });

  it("says of each what it means and what to do", () => {
    expect(
      rows.filter(([, meaning = "", cure = ""]) => meaning.trim() === "" || cure.trim() === ""),
    ).toEqual([]);
  });

  it("would miss no code that is made from a kind", () => {
    const templates = texts.flatMap((text) =>
      [...text.matchAll(/`([A-Z_]+)_\$\{\w+\.toUpperCase\(\)\}`/g)].map((found) => found[1] ?? ""),
    );
    expect(templates.toSorted()).toEqual(FAMILIES.map(({ prefix }) => prefix).toSorted());
    for (const code of ["SINK_MESSAGE", "UPSTREAM_BILLING", "REQUEST_HELD_QUOTA"])
      expect(codesInSource()).toContain(code);
  });
});
