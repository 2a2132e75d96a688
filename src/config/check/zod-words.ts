/**
 * Converts the issues that zod finds into messages: what is wrong, where, and what to write
 * instead.
 */
import { RULES, type Rule } from "../rules.ts";
import type { z } from "zod";
import type { Report } from "../report.ts";
import { belongsText } from "./key-homes.ts";
import { keysAt, mapsIn } from "./schema-keys.ts";
import { didYouMean } from "../suggest.ts";
import {
  entryOf,
  findNode,
  isUnresolved,
  type MapNode,
  type Node,
  type Path,
  type Place,
  type ScalarNode,
} from "../tree.ts";
import { hashText } from "../text/yaml-traps.ts";
import { ownValue } from "../../model/own-value.ts";

type ZodIssue = z.core.$ZodIssue;

export interface CheckContext {
  readonly report: Report;
  /** The place of the key that holds the checked map. Missing keys are reported there. */
  readonly place: Place;
  /** The name of the checked map, for messages about the map itself. */
  readonly name: string;
  /**
   * Further keys that are valid here but not in the schema. They are candidates for "did you mean".
   */
  readonly otherKeys?: readonly string[];
}

export interface Finding {
  readonly place: Place;
  readonly rule: Rule;
  readonly message: string;
}

/** A map that was checked, with its schema and its context. */
export interface Checked {
  readonly map: MapNode;
  readonly schema: z.ZodType;
  readonly context: CheckContext;
}

export function explainZod(issue: ZodIssue, checked: Checked): readonly Finding[] {
  const { map, context } = checked;
  const path = issue.path as Path;
  const { node, place } = findNode(map, path, context.place);
  if (node?.kind === "scalar" && node.unresolved) return [];
  if (issue.code === "unrecognized_keys") return unknownKeys(issue.keys, path, checked);
  if (issue.code === "invalid_key")
    return [
      { place, rule: "bad-key", message: ownText(issue.issues[0], nameOf(path, context.name)) },
    ];
  if (node === undefined) return [missing(path, map, context)];
  if (node.kind === "scalar" && node.value === null)
    return [noValue(node, nameOf(path, context.name))];
  if (issue.code === "invalid_union") return explainUnion(issue, { path, node, place }, checked);
  // A value that contains unresolved variables cannot be checked.
  if (issue.code === "custom" && isUnresolved(node)) return [];
  return [{ place: valuePlace(node, place), ...wordsFor(issue, nameOf(path, context.name), node) }];
}

const nameOf = (path: Path, whole: string): string =>
  `\`${path.findLast((step) => typeof step === "string") ?? whole}\``;

/** Returns where to report a value: a scalar or list at its own place, a map at its key. */
const valuePlace = (node: Node, keyPlace: Place): Place =>
  node.kind === "map" ? keyPlace : node.place;

function unknownKeys(
  keys: readonly string[],
  path: Path,
  { map, schema, context }: Checked,
): readonly Finding[] {
  const { node } = findNode(map, path);
  const known = [...keysAt(schema, path), ...(path.length === 0 ? (context.otherKeys ?? []) : [])];
  const within = path.length === 0 ? "" : [context.name, ...path].join(".");
  return keys.map((key) =>
    unknownKey(key, entryOf(node, key)?.keyPlace ?? context.place, known, {
      within,
      below: homesBelow(key, path, schema),
    }),
  );
}

/**
 * Returns the paths, below `path`, of the maps in which the key is valid: `forum` for the key
 * `tags`.
 */
export function homesBelow(key: string, path: Path, schema: z.ZodType): readonly string[] {
  const here = path.filter((step) => typeof step === "string");
  const homes = mapsIn(schema)
    .filter(({ path: at }) => at.length > here.length && here.every((step, n) => at[n] === step))
    .filter(({ keys }) => keys.includes(key));
  return [...new Set(homes.map(({ path: at }) => at.slice(here.length).join(".")))];
}

interface Around {
  /** The dotted path of the map with the unknown key; "" for the outermost map. */
  readonly within?: string;
  /** The paths of the maps further down in which the key is valid. */
  readonly below?: readonly string[];
}

/** Describes an unknown key. */
export function unknownKey(
  key: string,
  place: Place,
  known: readonly string[],
  { within = "", below = [] }: Around = {},
): Finding {
  const free = known.filter((candidate) => candidate !== key);
  const belongs = belongsText(key, within);
  const belowText = below.length === 1 ? `; it belongs under \`${below[0]}\`` : "";
  // If the key is valid somewhere else, it is suggested as a misspelling only with one wrong
  // letter.
  const cure =
    didYouMean(key, free, belongs === "" ? undefined : 1) || belongs || belowText || listOf(free);
  return { place, rule: "unknown-key", message: `unknown key \`${key}\`${cure}` };
}

const listOf = (known: readonly string[]): string =>
  known.length === 0 ? "" : `; known here: ${[...new Set(known)].sort().join(", ")}`;

function missing(path: Path, map: MapNode, context: CheckContext): Finding {
  const { place } = findNode(map, path.slice(0, -1), context.place);
  const message = `\`${String(path.at(-1))}\` is missing in ${nameOf(path.slice(0, -1), context.name)}`;
  return { place, rule: "missing-key", message };
}

function noValue(node: ScalarNode, name: string): Finding {
  const { file, offset } = node.place;
  const [before = "", comment] =
    /^[ \t]*(#[^\s,}\]]+)/.exec(file.text.slice(offset, offset + 200)) ?? [];
  if (comment === undefined)
    return { place: node.place, rule: "no-value", message: `${name} has no value` };
  return {
    place: { file, offset: offset + before.length - comment.length },
    rule: "yaml-hash",
    message: hashText(comment),
  };
}

/**
 * Explains why a value fits no branch of a union, by the first branch that accepts its type. If no
 * branch fits the type of the value, lists the expected types.
 */
function explainUnion(
  issue: ZodIssue & { code: "invalid_union" },
  { path, node, place }: { readonly path: Path; readonly node: Node; readonly place: Place },
  checked: Checked,
): readonly Finding[] {
  const fitting = issue.errors.filter(
    (branch) => !branch.some((one) => one.path.length === 0 && isOfOtherType(one, node)),
  );
  const branch = fitting.find((one) => one.length > 0);
  if (branch !== undefined)
    return branch.flatMap((one) =>
      explainZod({ ...one, path: [...path, ...one.path] } as ZodIssue, checked),
    );
  const wanted = issue.errors.flatMap((one) =>
    one.flatMap((inner) => {
      if (inner.code === "invalid_value") return inner.values.map(String);
      return inner.code === "invalid_type"
        ? [ownValue(TYPE_WORDS, inner.expected) ?? inner.expected]
        : [];
    }),
  );
  return [
    {
      place: valuePlace(node, place),
      rule: "wrong-type",
      message: `${nameOf(path, checked.context.name)} must be ${[...new Set(wanted)].join(" or ")}, not ${kindOf(node)}`,
    },
  ];
}

/**
 * Whether the branch of a union with this issue expects another type, and so was probably not
 * meant.
 */
function isOfOtherType(issue: ZodIssue, node: Node): boolean {
  if (issue.code === "invalid_type") return true;
  return (
    issue.code === "invalid_value" &&
    issue.values.every((value) => node.kind !== "scalar" || typeof value !== typeof node.value)
  );
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map",
  record: "a map",
};

function kindOf(node: Node): string {
  if (node.kind === "list") return "a list";
  if (node.kind === "map") return "a map";
  // A value from a variable or a file may be a secret, so it is not shown.
  if (node.origin === "variable" || node.origin === "file") return `what its ${node.origin} holds`;
  if (typeof node.value === "string") return `the text "${shorten(node.source)}"`;
  return typeof node.value === "number" ? `the number ${node.source}` : `${node.value}`;
}

const shorten = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

function wordsFor(
  issue: ZodIssue,
  name: string,
  node: Node,
): { readonly rule: Rule; readonly message: string } {
  if (issue.code === "invalid_type") return wrongType(issue.expected, name, node);
  if (issue.code === "invalid_value") return notAllowed(issue.values, name, node);
  const rule =
    issue.code === "custom" && isRule(issue.params?.["rule"]) ? issue.params["rule"] : "bad-value";
  return { rule, message: limitText(issue, name, node) ?? ownText(issue, name) };
}

const isRule = (name: unknown): name is Rule => typeof name === "string" && name in RULES;

function wrongType(
  expected: string,
  name: string,
  node: Node,
): { readonly rule: Rule; readonly message: string } {
  const hint = boolHint(expected, node) || numberHint(expected, node);
  const message = `${name} must be ${ownValue(TYPE_WORDS, expected) ?? expected}, not ${kindOf(node)}${hint}`;
  return { rule: "wrong-type", message };
}

const numberHint = (expected: string, node: Node): string =>
  /^(number|int)$/.test(expected) &&
  node.kind === "scalar" &&
  /^-?\d+(\.\d+)?$/.test(String(node.value))
    ? ": write it without quotes"
    : "";

/** Returns a hint for words such as `yes` and `off`, which YAML 1.2 reads as text. */
function boolHint(expected: string, node: Node): string {
  if (expected !== "boolean" || node.kind !== "scalar") return "";
  if (/^(yes|on|y)$/i.test(node.source)) return ": write true";
  return /^(no|off|n)$/i.test(node.source) ? ": write false" : "";
}

function notAllowed(
  values: readonly unknown[],
  name: string,
  node: Node,
): { readonly rule: Rule; readonly message: string } {
  const isQuoted =
    node.kind === "scalar" &&
    values.some((value) => typeof value !== "string" && String(value) === node.value);
  if (isQuoted)
    return {
      rule: "not-allowed",
      message: `${name} must be ${node.value}, not the text "${node.value}": write it without quotes`,
    };
  const options = values.map(String);
  const found = node.kind === "scalar" ? node.source : "";
  const given = node.kind === "scalar" ? `"${shorten(found)}"` : kindOf(node);
  return {
    rule: "not-allowed",
    message: `${name} must be ${orList(options)}, not ${given}${didYouMean(found, options)}`,
  };
}

const orList = (options: readonly string[]): string =>
  options.length < 2 ? options.join("") : `${options.slice(0, -1).join(", ")} or ${options.at(-1)}`;

function limitText(issue: ZodIssue, name: string, node: Node): string | undefined {
  if (issue.code === "too_small" && /^Too small/.test(issue.message)) {
    if (issue.origin === "array" || issue.origin === "string") return `${name} is empty`;
    return `${name} must be ${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}`;
  }
  if (issue.code === "too_big" && /^Too big/.test(issue.message)) {
    if (issue.origin === "array") return tooManyText(Number(issue.maximum), name, node);
    return `${name} must be ${issue.inclusive === false ? "less than" : "at most"} ${issue.maximum}${issue.origin === "string" ? " characters long" : ""}`;
  }
  return undefined;
}

/** Names the entries beyond the allowed number, if they are few and contain no secret. */
function tooManyText(allowed: number, name: string, node: Node): string {
  const entries = node.kind === "list" ? node.items : [];
  const beyond = entries.slice(allowed);
  const named = beyond.flatMap((entry) =>
    entry.kind === "scalar" && (entry.origin === "plain" || entry.origin === "quoted")
      ? [`"${shorten(entry.source)}"`]
      : [],
  );
  const hint =
    named.length === beyond.length && named.length <= MAX_NAMED
      ? `: remove ${named.join(" and ")}`
      : "";
  return `${name} has ${entries.length} entries, but at most ${allowed} are allowed${hint}`;
}

const MAX_NAMED = 2;

/** Returns the schema's own message. If it starts with a verb, the name becomes its subject. */
function ownText(issue: Pick<ZodIssue, "message"> | undefined, name: string): string {
  const text = issue?.message ?? "is not valid";
  return /^(must|is|contains|may|has|needs|cannot)\b/.test(text) ? `${name} ${text}` : text;
}
