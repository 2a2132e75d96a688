/**
 * Finds errors in a template before it runs: in its syntax, and in names of tags, filters and
 * fields that do not exist or are refused.
 */
import type { Liquid, Template } from "liquidjs";
import type { Rendering } from "./filters.ts";
import { createLiquid, REFUSED_FILTERS, REFUSED_TAGS } from "./liquid.ts";
import { ownValue } from "../../model/own-value.ts";

/**
 * The known fields by name. The value is either the tree of the field's own fields or its type:
 * `string`, `int`, `list<string>` … A field of type `dyn` or `map<…>` may have any fields.
 */
export interface FieldTree {
  readonly [name: string]: string | FieldTree;
}

export interface TemplateProblem {
  readonly kind: "syntax" | "refused" | "name";
  /** Offsets into the template's text. `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  readonly message: string;
  /**
   * The word that does not exist, the words that are allowed in its place, and for a field its
   * `holder`: the path of the object that was expected to contain it.
   */
  readonly unknown?: {
    readonly word: string;
    readonly known: readonly string[];
    readonly holder?: string;
  };
}

/**
 * Returns the problems of a template. If it cannot be parsed, only the first error is returned;
 * otherwise every field name is checked.
 */
export function checkTemplate(text: string, fields: FieldTree): readonly TemplateProblem[] {
  const current: Rendering = { nowMs: 0, hasMoments: false, moments: [] };
  const liquid = createLiquid({ region: {}, current });
  try {
    return checkFields(liquid, liquid.parse(text), { text, fields });
  } catch (error) {
    return [explain(error, text, liquid)];
  }
}

/** The properties that every list and text has in Liquid besides its items. */
const OF_ANY: ReadonlySet<unknown> = new Set(["size", "first", "last"]);

/**
 * Returns the paths of the fields that a valid template may read; undefined if it may read any
 * field. A path ends before an index, a variable or a property such as `size`.
 */
export function pathsRead(text: string): readonly (readonly string[])[] | undefined {
  // Filters such as `where_exp` take an expression as text, which is parsed only at run time.
  if (/_exp\b/.test(text)) return undefined;
  const liquid = createLiquid({
    region: {},
    current: { nowMs: 0, hasMoments: false, moments: [] },
  });
  return liquid.globalVariableSegmentsSync(text, { partials: false }).map((segments) => {
    const end = segments.findIndex((segment) => typeof segment !== "string" || OF_ANY.has(segment));
    return (end < 0 ? segments : segments.slice(0, end)) as readonly string[];
  });
}

// ---- fields
// ----------------------------------------------------------------------------

interface Checked {
  readonly text: string;
  readonly fields: FieldTree;
}

/** The path of a variable as liquidjs reports it. A part in brackets may itself be a path. */
interface Use {
  readonly segments: readonly unknown[];
  readonly location: { readonly row: number; readonly col: number };
}

function checkFields(
  liquid: Liquid,
  template: Template[],
  { text, fields }: Checked,
): readonly TemplateProblem[] {
  const { globals } = liquid.analyzeSync(template, { partials: false });
  const uses = Object.values(globals).flat() as readonly Use[];
  return uses
    .flatMap((use) => checkPath(use, { text, fields }))
    .toSorted((a, b) => a.start - b.start);
}

function checkPath(
  { segments, location }: Use,
  { text, fields }: Checked,
): readonly TemplateProblem[] {
  const start = offsetOf(text, location.row, location.col);
  let at: string | FieldTree = fields;
  const path: string[] = [];
  for (const segment of segments) {
    if (typeof segment !== "string" && typeof segment !== "number") return [];
    const name = String(segment);
    const next = step(at, name);
    if (next === undefined) return [unknownField(text, start, { at, path, name })];
    path.push(name);
    at = next;
  }
  return [];
}

const ANY = /^(?:dyn|map<.*>)$/;
const LIST = /^list<(.+)>$/;

/** Returns the type or the fields of `name` in `at`; undefined if `at` has no such name. */
function step(at: string | FieldTree, name: string): string | FieldTree | undefined {
  if (typeof at !== "string") return ownValue(at, name);
  if (ANY.test(at)) return "dyn";
  if (name === "size" && (at === "string" || LIST.test(at))) return "int";
  const item = LIST.exec(at)?.[1];
  return item !== undefined && (/^-?\d+$/.test(name) || name === "first" || name === "last")
    ? item
    : undefined;
}

interface Missing {
  readonly at: string | FieldTree;
  readonly path: readonly string[];
  readonly name: string;
}

function unknownField(text: string, start: number, { at, path, name }: Missing): TemplateProblem {
  const holder = path.join(".");
  const from = text.indexOf(name, start + (path.length === 0 ? 0 : (path[0]?.length ?? 0)));
  const begin = from < 0 ? start : from;
  const known = typeof at === "string" ? [] : Object.keys(at);
  const message =
    typeof at === "string"
      ? `\`${holder}\` has no fields, so no \`${name}\``
      : `no such name: ${[...path, name].join(".")}`;
  return {
    kind: "name",
    start: begin,
    end: begin + name.length,
    message,
    ...(known.length === 0 ? {} : { unknown: { word: name, known, holder } }),
  };
}

// ---- syntax
// ----------------------------------------------------------------------------

interface LiquidFailure {
  readonly message?: unknown;
  readonly originalError?: { readonly message?: unknown };
  readonly token?: {
    getPosition?(): readonly [number, number];
    readonly begin?: number;
    readonly end?: number;
  };
}

function explain(error: unknown, text: string, liquid: Liquid): TemplateProblem {
  const { token, originalError, message } = error as LiquidFailure;
  const [row = 1, col = 1] = token?.getPosition?.() ?? [];
  const start = offsetOf(text, row, col);
  const end = start + Math.max(1, (token?.end ?? 0) - (token?.begin ?? 0));
  const said = String(originalError?.message ?? message ?? error).replace(
    /, line:\d+, col:\d+.*$/s,
    "",
  );
  const tag = /^tag "(.+)" not found$/.exec(said)?.[1];
  const filter = /^undefined filter: (.+)$/.exec(said)?.[1];
  if (tag !== undefined)
    return unknownWord("tag", tag, Object.keys(liquid.tags), spanOf(text, tag, start));
  if (filter !== undefined)
    return unknownWord("filter", filter, Object.keys(liquid.filters), spanOf(text, filter, start));
  return { kind: "syntax", start, end: Math.min(end, text.length), message: said };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function spanOf(text: string, word: string, from: number): Span {
  const start = Math.max(from, text.indexOf(word, from));
  return { start, end: start + word.length };
}

function unknownWord(
  what: "tag" | "filter",
  word: string,
  known: readonly string[],
  span: Span,
): TemplateProblem {
  const refused = ownValue(what === "tag" ? REFUSED_TAGS : REFUSED_FILTERS, word);
  if (refused !== undefined)
    return {
      kind: "refused",
      ...span,
      message: `the ${what} \`${word}\` may not be used: ${refused}`,
    };
  return {
    kind: "name",
    ...span,
    message: `there is no ${what} \`${word}\``,
    unknown: { word, known },
  };
}

/** Returns the offset of a position. Both `row` and `col` count from 1. */
function offsetOf(text: string, row: number, col: number): number {
  let start = 0;
  for (let line = 1; line < row; line += 1) start = text.indexOf("\n", start) + 1;
  return Math.min(text.length, start + col - 1);
}
