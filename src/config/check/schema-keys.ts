/**
 * Finds the keys of a schema and where they belong. Reading them from the schemas saves a second
 * list of keys.
 */
import type { z } from "zod";
import { ownValue } from "../../model/own-value.ts";

interface Inner {
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
}

/** Returns the keys that a schema allows at a path, or none if the path leads nowhere. */
export function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  const inner = unwrap(schema);
  const [step, ...rest] = path;
  if (step === undefined) return inner.flatMap((one) => Object.keys(one.shape ?? {}));
  return inner.flatMap((one) => {
    const next = ownValue(one.shape ?? {}, String(step)) ?? one.element ?? one.valueType;
    return next === undefined ? [] : keysAt(next, rest);
  });
}

/**
 * Returns the path and the keys of every map in a schema that lists its keys. Maps near the top
 * come first.
 */
export function mapsIn(
  schema: z.ZodType,
  path: readonly string[] = [],
): readonly { readonly path: readonly string[]; readonly keys: readonly string[] }[] {
  const own = keysAt(schema, []);
  const below = unwrap(schema).flatMap(({ shape = {}, element }) => [
    ...Object.entries(shape).flatMap(([key, inner]) => mapsIn(inner, [...path, key])),
    ...(element === undefined ? [] : mapsIn(element, path)),
  ]);
  const found = own.length === 0 ? below : [{ path, keys: own }, ...below];
  return found.toSorted((a, b) => a.path.length - b.path.length);
}

/** Returns the schemas inside a schema that is optional, has a default, is piped or is a union. */
function unwrap(schema: z.ZodType): readonly Inner[] {
  const def = schema._zod.def as {
    readonly innerType?: z.ZodType;
    readonly in?: z.ZodType;
    readonly options?: readonly z.ZodType[];
  };
  if (def.innerType !== undefined) return unwrap(def.innerType);
  if (def.in !== undefined) return unwrap(def.in);
  if (def.options !== undefined) return def.options.flatMap(unwrap);
  return [schema as unknown as Inner];
}
