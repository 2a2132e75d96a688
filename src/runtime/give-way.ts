/** Lets what waits for the event loop run: between the parts of work that would hold it up for seconds. */
export const giveWay = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
