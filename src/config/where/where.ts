/**
 * Compiles `where` conditions, which are CEL expressions over the body of an event. They are
 * type-checked when the configuration is loaded. Regular expressions run only on an engine that
 * takes linear time.
 */
import type { Rule } from "../rules.ts";
import { type ASTNode, Environment } from "@marcbachmann/cel-js";
import { RE2JS } from "re2js";
import type { EventBody, Labels } from "../../model/event.ts";
import { describeFalse } from "./where-reason.ts";
import { findForeignWord } from "./where-words.ts";
import {
  celBody,
  isNode,
  pathsIn,
  usedFields,
  variablesOf,
  type WhereBody,
} from "./where-types.ts";
import { describeUnknownName } from "./unknown-name.ts";

export interface Where {
  readonly text: string;
  /** Whether an event matches. Runtime errors, such as a missing field, count as no match. */
  matches(body: EventBody, labels: Labels): boolean;
  /**
   * Explains why an event does not match: returns the expression, its false conditions, and the
   * values that they compared.
   */
  describeFalse(body: EventBody, labels: Labels): string;
}

export interface WhereProblem {
  readonly rule: Rule;
  /** The offset in the expression. */
  readonly offset: number;
  /**
   * A sentence about what is wrong, followed by the line of the expression with a caret below it.
   */
  readonly message: string;
}

export interface WhereCompiler {
  compile(text: string, body: WhereBody): Where | WhereProblem;
}

/** Loads the compiler at the first call, and returns the same one afterwards. */
export type LoadWhere = () => Promise<WhereCompiler>;

/**
 * Creates a compiler. It compiles equal expressions only once, because thousands of watches may
 * have the same one.
 */
export function createWhereCompiler(): WhereCompiler {
  const environments = new Map<string, Environment>();
  const compiled = new Map<string, Where | WhereProblem>();
  const environmentOf = (shape: string, body: WhereBody): Environment => {
    const known = environments.get(shape) ?? createEnvironment(body);
    environments.set(shape, known);
    return known;
  };
  return {
    compile(text, body) {
      const shape = JSON.stringify(body);
      const key = `${shape}\n${text}`;
      const known = compiled.get(key) ?? compileWhere(environmentOf(shape, body), text, body);
      compiled.set(key, known);
      return known;
    },
  };
}

function createEnvironment(body: WhereBody): Environment {
  const environment = new Environment({ limits: { maxAstNodes: 2_000, maxDepth: 100 } });
  for (const [name, type] of Object.entries(variablesOf(body))) {
    if (typeof type === "string") environment.registerVariable(name, type);
    else environment.registerVariable({ name, schema: type as Record<string, string> });
  }
  const patterns = new Map<string, RE2JS>();
  environment.registerVariable("labels", "map<string, string>");
  environment.registerFunction("string.re(string): bool", (text: string, pattern: string) =>
    findIn(patterns, pattern, text),
  );
  return environment;
}

function findIn(patterns: Map<string, RE2JS>, pattern: string, text: string): boolean {
  const known = patterns.get(pattern) ?? RE2JS.compile(pattern);
  // A pattern may be computed from an item's text, so their number is unlimited and only the first
  // are kept.
  if (patterns.size < 1_000) patterns.set(pattern, known);
  return known.matcher(text).find();
}

function compileWhere(
  environment: Environment,
  text: string,
  body: WhereBody,
): Where | WhereProblem {
  const checked = environment.check(text);
  if (!checked.valid) return explainError(text, checked.error, body);
  if (checked.type !== "bool") {
    return problem(
      "where-type",
      text,
      { start: 0, end: text.length },
      `the expression gives ${checked.type ?? "no value"}, not true or false: compare it with something`,
    );
  }
  const run = environment.parse(text);
  const refused = findRefused(run.ast, text) ?? findNested(run.ast, text, 0);
  if (refused !== undefined) return refused;
  const names = new Set([...Object.keys(variablesOf(body)), "labels"]);
  const used = usedFields(run.ast);
  const seenBy = (seen: EventBody, labels: Labels) => ({ labels, ...celBody(seen, used) });
  return {
    text,
    matches: (seen, labels) => isTrue(run, seenBy(seen, labels)),
    describeFalse: (seen, labels) =>
      describeFalse({ environment, text, ast: run.ast, names }, seenBy(seen, labels)),
  };
}

function isTrue(
  run: (context: Record<string, unknown>) => unknown,
  seen: Record<string, unknown>,
): boolean {
  try {
    return run(seen) === true;
  } catch {
    return false;
  }
}

function explainError(
  text: string,
  error: { readonly summary: string; readonly range?: Range } | undefined,
  body: WhereBody,
): WhereProblem {
  const range = error?.range ?? { start: 0, end: 0 };
  const summary = error?.summary ?? "the expression cannot be read";
  const unknown = /^(?:No such key|Unknown variable): (\w+)/.exec(summary)?.[1];
  const foreign = unknown === undefined ? findForeignWord(text) : undefined;
  if (foreign !== undefined) return problem("where-syntax", text, foreign, foreign.message);
  if (unknown === undefined) return problem("where-syntax", text, range, plainWords(summary));
  const [, holder = ""] = /(\w+(?:\.\w+)*)\.\s*$/.exec(text.slice(0, range.start)) ?? [];
  return problem(
    "where-unknown",
    text,
    range,
    describeUnknownName({ holder, name: unknown }, pathsIn(body)),
  );
}

/**
 * Finds parts of an expression that are refused: `matches`, because it runs on a backtracking
 * engine, and literal patterns for `re` that are not valid.
 */
function findRefused(node: unknown, text: string): WhereProblem | undefined {
  if (Array.isArray(node)) return firstOf(node, text);
  if (!isNode(node)) return undefined;
  if (node.op === "rcall") {
    const [name, , given] = node.args as [string, ASTNode, ASTNode[]];
    if (name === "matches") {
      const at = Math.max(text.indexOf("matches", node.range.start), node.range.start);
      return problem(
        "where-matches",
        text,
        { start: at, end: at + "matches".length },
        'matches can take very long on a crafted text: write .re("…") instead, which cannot',
      );
    }
    const refused = name === "re" ? badPattern(given[0], text) : undefined;
    if (refused !== undefined) return refused;
  }
  return Array.isArray(node.args) ? firstOf(node.args, text) : findRefused(node.args, text);
}

/** Operations that run an expression for each element of a list. */
const LOOPS: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "filter", "map"]);
/**
 * The maximum depth of nested loops. A list has up to a thousand elements, so with a third loop
 * inside, a single item could take an hour.
 */
const MAX_NESTED_LOOPS = 2;

function findNested(node: unknown, text: string, depth: number): WhereProblem | undefined {
  const among = (nodes: readonly unknown[], within: number): WhereProblem | undefined => {
    for (const one of nodes) {
      const refused = findNested(one, text, within);
      if (refused !== undefined) return refused;
    }
    return undefined;
  };
  if (Array.isArray(node)) return among(node, depth);
  if (!isNode(node)) return undefined;
  if (node.op !== "rcall" || !LOOPS.has(String((node.args as unknown[])[0])))
    return findNested(node.args, text, depth);
  const [name, list, ...inner] = node.args as [string, ASTNode, ...unknown[]];
  if (depth < MAX_NESTED_LOOPS) return findNested(list, text, depth) ?? among(inner, depth + 1);
  const message = `${name} inside two other loops can take very long: use at most one loop inside another`;
  return problem("where-loops", text, node.range, message);
}

function firstOf(nodes: readonly unknown[], text: string): WhereProblem | undefined {
  for (const one of nodes) {
    const refused = findRefused(one, text);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function badPattern(node: ASTNode | undefined, text: string): WhereProblem | undefined {
  if (node?.op !== "value" || typeof node.args !== "string") return undefined;
  try {
    RE2JS.compile(node.args);
    return undefined;
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).replace(
      /^error parsing regexp: /,
      "",
    );
    return problem("where-pattern", text, node.range, `not a regular expression: ${why}`);
  }
}

/** A part of the expression, by the offsets of its start and end. */
interface Range {
  readonly start: number;
  readonly end: number;
}

function problem(rule: Rule, text: string, { start, end }: Range, message: string): WhereProblem {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", lineStart);
  const line = text.slice(lineStart, lineEnd < 0 ? undefined : lineEnd);
  const width = Math.max(1, Math.min(end, lineStart + line.length) - start);
  return {
    rule,
    offset: start,
    message: `\`where\`: ${message}\n  ${line}\n  ${" ".repeat(start - lineStart)}${"^".repeat(width)}`,
  };
}

/** Rephrases some of the engine's messages as plain sentences. Returns others almost unchanged. */
function plainWords(summary: string): string {
  if (summary === "Unexpected token: EOF") return "the expression ends too early";
  const overload = /^no such overload: (.+)$/.exec(summary)?.[1];
  return overload === undefined
    ? lowerFirst(summary)
    : `these types cannot be combined: ${overload}`;
}

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);
