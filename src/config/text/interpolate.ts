/**
 * Replaces `${VAR}`, `${VAR:-default}`, `${VAR:?message}` and `$$` in the scalars of the parsed
 * tree. A bare $NAME is ordinary text, because people search for words such as `$BTC`.
 */
import type { Rule } from "../rules.ts";
import type { Environment } from "../../model/files.ts";
import type { Report } from "../report.ts";
import { isSampleValue } from "../sample-values.ts";
import { mapScalars, type MapNode, type Node, type ScalarNode } from "../tree.ts";
import { ownValue } from "../../model/own-value.ts";

/** Returns whether unset variables below this key are left unresolved without an error. */
export type IsLenient = (topLevelKey: string) => boolean;

/**
 * Returns the tree with every variable replaced. Variables that cannot be replaced are reported and
 * marked as unresolved. Values never appear in messages.
 */
export function interpolate(
  root: MapNode,
  env: Environment,
  report: Report,
  isLenient: IsLenient,
): MapNode {
  const entries = new Map(
    [...root.entries].map(([key, entry]) => {
      if (key.startsWith("x-")) return [key, entry] as const;
      const lenient = isLenient(key);
      const said = lenient ? undefined : report;
      const isSearched = SEARCHED.includes(key);
      const node = mapScalars(entry.node, (scalar) =>
        !isSearched && isBareVariable(scalar)
          ? refuseBare(scalar, said)
          : replaceIn(scalar, env, said),
      );
      return [key, { ...entry, node }] as const;
    }),
  );
  return { ...root, entries };
}

/**
 * Sections whose texts are search queries or parts of messages. There `$BTC` is an ordinary word.
 * In other sections a value such as `$NAME` is an error, because a variable was probably meant.
 */
const SEARCHED: readonly string[] = ["watches", "templates"];

const isBareVariable = ({ value }: ScalarNode): boolean =>
  typeof value === "string" && /^\$[A-Za-z_][A-Za-z0-9_]*$/.test(value);

function refuseBare(scalar: ScalarNode, report: Report | undefined): ScalarNode {
  const text = String(scalar.value);
  report?.error(
    scalar.place,
    "variable-syntax",
    `${text} is text, not a variable: write "\${${text.slice(1)}}", or $${text} for the text`,
  );
  return { ...scalar, unresolved: true };
}

/**
 * Replaces the variables in a text that is not part of a tree. Undefined if one of them has no
 * value.
 */
export function expandText(text: string, env: Environment): string | undefined {
  let isWhole = true;
  const value = replaceParts(text, env, () => {
    isWhole = false;
    return "";
  });
  return isWhole ? value : undefined;
}

type Complain = (rule: Rule, message: string) => string;

const PART = /\$\$|\$\{([^}]*)\}?/g;
const INSIDE = /^([A-Za-z_][A-Za-z0-9_]*)(?:(:[-?])([\s\S]*))?$/;

function replaceIn(scalar: ScalarNode, env: Environment, report: Report | undefined): Node {
  if (typeof scalar.value !== "string" || !scalar.value.includes("$")) return scalar;
  let unresolved = false;
  const value = replaceParts(scalar.value, env, (rule, message) => {
    unresolved = true;
    report?.error(scalar.place, rule, message);
    return "";
  });
  if (value !== scalar.value && isSampleValue(value))
    report?.warn(scalar.place, "sample-value", sampleText(scalar.value));
  const origin = scalar.value.replaceAll("$$", "").includes("${") ? "variable" : scalar.origin;
  return { ...scalar, value, source: value, origin, ...(unresolved ? { unresolved } : {}) };
}

/**
 * Returns the warning about a sample value. Like all messages it names the variable, never its
 * value.
 */
const sampleText = (written: string): string =>
  `${/\$\{([A-Za-z0-9_]+)/.exec(written)?.[1]} still has the sample value of .env.example: put yours into .env`;

const replaceParts = (text: string, env: Environment, complain: Complain): string =>
  text.replace(PART, (part, inside: string | undefined) =>
    inside === undefined ? "$" : resolve(part, inside, env, complain),
  );

function resolve(part: string, inside: string, env: Environment, complain: Complain): string {
  const [, name, operator, rest = ""] = INSIDE.exec(inside) ?? [];
  if (name === undefined || !part.endsWith("}")) {
    return complain(
      "variable-syntax",
      `${part} is not a variable: write \${NAME}, \${NAME:-default} or \${NAME:?message}; $$ is a dollar sign`,
    );
  }
  const value = ownValue(env, name);
  if (value !== undefined && value !== "") return value;
  if (operator === ":-") return rest;
  if (operator === ":?")
    return complain(
      "variable-required",
      `the environment variable ${name} is not set: ${rest.trim() || "it is required"}`,
    );
  const state = value === "" ? "is empty" : "is not set";
  return complain(
    "variable-unset",
    `the environment variable ${name} ${state}: set it (in .env beside this file, too), or write \${${name}:-default}`,
  );
}
