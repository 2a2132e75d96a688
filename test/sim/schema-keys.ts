/**
 * The keys of the configuration as paths, from its JSON Schema and from a drawn configuration, in
 * the same notation.
 */
import type { Json, JsonObject } from "../../src/model/json.ts";

type Schema = Readonly<Record<string, unknown>>;

/**
 * Returns every key that the schema names, such as `watches.search.query`, `sinks.slack.token` and
 * `route.group_by`.
 */
export function keysOfSchema(schema: Schema): readonly string[] {
  const routeSchema = (schema["$defs"] as Schema)["route"] as Schema;
  const visit = (node: unknown, path: string): readonly string[] => {
    if (Array.isArray(node)) return node.flatMap((one) => visit(one, path));
    if (typeof node !== "object" || node === null) return [];
    const { properties = {}, items, anyOf, oneOf, additionalProperties, $ref } = node as Schema;
    if ($ref !== undefined) return path === "route" ? visit(routeSchema, path) : [];
    const typed = ((oneOf ?? []) as readonly Schema[]).flatMap((one) => {
      const type = ((one["properties"] as Schema | undefined)?.["type"] as Schema | undefined)?.[
        "const"
      ];
      return visit(one, typeof type === "string" ? `${path}.${type}` : path);
    });
    const own = Object.entries(properties as Schema).flatMap(([key, inner]) => {
      const below = path === "" ? key : `${path}.${key}`;
      return [below, ...visit(inner, below)];
    });
    return [
      ...own,
      ...typed,
      ...visit(items, path),
      ...visit(anyOf, path),
      ...visit(additionalProperties, path),
    ];
  };
  return [...new Set(visit(schema, ""))];
}

/** Whether a map has user-defined names as keys. */
const isOfNames = (path: string): boolean =>
  /^(?:watches|sinks|time_intervals|templates)$|\.(?:labels|headers)$/.test(path);

/** Returns the keys of a configuration. The name of a watch or a sink is replaced by its type. */
export function keysOfConfig(config: JsonObject): readonly string[] {
  const visit = (value: Json | undefined, path: string): readonly string[] => {
    if (Array.isArray(value))
      return (value as readonly Json[]).flatMap((one) => visitEach(one, path));
    return isOfNames(path) && isMap(value)
      ? Object.values(value).flatMap((one) => visitNamed(one, path))
      : visitEach(value, path);
  };
  const visitNamed = (value: Json | undefined, path: string): readonly string[] => {
    const type = isMap(value) ? value["type"] : undefined;
    return typeof type === "string"
      ? visitEach(value, `${path}.${type}`)
      : Array.isArray(value)
        ? visit(value, path)
        : visitEach(value, path);
  };
  const visitEach = (value: Json | undefined, path: string): readonly string[] =>
    isMap(value)
      ? Object.entries(value).flatMap(([key, inner]) => {
          // A route inside a route has the same keys.
          const below = (path === "" ? key : `${path}.${key}`).replace(
            /^route\.routes\./,
            "route.",
          );
          return [below, ...visit(inner, below)];
        })
      : [];
  return [...new Set(visit(config, ""))];
}

const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
