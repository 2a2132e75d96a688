/**
 * Why a `where` is false of an item: the parts that are, and the values they saw. Runs only for
 * items that a `where` kept back.
 */
import { type ASTNode, type Environment, EvaluationError, serialize } from "@marcbachmann/cel-js";

export interface Expression {
  readonly environment: Environment;
  readonly text: string;
  readonly ast: ASTNode;
  /**
   * The names an expression can begin with; what is missing here is bound by the expression itself,
   * like `e` in `exists(e, …)`.
   */
  readonly names: ReadonlySet<string>;
}

type Seen = Record<string, unknown>;

/** What is kept with an item is for people: long texts and lists are cut. */
const MAX_VALUE_CHARS = 60;
const MAX_VALUES = 4;
const MAX_PARTS = 3;

/**
 * `tweet.user.followers_count >= 50 (tweet.user.followers_count is 12)`; of several conditions,
 * those that are false.
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
  return `${expression.text}; ${parts.length === 1 ? "false is" : "false are"} ${list}${more}`;
}

/** Down through `&&` and `||` to the conditions that stand for themselves. */
function falseParts(expression: Expression, node: ASTNode, seen: Seen): readonly ASTNode[] {
  if (node.op !== "&&" && node.op !== "||") return isTrueOf(expression, node, seen) ? [] : [node];
  if (isTrueOf(expression, node, seen)) return [];
  return (node.args as ASTNode[]).flatMap((operand) => falseParts(expression, operand, seen));
}

const isTrueOf = (expression: Expression, node: ASTNode, seen: Seen): boolean =>
  valueOf(expression, node, seen) === true;

type Run = ReturnType<Environment["parse"]>;

const runs = new WeakMap<ASTNode, Run>();

/** Undefined where the item has no such field. */
function valueOf({ environment }: Expression, node: ASTNode, seen: Seen): unknown {
  const run = runs.get(node) ?? environment.parse(serialize(node));
  runs.set(node, run);
  try {
    return run(seen);
  } catch (error) {
    if (error instanceof EvaluationError) return undefined;
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
 * Names with what is reached through them, `tweet.user.verified` or `labels["team"]`, as far as
 * they reach.
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

const isNode = (value: unknown): value is ASTNode =>
  typeof value === "object" && value !== null && "op" in value && "args" in value;

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
