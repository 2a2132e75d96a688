/**
 * What keys a schema knows, and where: read off the schemas, so that no key is written down twice.
 */
import type { z } from "zod";
import { ownValue } from "../../model/own-value.ts";

interface Inner {
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
}

/** The keys a schema knows at a path, as far as it can be followed. */
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
 * Every map with keys of its own in a schema: how one gets there, and what it knows. The nearest to
 * the top first.
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

/** Through optional, default, pipes and unions to what holds keys. */
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
