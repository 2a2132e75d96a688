/** docs/config-rules.md: every rule of the configuration with what it says, taken from the file of test/bad-configs that breaks it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RULES } from "../../src/config/rules.ts";
import { code, GENERATED, page, table } from "./markdown.ts";

/** The first line a broken file earns, without its place and without what an expression's caret adds below. */
function wordsOf(folder: string, rule: string): string {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const name = names.find((one) => one === `${rule}.txt`) ?? names.find((one) => one.startsWith(`${rule}-`) && one.endsWith(".txt"));
  const [first = ""] = name === undefined ? [] : readFileSync(join(folder, name), "utf8").split("\n");
  return first.replace(/^\S+:\d+:\d+\s+/, "");
}

/** Inline code that may itself hold backticks. */
const quoted = (text: string): string => (text === "" ? "" : text.includes("`") ? `\`\` ${text} \`\`` : code(text));

export const configRulesPage = (root: string): string =>
  page(
    GENERATED,
    "# Rules of the configuration",
    "`chirpwatch validate` reports all errors and warnings at once, each with file, line and column. An error refuses the file; a warning does not. `run` and a reload refuse the same files. The examples are messages about bad files in the project's own tests.",
    table(
      ["Rule", "Meaning", "Example"],
      Object.entries(RULES).map(([rule, meaning]) => [code(rule), meaning, quoted(wordsOf(join(root, "test/bad-configs"), rule))]),
    ),
  );
