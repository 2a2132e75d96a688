/**
 * Lets other callbacks of the event loop run: between the parts of work that would block it for
 * seconds.
 */
export const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => setImmediate(resolve));
