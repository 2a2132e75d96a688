/** Work that must not overlap with itself. */

export type InTurn = (work: () => Promise<void>) => Promise<void>;

/**
 * Runs one after the other, whatever became of the one before: what is older must not replace what
 * is newer.
 */
export function createInTurn(): InTurn {
  let last: Promise<void> = Promise.resolve();
  return (work) => {
    last = last.catch(() => undefined).then(work);
    return last;
  };
}

/**
 * One run after the other: whoever asks during one waits for the next, which is one for all who ask
 * before it begins.
 */
export function createRounds(
  work: () => Promise<void>,
  inTurn: InTurn = createInTurn(),
): () => Promise<void> {
  let next: Promise<void> | undefined;
  return () => {
    next ??= inTurn(() => {
      next = undefined;
      return work();
    });
    return next;
  };
}

/**
 * Begins when it is first asked for; all who ask wait for the same. After a failure whoever asks
 * next begins again.
 */
export function untilDone(work: () => Promise<void>): () => Promise<void> {
  let begun: Promise<void> | undefined;
  return () => {
    begun ??= work().catch((error: unknown) => {
      begun = undefined;
      throw error;
    });
    return begun;
  };
}
