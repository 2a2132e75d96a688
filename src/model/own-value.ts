/** Lookups in objects whose names somebody else writes. */

/**
 * The value that an object has under a name itself. `from[name]` also finds what every object
 * inherits: `constructor`, `toString`, `__proto__`.
 */
export const ownValue = <T>(from: { readonly [name: string]: T }, name: string): T | undefined =>
  Object.hasOwn(from, name) ? from[name] : undefined;
