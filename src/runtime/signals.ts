/** Listens to signals of the operating system. The caller decides what a signal means. */

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
