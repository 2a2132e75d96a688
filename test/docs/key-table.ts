/**
 * Tables of keys, from the JSON Schema that editors use: whatever can be written in a file has its
 * row, with its default.
 */
import { buildJsonSchema } from "../../src/config/load/json-schema.ts";
import { SINK_TYPES } from "../../src/sinks/registry.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { code, sentence, table } from "./markdown.ts";

export interface Schema {
  readonly type?: string;
  readonly const?: string | number;
  readonly enum?: readonly (string | number)[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

export const SCHEMA = buildJsonSchema(WATCH_TYPES, SINK_TYPES) as Schema;

export const sectionOf = (name: string): Schema => SCHEMA.properties?.[name] ?? {};

/** The alternatives of a section of named entries: one of each type. */
export const typesOf = (section: string): readonly Schema[] => {
  const { additionalProperties } = sectionOf(section);
  return (typeof additionalProperties === "object" ? additionalProperties.oneOf : undefined) ?? [];
};

/** What may be written, in a few words. */
function kindOf(schema: Schema): string {
  if (schema.$ref !== undefined) return "map";
  if (schema.const !== undefined) return code(String(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((one) => code(String(one))).join(" or ");
  // A variable may stand for any number or switch: true everywhere, so it is said once, not in
  // every row.
  const choices = (schema.anyOf ?? schema.oneOf)?.filter((one) => one.pattern !== "\\$\\{.+\\}");
  if (choices !== undefined) return [...new Set(choices.map(kindOf))].join(" or ");
  if (schema.type === "array")
    return `list of ${schema.items === undefined ? "values" : plural(kindOf(schema.items))}`;
  return KINDS[schema.type ?? ""] ?? "any";
}

const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  integer: "number",
  number: "number",
  boolean: "true or false",
  object: "map",
};

const plural = (kind: string): string =>
  kind === "map" ? "maps" : kind === "text" ? "texts" : kind;

function defaultOf(schema: Schema, isRequired: boolean): string {
  if (isRequired) return "required";
  const value = schema.default;
  if (
    value === undefined ||
    (typeof value === "object" && !Array.isArray(value) && Object.keys(value ?? {}).length === 0)
  )
    return "";
  return code(typeof value === "string" ? value : JSON.stringify(value));
}

interface Row {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/**
 * A map's keys; those of maps inside it follow as `quota.monthly`, those of lists of maps as
 * `times[].start`.
 */
function rowsOf(schema: Schema, prefix = ""): readonly Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
    const own = {
      name: `${prefix}${key}`,
      schema: inner,
      isRequired: schema.required?.includes(key) ?? false,
    };
    const nested = [inner, ...(inner.anyOf ?? [])].find((one) => one.properties !== undefined);
    if (nested !== undefined) return [own, ...rowsOf(nested, `${own.name}.`)];
    return inner.items?.properties === undefined
      ? [own]
      : [own, ...rowsOf(inner.items, `${own.name}[].`)];
  });
}

/** `defaults` fills in what the schema leaves to the loader. */
export function keyTable(
  schema: Schema,
  isWanted: (name: string) => boolean = () => true,
  defaults: Readonly<Record<string, unknown>> = {},
): string {
  const rows = rowsOf(schema).filter(({ name }) => isWanted(name.split(/[.[]/)[0] ?? name));
  return table(
    ["Key", "Value", "Default", "Meaning"],
    rows.map(({ name, schema: one, isRequired }) => [
      code(name),
      kindOf(one),
      defaultOf(
        Object.hasOwn(defaults, name) ? { ...one, default: defaults[name] } : one,
        isRequired,
      ),
      sentence((one.description ?? "").replace(/(^|\. )([a-z]+): /g, "$1`$2`: ")),
    ]),
  );
}
