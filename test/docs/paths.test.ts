import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { METRICS } from "../../src/model/meter.ts";
import { PAGES } from "./pages.ts";
import { ROOT } from "./program.ts";

/** Returns the anchor that the usual renderers give a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");

function anchorsOf(path: string): readonly string[] {
  const text = PAGES.find((page) => page.path === path)?.text ?? "";
  return [...text.matchAll(/^#+ (.+)$/gm)].map((found) => anchorOf(found[1] ?? ""));
}

const links = PAGES.flatMap(({ path, text }) =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((found) => found[1] ?? "")
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => ({ path, target })),
);

describe("links and paths in the documentation", () => {
  it("links lead to files and headings that exist", () => {
    const broken = links.filter(({ path, target }) => {
      const [file = "", anchor] = target.split("#");
      const full = file === "" ? path : normalize(join(dirname(path), file));
      return (
        !existsSync(join(ROOT, full)) || (anchor !== undefined && !anchorsOf(full).includes(anchor))
      );
    });
    expect(links.length).toBeGreaterThan(10);
    expect(broken).toEqual([]);
  });

  it("paths in code exist", () => {
    const isPath =
      /^(?:src|test|docs|config|bench|\.ci)\/[\w./-]*$|^[\w.-]+\.(?:example\.yaml|md)$/;
    const named = PAGES.flatMap(({ path, inline }) =>
      inline
        .filter(({ text }) => isPath.test(text))
        .map(({ text, line }) => ({ path, line, text })),
    );
    const isThere = (page: string, text: string) =>
      existsSync(join(ROOT, text)) || existsSync(join(ROOT, dirname(page), text));
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(({ path, text }) => !isThere(path, text))).toEqual([]);
  });

  it("files that commands in shell blocks name exist", () => {
    const named = PAGES.flatMap(({ path, blocks }) =>
      blocks
        .filter(({ language }) => ["sh", "bash", "shell"].includes(language))
        .flatMap(({ text }) =>
          [...text.matchAll(/(?:^|\s)((?:src|test|bench|\.ci)\/[\w./-]+)/g)].map((found) => ({
            path,
            text: found[1] ?? "",
          })),
        ),
    );
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter(({ text }) => !existsSync(join(ROOT, text)))).toEqual([]);
  });

  it("every page is reachable from the README", () => {
    const reached = new Set(["README.md"]);
    for (let before = 0; before < reached.size; ) {
      before = reached.size;
      for (const { path, target } of links)
        if (reached.has(path))
          reached.add(normalize(join(dirname(path), target.split("#")[0] ?? "")));
    }
    expect(PAGES.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);
  });

  it("metrics have the names the daemon gives them", () => {
    const known = Object.keys(METRICS);
    const named = PAGES.flatMap(({ path, text }) =>
      [...text.matchAll(/\bchirpwatch_[a-z_]+/g)].map((found) => ({ path, name: found[0] })),
    );
    const isKnown = (name: string) =>
      known.includes(name.replace(/_(?:bucket|sum|count)$/, "")) || known.includes(name);
    expect(named.filter(({ name }) => !isKnown(name) && name !== "chirpwatch_")).toEqual([]);
  });
});
