import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SUB_RANKS } from "../architecture/ranks.ts";
import { listFiles } from "../architecture/source-tree.ts";
import { ROOT } from "./program.ts";

const MAX_LINES = 25;
const SMALL_ROOM = 5;

const rooms = readdirSync(join(ROOT, "src"), { withFileTypes: true })
  .filter(
    (entry) =>
      entry.isDirectory() && listFiles(join(ROOT, "src", entry.name), ".ts").length > SMALL_ROOM,
  )
  .map(({ name }) => name);

describe.each(rooms)("src/%s/README.md", (room) => {
  const path = join(ROOT, "src", room, "README.md");
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";

  it("is there, and short", () => {
    expect(text.startsWith(`# ${room}\n`)).toBe(true);
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(MAX_LINES);
  });

  it("names files and folders that exist, and every ranked sub-folder", () => {
    const named = [...text.matchAll(/`([\w./-]+(?:\.ts|\/))`|\]\(([^)#]+)/g)].map(
      (found) => found[1] ?? found[2] ?? "",
    );
    const isThere = (name: string) =>
      ["src/", `src/${room}/`, ""].some((start) => existsSync(join(ROOT, start, name)));
    expect(named.filter((name) => !isThere(name))).toEqual([]);
    const ranked = (SUB_RANKS[room] ?? []).flat().filter((name) => name !== ".");
    expect(ranked.filter((name) => !text.includes(`\`${name}/\``))).toEqual([]);
  });
});
