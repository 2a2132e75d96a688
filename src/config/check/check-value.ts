/**
 * Parses a part of the tree with a zod schema, and reports every finding at its own place in the
 * file. Also decides when a number may be read as text, or a text from a variable as a number or
 * boolean.
 */
import type { z } from "zod";
import { findNode, type MapNode, type Path, type ScalarNode, valueOf } from "../tree.ts";
import { type CheckContext, explainZod } from "./zod-words.ts";

type ZodIssue = z.core.$ZodIssue;

/**
 * Returns the parsed value. If keys have errors, these are reported and removed, so that the caller
 * can still check the other keys. Undefined if the rest is not valid without them.
 */
export function checkValue<S extends z.ZodType>(
  schema: S,
  map: MapNode,
  context: CheckContext,
): z.output<S> | undefined {
  const raw = valueOf(map) as Record<string, unknown>;
  const first = schema.safeParse(raw);
  if (first.success) return first.data;
  const result = retype(raw, map, first.error.issues) ? schema.safeParse(raw) : first;
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    for (const found of explainZod(issue, { map, schema, context }))
      context.report.error(found.place, found.rule, found.message);
    for (const key of issue.code === "unrecognized_keys" && issue.path.length === 0
      ? issue.keys
      : [String(issue.path[0])])
      delete raw[key];
  }
  return schema.safeParse(raw).data;
}

/**
 * Converts values whose type is not the expected one: `12` to text, and a variable's "12" or "true"
 * to a number or a boolean. Returns whether anything changed.
 */
function retype(
  raw: unknown,
  map: MapNode,
  issues: readonly ZodIssue[],
  prefix: Path = [],
): boolean {
  let changed = false;
  for (const issue of issues) {
    const path = [...prefix, ...(issue.path as Path)];
    if (issue.code === "invalid_union") {
      for (const branch of issue.errors) changed = retype(raw, map, branch, path) || changed;
    }
    if (issue.code !== "invalid_type") continue;
    const { node } = findNode(map, path);
    const value = node?.kind === "scalar" ? convert(node, issue.expected) : undefined;
    if (value === undefined) continue;
    put(raw, path, value);
    changed = true;
  }
  return changed;
}

function convert(scalar: ScalarNode, expected: string): string | number | boolean | undefined {
  if (expected === "string") return typeof scalar.value === "number" ? scalar.source : undefined;
  if (scalar.origin !== "variable") return undefined;
  if (expected === "boolean" && /^(true|false)$/.test(scalar.source))
    return scalar.source === "true";
  const isNumber = /^-?\d+(\.\d+)?$/.test(scalar.source) && Number.isFinite(Number(scalar.source));
  return (expected === "number" || expected === "int") && isNumber
    ? Number(scalar.source)
    : undefined;
}

function put(root: unknown, path: Path, value: unknown): void {
  let holder = root as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) holder = holder[step] as Record<string | number, unknown>;
  const last = path.at(-1);
  if (last !== undefined) holder[last] = value;
}
