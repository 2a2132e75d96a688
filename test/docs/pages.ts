/**
 * Reads the pages for people: README, docs/ and examples/, with their fenced blocks and inline
 * code.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./program.ts";

export interface Block {
  readonly language: string;
  /** The words after the language: `part`, `compose`, a file's name. */
  readonly marker: string;
  readonly text: string;
  readonly line: number;
}

export interface Page {
  /** Relative to the project. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Inline code outside blocks. */
  readonly inline: readonly { readonly text: string; readonly line: number }[];
}

export const PAGES: readonly Page[] = [
  "README.md",
  "CONTRIBUTING.md",
  "AGENTS.md",
  ...markdownIn("docs"),
  ...markdownIn("examples"),
].map(readPage);

function markdownIn(folder: string): readonly string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder))
    .sort()
    .flatMap((name) => {
      const path = `${folder}/${name}`;
      if (statSync(join(ROOT, path)).isDirectory()) return markdownIn(path);
      return name.endsWith(".md") ? [path] : [];
    });
}

function readPage(path: string): Page {
  const text = readFileSync(join(ROOT, path), "utf8");
  const blocks: Block[] = [];
  const inline: { text: string; line: number }[] = [];
  let open:
    | { fence: string; language: string; marker: string; line: number; lines: string[] }
    | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const fence = /^\s*(`{3,})(\S*)\s*(.*)$/.exec(line);
    if (open !== undefined) {
      if (fence?.[1] === open.fence && fence[2] === "") {
        blocks.push({
          language: open.language,
          marker: open.marker,
          line: open.line,
          text: `${open.lines.join("\n")}\n`,
        });
        open = undefined;
      } else open.lines.push(line);
      continue;
    }
    if (fence !== null)
      open = {
        fence: fence[1] ?? "",
        language: fence[2] ?? "",
        marker: (fence[3] ?? "").trim(),
        line: index + 1,
        lines: [],
      };
    else
      for (const [, , found = ""] of line.matchAll(/(`{1,2})(?!`)(.+?)(?<!`)\1(?!`)/g))
        inline.push({ text: found.trim(), line: index + 1 });
  }
  if (open !== undefined) throw new Error(`${path}:${open.line}: a block that never ends`);
  return { path, text, blocks, inline };
}
