/**
 * Values that few need and that take long to make: the schemas of every watch type and endpoint are
 * a tenth of a start.
 */

/** Makes the value when it is first asked for, and once. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
