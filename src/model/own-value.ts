/** Lookups in objects whose keys come from outside. */

/**
 * Returns the value that an object itself has under a name. `from[name]` would also find what every
 * object inherits: `constructor`, `toString`, `__proto__`.
 */
export const ownValue = <T>(from: { readonly [name: string]: T }, name: string): T | undefined =>
  Object.hasOwn(from, name) ? from[name] : undefined;
