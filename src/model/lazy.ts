/**
 * Values that are rarely needed and slow to create. The schemas of every watch type and endpoint
 * take a tenth of a start.
 */

/** Creates the value at the first call, and only once. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
