/**
 * Long work in parts, so that it does not block the event loop for seconds: a generator that yields
 * after each part. A command does all parts at once; a daemon lets other work run between them.
 */

export type Steps<Result> = Generator<undefined, Result, undefined>;

/**
 * The number of watches, polls or rows that are handled in one step. Planning this many takes 2 ms,
 * or 100 ms if each has another cron pattern.
 */
export const STEP_SIZE = 100;

/** Calls `work` for each item. A step ends after each `STEP_SIZE` items, if there are more. */
export function* forEachInSteps<Item>(
  items: Iterable<Item>,
  work: (item: Item) => void,
): Steps<void> {
  let done = 0;
  for (const item of items) {
    if (done > 0 && done % STEP_SIZE === 0) yield;
    work(item);
    done += 1;
  }
}

/** Does all parts at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does the parts, and lets other callbacks run between them. */
export async function yieldBetween<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await yieldToEventLoop();
  }
}

/** Resolves after other callbacks of the event loop have run. */
export const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => setImmediate(resolve));

/** Lets other callbacks run after work on more items than fit into one step. */
export const yieldAfter = async ({ length }: readonly unknown[]): Promise<void> => {
  if (length > STEP_SIZE) await yieldToEventLoop();
};
