/**
 * Renders tables of keys from the JSON Schema that editors use. Every key that can be written in a
 * file has a row, with its default.
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

/** Returns the alternatives of a section of named entries: one of each type. */
export const typesOf = (section: string): readonly Schema[] => {
  const { additionalProperties } = sectionOf(section);
  return (typeof additionalProperties === "object" ? additionalProperties.oneOf : undefined) ?? [];
};

/** Describes the allowed values in a few words. */
function kindOf(schema: Schema): string {
  if (schema.$ref !== undefined) return "map";
  if (schema.const !== undefined) return code(String(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((one) => code(String(one))).join(" or ");
  // Any number or switch may also be a variable. The page says so once, so the rows leave it out.
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
 * Returns the rows of a map's keys. Keys of inner maps follow as `quota.monthly`, and those of
 * lists of maps as `times[].start`.
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

type IsWanted = (name: string) => boolean;
const HEADS = ["Key", "Value", "Default", "Meaning"];
const topOf = (name: string): string => name.split(/[.[]/)[0] ?? name;

/**
 * Returns the cells of the wanted keys. `defaults` adds defaults that the schema leaves to the
 * loader.
 */
function cellsOf(
  schema: Schema,
  isWanted: IsWanted,
  defaults: Readonly<Record<string, unknown>> = {},
): readonly { readonly key: string; readonly cells: readonly string[] }[] {
  return rowsOf(schema)
    .filter(({ name }) => isWanted(topOf(name)))
    .map(({ name, schema: one, isRequired }) => ({
      key: topOf(name),
      cells: [
        code(name),
        kindOf(one),
        defaultOf(
          Object.hasOwn(defaults, name) ? { ...one, default: defaults[name] } : one,
          isRequired,
        ),
        sentence((one.description ?? "").replace(/(^|\. )([a-z]+): /g, "$1`$2`: ")),
      ],
    }));
}

export const keyTable = (
  schema: Schema,
  isWanted: IsWanted = () => true,
  defaults: Readonly<Record<string, unknown>> = {},
): string =>
  table(
    HEADS,
    cellsOf(schema, isWanted, defaults).map(({ cells }) => cells),
  );

/** Returns a key and its inner keys as text, to compare the keys of two types. */
const textOf = (schema: Schema, key: string): string =>
  JSON.stringify(cellsOf(schema, (name) => name === key));

/** Returns the keys that have the same text in both. */
export const keysAlike = (one: Schema, other: Schema): readonly string[] =>
  Object.keys(one.properties ?? {}).filter(
    (key) => Object.hasOwn(other.properties ?? {}, key) && textOf(one, key) === textOf(other, key),
  );

/**
 * Renders the tables of several types. A key with the same text in three types or more is described
 * once, in `shared`. Each of these types names it and describes only its other keys.
 */
export function typeTables(
  types: readonly { readonly schema: Schema; readonly keys: readonly string[] }[],
  minTypes = 3,
): { readonly shared: string; readonly own: (schema: Schema) => readonly string[] } {
  const shared = new Map<string, { readonly text: string; readonly schema: Schema }>();
  for (const key of new Set(types.flatMap(({ keys }) => keys))) {
    const texts = types.flatMap(({ schema, keys }) =>
      keys.includes(key) ? [{ schema, text: textOf(schema, key) }] : [],
    );
    const like = ({ text }: { readonly text: string }) =>
      texts.filter((other) => other.text === text).length;
    const [most] = texts.toSorted((a, b) => like(b) - like(a));
    if (most !== undefined && like(most) >= minTypes) shared.set(key, most);
  }
  return {
    shared: table(
      HEADS,
      [...shared].flatMap(([key, { schema }]) =>
        cellsOf(schema, (name) => name === key).map(({ cells }) => cells),
      ),
    ),
    own: (schema) => {
      const keys = types.find((one) => one.schema === schema)?.keys ?? [];
      const isShared = (key: string) => shared.get(key)?.text === textOf(schema, key);
      const own = keys.filter((key) => !isShared(key));
      const elsewhere = keys.filter(isShared);
      return [
        own.length === 0 ? "" : keyTable(schema, (name) => own.includes(name)),
        elsewhere.length === 0
          ? ""
          : `[Also](#keys-of-several-types): ${elsewhere.map(code).join(", ")}.`,
      ];
    },
  };
}
