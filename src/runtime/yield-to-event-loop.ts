/**
 * Lets other callbacks of the event loop run. Call it between parts of work that would block the
 * loop for seconds.
 */
export const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => setImmediate(resolve));
