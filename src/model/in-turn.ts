/** Runs work that must not overlap with itself. */

export type InTurn = (work: () => Promise<void>) => Promise<void>;

/**
 * Creates a queue that runs work one piece after the other, even after failures, so that older data
 * never replaces newer data.
 */
export function createInTurn(): InTurn {
  let last: Promise<void> = Promise.resolve();
  return (work) => {
    last = last.catch(() => undefined).then(work);
    return last;
  };
}

/**
 * Creates a function that runs `work` one run after the other. A call during a run waits for the
 * next run, which serves all calls made before it begins.
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
 * Creates a function that starts `work` at the first call; all callers wait for the same run. After
 * a failure, the next call starts it again.
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
