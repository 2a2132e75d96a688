/**
 * docs/config-rules.md: every rule of the configuration with what it says, taken from the file of
 * test/bad-configs that breaks it.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { formatIssue } from "../../src/config/report.ts";
import { RULES } from "../../src/config/rules.ts";
import { findings } from "../bad-configs/findings.ts";
import { code, GENERATED, page, table } from "./markdown.ts";

/** The bad file that is named after the rule, or the first one whose name begins with it. */
const fileOf = (names: readonly string[], rule: string): string | undefined =>
  [rule, `${rule}.yaml`].find((name) => names.includes(name)) ??
  names.find(
    (name) => name.startsWith(`${rule}-`) && (name.endsWith(".yaml") || !name.includes(".")),
  );

/**
 * The rule's own message about that file, as `validate` prints it, without its place and without
 * what a caret adds below.
 */
async function exampleOf(folder: string, rule: string): Promise<string> {
  const name = fileOf(readdirSync(folder), rule);
  const issue =
    name === undefined
      ? undefined
      : (await findings(join(folder, name))).find((one) => one.rule === rule);
  if (issue === undefined) return "";
  const [first = ""] = formatIssue(issue).replaceAll(`${folder}/`, "").split("\n");
  return first.replace(/^\S+:\d+:\d+\s+/, "");
}

/** Inline code that may itself hold backticks. */
const quoted = (text: string): string =>
  text === "" ? "" : text.includes("`") ? `\`\` ${text} \`\`` : code(text);

export async function configRulesPage(root: string): Promise<string> {
  const folder = join(root, "test/bad-configs");
  const rows: string[][] = [];
  for (const [rule, meaning] of Object.entries(RULES))
    rows.push([code(rule), meaning, quoted(await exampleOf(folder, rule))]);
  return page(
    GENERATED,
    "# Rules of the configuration",
    "`chirpwatch validate` reports all errors and warnings at once, each with file, line and column. An error refuses the file; a warning does not. `run` and a reload refuse the same files. The examples are messages about bad files in the project's own tests.",
    table(["Rule", "Meaning", "Example"], rows),
  );
}
