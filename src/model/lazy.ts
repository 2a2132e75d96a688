/**
 * Creates values that are slow to create when they are first needed. The schemas of every watch
 * type and endpoint would take a tenth of the time of a start.
 */

/** Creates the value at the first call, and only once. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
