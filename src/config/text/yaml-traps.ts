/** Explains YAML syntax errors by the mistakes that most likely caused them. */
import type { Rule } from "../rules.ts";
import type { YAMLParseError } from "yaml";
import { findMisindent } from "./yaml-indent.ts";

export interface SyntaxIssue {
  readonly offset: number;
  readonly rule: Rule;
  readonly message: string;
}

/**
 * Returns one issue per line, because further errors on a line are usually caused by the first one.
 */
export function explainSyntax(
  text: string,
  errors: readonly YAMLParseError[],
): readonly SyntaxIssue[] {
  const found: SyntaxIssue[] = [];
  const lines = new Set<number>();
  for (const error of errors) {
    const start = lineStart(text, error.pos[0]);
    if (lines.has(start)) continue;
    lines.add(start);
    const issue = explain(text, error);
    found.push(issue);
    // A mistake inside brackets affects everything up to their end, and a wrong indentation affects
    // the lines after it. Further errors would only confuse.
    if (
      issue.rule === "yaml-variable" ||
      issue.rule === "yaml-indent" ||
      (issue.rule === "yaml-hash" && error.code !== "BAD_SCALAR_START")
    )
      break;
    if (found.length === 20) break;
  }
  return found;
}

function explain(text: string, error: YAMLParseError): SyntaxIssue {
  const offset = error.pos[0];
  const trap = TRAPS.map((find) => find(text, offset, error)).find((issue) => issue !== undefined);
  return (
    trap ?? {
      offset,
      rule: "yaml-syntax",
      message: `this is not YAML: ${lowerFirst(error.message)}`,
    }
  );
}

type Trap = (text: string, offset: number, error: YAMLParseError) => SyntaxIssue | undefined;

const variable: Trap = (text, offset) => {
  const start = text[offset - 1] === "$" && text[offset] === "{" ? offset - 1 : -1;
  if (start < 0) return undefined;
  const whole = /^\$\{[^}\n]*\}/.exec(text.slice(start))?.[0] ?? "${…}";
  return {
    offset: start,
    rule: "yaml-variable",
    message: `inside { } and [ ] a variable needs quotes: write "${whole}"`,
  };
};

const reserved: Trap = (text, offset, error) => {
  if (error.code !== "BAD_SCALAR_START") return undefined;
  const value = restOfValue(text, offset);
  const first = value[0] ?? "";
  const what =
    first === "@" && value.startsWith("@every")
      ? "a schedule that starts with @"
      : `a value that starts with ${first}`;
  return {
    offset,
    rule: first === "@" ? "yaml-at" : "yaml-reserved",
    message: `${what} needs quotes: write "${value}"`,
  };
};

const tab: Trap = (_text, offset, error) =>
  error.code === "TAB_AS_INDENT"
    ? { offset, rule: "yaml-tab", message: "a tab indents this line: YAML takes spaces only" }
    : undefined;

/**
 * Explains a value such as `channel: #brand }`, where the rest of the line became a comment
 * together with the bracket that should close the map.
 */
const hash: Trap = (text, offset) => {
  const before = text.slice(0, offset);
  const found = [...before.matchAll(/[:,[{-][ \t]+(#[^\s,}\]]+)/g)].at(-1);
  if (found === undefined || before.slice(found.index).split("\n").length > 3) return undefined;
  const word = found[1] ?? "";
  return {
    offset: found.index + found[0].length - word.length,
    rule: "yaml-hash",
    message: hashText(word),
  };
};

export const hashText = (word: string): string => `\`#\` starts a comment; write '"${word}"'`;

const afterQuote: Trap = (text, offset, error) => {
  const line = text.slice(lineStart(text, offset), offset);
  if (error.code !== "UNEXPECTED_TOKEN" || !/[:-]\s+(["']).*\1\s*$/.test(line)) return undefined;
  const value = /[:-]\s+((["']).*)$/.exec(line)?.[1] ?? "";
  const whole = `${value}${restOfValue(text, offset)}`;
  return {
    offset,
    rule: "yaml-after-quote",
    message: `the value goes on after its closing quote: write ${quoted(whole)}`,
  };
};

const star: Trap = (text, offset) => {
  const start = lineStart(text, offset);
  const found = /^(\s*(?:- +)?(?:[\w-]+: +)?)(\*.*)$/.exec(lineOf(text, start));
  if (found === null || /^\*[A-Za-z][\w-]*\s*$/.test(found[2] ?? "")) return undefined;
  const message = `an unquoted * starts a YAML alias: write "${restOfValue(found[2] ?? "", 0)}"`;
  return { offset: start + (found[1] ?? "").length, rule: "yaml-star", message };
};

const fold: Trap = (text, offset) => {
  const start = lineStart(text, offset);
  const found = /^(.*?[:,{-] *)([>|] *=? *-?\d[^,}\n]*)/.exec(lineOf(text, start));
  if (found === null) return undefined;
  const message = `an unquoted ${found[2]?.[0]} starts a text block: write "${(found[2] ?? "").trim()}"`;
  return { offset: start + (found[1] ?? "").length, rule: "yaml-fold", message };
};

const indent: Trap = (text, offset) => {
  const found = findMisindent(text, offset);
  return found === undefined ? undefined : { ...found, rule: "yaml-indent" };
};

const colon: Trap = (text, offset, error) => {
  if (error.code !== "BLOCK_AS_IMPLICIT_KEY" && error.code !== "MULTILINE_IMPLICIT_KEY")
    return undefined;
  const value = restOfValue(text, offset);
  if (!value.includes(": ")) return undefined;
  return {
    offset,
    rule: "yaml-colon",
    message: `\`: \` inside a value turns it into a map: write ${quoted(value)}`,
  };
};

const TRAPS: readonly Trap[] = [
  variable,
  tab,
  reserved,
  star,
  fold,
  hash,
  afterQuote,
  indent,
  colon,
];

/** Explains a value such as `!has(x)`, which YAML reads as a tag. */
export const explainTag = (text: string, offset: number): string =>
  `an unquoted ! starts a YAML tag: write ${quoted(restOfValue(text, offset))}`;

const quoted = (value: string): string =>
  value.includes('"') ? `'${value.replaceAll("'", "''")}'` : `"${value}"`;

/**
 * Returns the value that begins at the offset. It ends at the end of the line or at a comment;
 * inside brackets it also ends at a comma or closing bracket.
 */
function restOfValue(text: string, offset: number): string {
  const line = lineOf(text, offset).replace(/\s+#.*$/, "");
  const inBrackets = /[[{][^\]}]*$/.test(text.slice(lineStart(text, offset), offset));
  return (inBrackets ? (/^[^,\]}]*/.exec(line)?.[0] ?? "") : line).trim();
}

const lineStart = (text: string, offset: number): number => text.lastIndexOf("\n", offset - 1) + 1;

const lineOf = (text: string, offset: number): string => {
  const end = text.indexOf("\n", offset);
  return text.slice(offset, end < 0 ? undefined : end).replace(/\r$/, "");
};

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);
