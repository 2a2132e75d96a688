/**
 * Signals of the operating system. Owns the listeners; what a signal means is its caller's
 * business.
 */

/** Calls `fn` at each of these signals until the returned function is called. */
export function onSignals(
  names: readonly NodeJS.Signals[],
  fn: (name: NodeJS.Signals) => void,
): () => void {
  for (const name of names) process.on(name, fn);
  return () => {
    for (const name of names) process.off(name, fn);
  };
}
