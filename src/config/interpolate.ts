/** `${VAR}`, `${VAR:-default}`, `${VAR:?message}` and `$$` in scalars, after parsing. A bare $NAME is ordinary text: `$BTC` is something people search for. */
import type { Rule } from "./rules.ts";
import type { Environment } from "../model/files.ts";
import type { Report } from "./report.ts";
import { mapScalars, type MapNode, type Node, type ScalarNode } from "./tree.ts";

/** An unset variable of a `lenient` part is left unresolved without a complaint. */
export type IsLenient = (topLevelKey: string) => boolean;

/** The tree with every variable replaced; what cannot be is reported and marked unresolved. Values never reach a message. */
export function interpolate(root: MapNode, env: Environment, report: Report, isLenient: IsLenient): MapNode {
  const entries = new Map(
    [...root.entries].map(([key, entry]) => {
      if (key.startsWith("x-")) return [key, entry] as const;
      const lenient = isLenient(key);
      const node = mapScalars(entry.node, (scalar) => replaceIn(scalar, env, lenient ? undefined : report));
      return [key, { ...entry, node }] as const;
    }),
  );
  return { ...root, entries };
}

const PART = /\$\$|\$\{([^}]*)\}?/g;
const INSIDE = /^([A-Za-z_][A-Za-z0-9_]*)(?:(:[-?])([\s\S]*))?$/;

function replaceIn(scalar: ScalarNode, env: Environment, report: Report | undefined): Node {
  if (typeof scalar.value !== "string" || !scalar.value.includes("$")) return scalar;
  let unresolved = false;
  let variables = 0;
  const complain = (rule: Rule, message: string): string => {
    unresolved = true;
    report?.error(scalar.place, rule, message);
    return "";
  };
  const value = scalar.value.replace(PART, (part, inside: string | undefined) => {
    if (inside === undefined) return "$";
    variables += 1;
    return resolve(part, inside, env, complain);
  });
  return { ...scalar, value, source: value, origin: variables > 0 ? "variable" : scalar.origin, ...(unresolved ? { unresolved } : {}) };
}

function resolve(part: string, inside: string, env: Environment, complain: (rule: Rule, message: string) => string): string {
  const [, name, operator, rest = ""] = INSIDE.exec(inside) ?? [];
  if (name === undefined || !part.endsWith("}")) {
    return complain(
      "variable-syntax",
      `${part} is no variable: write \${NAME}, \${NAME:-default} or \${NAME:?message}; $$ is a dollar sign`,
    );
  }
  const value = env[name];
  if (value !== undefined && value !== "") return value;
  if (operator === ":-") return rest;
  if (operator === ":?")
    return complain("variable-required", `the environment variable ${name} is not set: ${rest.trim() || "it is required"}`);
  const state = value === "" ? "is empty" : "is not set";
  return complain(
    "variable-unset",
    `the environment variable ${name} ${state}: set it (in .env beside this file, too), or write \${${name}:-default}`,
  );
}
