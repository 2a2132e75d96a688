/** Parses one part of the tree with a zod schema; every finding gets a place of its own. Owns which scalar may stand for which type. */
import type { z } from "zod";
import type { Report } from "./report.ts";
import { findNode, type MapNode, type Path, type Place, type ScalarNode, valueOf } from "./tree.ts";
import { explainZod } from "./zod-words.ts";

type ZodIssue = z.core.$ZodIssue;

export interface CheckContext {
  readonly report: Report;
  /** Where the part's own key stands: missing keys are reported there. */
  readonly place: Place;
  /** Keys that would be known here besides the schema's own, for "did you mean". */
  readonly otherKeys?: readonly string[];
}

/** The parsed value, or undefined after complaining. */
export function checkValue<S extends z.ZodType>(schema: S, map: MapNode, context: CheckContext): z.output<S> | undefined {
  const raw = valueOf(map);
  const first = schema.safeParse(raw);
  if (first.success) return first.data;
  const result = retype(raw, map, first.error.issues) ? schema.safeParse(raw) : first;
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    for (const found of explainZod(issue, map, schema, context)) context.report.error(found.place, found.rule, found.message);
  }
  return undefined;
}

/** Puts `12` where text is wanted and "12" from a variable where a number is; says whether anything changed. */
function retype(raw: unknown, map: MapNode, issues: readonly ZodIssue[], prefix: Path = []): boolean {
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
  if (expected === "boolean" && /^(true|false)$/.test(scalar.source)) return scalar.source === "true";
  const isNumber = /^-?\d+(\.\d+)?$/.test(scalar.source) && Number.isFinite(Number(scalar.source));
  return (expected === "number" || expected === "int") && isNumber ? Number(scalar.source) : undefined;
}

function put(root: unknown, path: Path, value: unknown): void {
  let holder = root as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) holder = holder[step] as Record<string | number, unknown>;
  const last = path.at(-1);
  if (last !== undefined) holder[last] = value;
}
