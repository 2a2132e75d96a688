import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listFiles } from "../architecture/source-tree.ts";
import { PAGES } from "./pages.ts";
import { ROOT } from "./program.ts";

const page = PAGES.find(({ path }) => path === "docs/operating.md")?.text ?? "";
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const sources = listFiles(join(ROOT, "src"), ".ts").map((path) => ({
  path,
  text: read(`src/${path}`),
}));

const distinct = (words: readonly string[]): readonly string[] => [...new Set(words)].toSorted();
const found = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map((match) => match[1] ?? "");

describe("docs/operating.md", () => {
  it("names every path of the server, and no other", () => {
    const files = sources
      .filter(({ path }) => /^server\/(?:[a-z]+-)?routes\.ts$/.test(path))
      .map(({ text }) => text)
      .join("\n");
    const routes = found(files, /app\.(?:get|post|delete)\(\s*"(\/[^"]*)"/g);
    // docs/api.md lists the routes of the API, which a test of its own compares.
    const served = routes.map((path) => (path.startsWith("/api/v1/") ? "/api/v1/…" : path));
    const table = page.slice(page.indexOf("| Path |"), page.indexOf("Without `server.token`"));
    const named = found(table, /`(?:POST |DELETE )?(\/[^`]*)`/g).map((path) =>
      path.replace(/<(\w+)>/g, ":$1"),
    );
    expect(distinct(named)).toEqual(distinct(served));
  });

  it("names every event the daemon raises about itself, and no other", () => {
    const raised = sources
      .filter(({ path }) => /^(?:polling|engine|enrich|app|chat|operate\/alerts)\//.test(path))
      .flatMap(({ text }) =>
        found(text, /(?:(?:type|event):|const [A-Z_]*REPORT =) "([a-z]+\.[a-z]+)"/g),
      )
      // Leaves out events about tweets and accounts, and the sample that a person asks for.
      .filter((type) => !/^(?:tweet|follower|score|volume)\.|^sink\.sample$/.test(type));
    const table = page.slice(page.indexOf("## Ops alerts"), page.indexOf("## Silence"));
    expect(distinct(found(table, /^\| `([a-z.]+)` \|/gm))).toEqual(distinct(raised));
  });
});

describe("variables in the documentation", () => {
  it("are read by the program, or by what is installed with it", () => {
    const files = ["Dockerfile", "compose.yaml", "watches.example.yaml"].filter((path) =>
      existsSync(join(ROOT, path)),
    );
    const known = [...sources.map(({ text }) => text), ...files.map(read)].join("\n");
    const named = distinct(PAGES.flatMap(({ text }) => found(text, /\b(CHIRPWATCH_[A-Z_]+)\b/g)));
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !new RegExp(`\\b${name}\\b`).test(known))).toEqual([]);
  });
});
