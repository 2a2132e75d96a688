/**
 * Explains why a `where` expression is false for an item: which of its conditions are false, and
 * which values they compared. This is computed only for items that `where` rejected.
 */
import {
  type ASTNode,
  type Environment,
  EvaluationError,
  ParseError,
  serialize,
} from "@marcbachmann/cel-js";
import { isNode } from "./where-types.ts";

export interface Expression {
  readonly environment: Environment;
  readonly text: string;
  readonly ast: ASTNode;
  /**
   * The names with which an expression can begin. Any other name is a variable of the expression
   * itself, like `e` in `exists(e, …)`.
   */
  readonly names: ReadonlySet<string>;
}

type Seen = Record<string, unknown>;

/** Long texts and lists are cut, because people read them. */
const MAX_VALUE_CHARS = 60;
const MAX_VALUES = 4;
const MAX_PARTS = 3;

/**
 * Returns the expression with the values that it compared, such as `tweet.user.followers_count >=
 * 50 (tweet.user.followers_count is 12)`. If there are several conditions, only the false ones are
 * listed.
 */
export function describeFalse(expression: Expression, seen: Seen): string {
  const parts = falseParts(expression, expression.ast, seen);
  const shown = parts
    .slice(0, MAX_PARTS)
    .map((part) => ({ text: serialize(part), values: valuesText(expression, part, seen) }));
  if (parts.length === 1 && parts[0] === expression.ast)
    return `${expression.text}${shown[0]?.values ?? ""}`;
  const more = parts.length > shown.length ? ` and ${parts.length - shown.length} more` : "";
  const list = shown.map(({ text, values }) => `${text}${values}`).join(", ");
  return `${expression.text}; false: ${list}${more}`;
}

/**
 * Returns the conditions that are false. Conditions that `&&` or `||` combine are evaluated
 * separately.
 */
function falseParts(expression: Expression, node: ASTNode, seen: Seen): readonly ASTNode[] {
  if (node.op !== "&&" && node.op !== "||") return isTrueOf(expression, node, seen) ? [] : [node];
  if (isTrueOf(expression, node, seen)) return [];
  return (node.args as ASTNode[]).flatMap((operand) => falseParts(expression, operand, seen));
}

const isTrueOf = (expression: Expression, node: ASTNode, seen: Seen): boolean =>
  valueOf(expression, node, seen) === true;

type Run = ReturnType<Environment["parse"]>;

const runs = new WeakMap<ASTNode, Run>();

/**
 * Returns the value of a part; undefined if the item has no such field. Also undefined if the part
 * cannot be parsed: its text has more parentheses than the user wrote, and may exceed the depth
 * that the parser allows.
 */
function valueOf({ environment }: Expression, node: ASTNode, seen: Seen): unknown {
  try {
    const run = runs.get(node) ?? environment.parse(serialize(node));
    runs.set(node, run);
    return run(seen);
  } catch (error) {
    if (error instanceof EvaluationError || error instanceof ParseError) return undefined;
    throw error;
  }
}

function valuesText(expression: Expression, part: ASTNode, seen: Seen): string {
  const paths = new Map(pathsIn(expression, part).map((node) => [serialize(node), node]));
  const values = [...paths]
    .slice(0, MAX_VALUES)
    .map(([path, node]) => `${path} is ${valueText(valueOf(expression, node, seen))}`);
  return values.length === 0 ? "" : ` (${values.join(", ")})`;
}

/**
 * Finds the field paths in an expression, such as `tweet.user.verified` or `labels["team"]`.
 * Returns the longest paths only.
 */
function pathsIn(expression: Expression, node: unknown): readonly ASTNode[] {
  if (Array.isArray(node)) return node.flatMap((inner) => pathsIn(expression, inner));
  if (!isNode(node)) return [];
  return isPath(expression, node) ? [node] : pathsIn(expression, node.args);
}

function isPath(expression: Expression, node: ASTNode): boolean {
  if (node.op === "id") return expression.names.has(node.args as string);
  if (node.op !== "." && node.op !== "[]") return false;
  const [object, key] = node.args as [ASTNode, ASTNode | string];
  return isPath(expression, object) && (typeof key === "string" || key.op === "value");
}

function valueText(value: unknown): string {
  if (value === undefined) return "absent";
  const text = JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "bigint" ? Number(inner) : inner,
  );
  const characters = Array.from(text);
  return characters.length > MAX_VALUE_CHARS
    ? `${characters.slice(0, MAX_VALUE_CHARS).join("")}…`
    : text;
}
