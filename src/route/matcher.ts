/**
 * Parses one condition on labels, such as `team="comms"` or `author=~"acme_.*"`. Owns the syntax;
 * config/ knows which labels exist.
 */
import type { Labels } from "../model/event.ts";
import type { Matcher } from "./route.ts";
import { ownValue } from "../model/own-value.ts";

const SHAPE =
  /^\s*([A-Za-z_][A-Za-z0-9_]*)\s*(=~|!~|!=|=)\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|((?!=)[^\s"'{},]*))\s*$/s;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t" };

const unescape = (text: string): string =>
  text.replace(/\\(["'\\nt])/g, (_, char: string) => ownValue(ESCAPES, char) ?? char);

/**
 * Compiles an expression to a function that matches whole values, or returns what is wrong with the
 * expression.
 */
export type CompilePattern = (text: string) => ((value: string) => boolean) | string;

/** Returns the matcher, or a sentence that says what is wrong with the text. */
export function parseMatcher(text: string, compile: CompilePattern): Matcher | string {
  const found = SHAPE.exec(text);
  if (found === null) return describeBadShape(text);
  const [, label = "", op = "=", double, single, bare] = found;
  const quoted = double ?? single;
  return createMatcher(
    label,
    op as Matcher["op"],
    quoted === undefined ? (bare ?? "") : unescape(quoted),
    compile,
  );
}

function createMatcher(
  label: string,
  op: Matcher["op"],
  value: string,
  compile: CompilePattern,
): Matcher | string {
  if (op === "=") return { label, op, value, matches: (actual) => actual === value };
  if (op === "!=") return { label, op, value, matches: (actual) => actual !== value };
  const matches = compile(value);
  if (typeof matches === "string") return `"${value}" is not a regular expression: ${matches}`;
  const wanted = op === "=~";
  return { label, op, value, matches: (actual) => matches(actual) === wanted };
}

function describeBadShape(text: string): string {
  if (text.includes("==")) return `"${text.trim()}" uses ==: write a single =, like team="comms"`;
  if (!/[=~]/.test(text))
    return `"${text.trim()}" has no operator: write label="value" with one of = != =~ !~`;
  return `"${text.trim()}" is not a matcher: write label="value" with one of = != =~ !~`;
}

/**
 * Whether all matchers match. A label that the event does not have counts as empty, as in
 * Alertmanager.
 */
export const matchesAll = (matchers: readonly Matcher[], labels: Labels): boolean =>
  matchers.every((matcher) => matcher.matches(ownValue(labels, matcher.label) ?? ""));
