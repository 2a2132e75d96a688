/**
 * Tests that the pages use the words of the glossary. Lint checks code, comments and texts: see
 * test/lint/words.mjs.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { listFiles } from "../architecture/source-tree.ts";
import { refusedInText } from "../lint/words.mjs";
import { PAGES } from "./pages.ts";
import { ROOT } from "./program.ts";

const texts = [
  "CHANGELOG.md",
  "SECURITY.md",
  ...["src", "bench"].flatMap((room) =>
    listFiles(join(ROOT, room), ".md").map((path) => `${room}/${path}`),
  ),
];
const pages = [
  ...PAGES,
  ...texts.map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") })),
];

/** Returns `file:line: the word, and what to say instead`. */
function refusedIn(path: string, text: string): readonly string[] {
  return text.split("\n").flatMap((line, index) => {
    const refused = refusedInText(line, path);
    return refused === undefined
      ? []
      : [
          `${path}:${index + 1}: "${refused.word}" is not a word of docs/glossary.md. Say: ${refused.say}.`,
        ];
  });
}

it("no page uses a word that the glossary replaces", () => {
  expect(pages.flatMap(({ path, text }) => refusedIn(path, text))).toEqual([]);
});

it("names the place, the word and what to say instead", () => {
  expect(refusedIn("docs/a.md", "One line.\nWho is told what, is told once.")).toEqual([
    'docs/a.md:2: "told" is not a word of docs/glossary.md. Say: alert, notify, deliver or report; of two things: distinguish.',
  ]);
});
