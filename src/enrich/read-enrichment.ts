/** Checks the answer of an endpoint or a program, which is untrusted until then. Pure. */
import type { Labels } from "../model/event.ts";
import type { JsonObject } from "../model/json.ts";
import { cleanLine, cleanText } from "../render/text/clean-text.ts";

/** The labels and fields that an answer adds to an event. */
export interface Enrichment {
  readonly labels: Labels;
  /** The fields for `enrichment` in the event's body. */
  readonly fields: JsonObject;
  /** The labels of the answer that the watch does not declare, which are not added. */
  readonly undeclared: readonly string[];
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,49}$/;
const MAX_LABELS = 50;
const LABEL_CHARS = 200;
const MAX_FIELDS = 20;
const FIELD_CHARS = 5_000;

/**
 * Returns the enrichment, or a text that says what is wrong with the answer. `declared` lists the
 * labels that an answer may set.
 */
export function readEnrichment(text: string, declared: readonly string[]): Enrichment | string {
  const answer = parseObject(text);
  if (answer === undefined) return "the answer is not a JSON object";
  const labels = valuesOf(answer["labels"], {
    what: "labels",
    most: MAX_LABELS,
    chars: LABEL_CHARS,
  });
  if (typeof labels === "string") return labels;
  const fields = valuesOf(answer["fields"], {
    what: "fields",
    most: MAX_FIELDS,
    chars: FIELD_CHARS,
  });
  if (typeof fields === "string") return fields;
  const set = labels
    .filter(([name]) => declared.includes(name))
    .map(([name, value]) => [name, cleanLine(String(value))]);
  return {
    labels: Object.fromEntries(set) as Labels,
    fields: Object.fromEntries(
      fields.map(([name, value]) => [name, typeof value === "string" ? cleanText(value) : value]),
    ),
    undeclared: labels.map(([name]) => name).filter((name) => !declared.includes(name)),
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

type Value = string | number | boolean;

interface Limits {
  readonly what: "labels" | "fields";
  readonly most: number;
  readonly chars: number;
}

/** Returns the names and values of an object without nulls, or a text that says what is wrong. */
function valuesOf(
  given: unknown,
  { what, most, chars }: Limits,
): readonly (readonly [string, Value])[] | string {
  if (given === undefined || given === null) return [];
  if (!isObject(given)) return `\`${what}\` in the answer is not an object`;
  const entries = Object.entries(given).filter(([, value]) => value !== null);
  if (entries.length > most)
    return `the answer has ${entries.length} ${what}, but at most ${most} are allowed`;
  for (const [name, value] of entries) {
    if (!NAME.test(name))
      return `a name in \`${what}\` of the answer is not 1 to 50 letters, digits and _`;
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
      return `\`${what}.${name}\` in the answer is neither text, number nor boolean`;
    if (String(value).length > chars)
      return `\`${what}.${name}\` in the answer is longer than ${chars} characters`;
  }
  return entries as [string, Value][];
}
