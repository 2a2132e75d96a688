/**
 * Errors that nobody caught. Owns the listeners and the end of the process; what is reported before
 * is its caller's business.
 */

/**
 * After `speak` the process ends with `exitCode`: what it was doing is unknown, and the state is
 * safe at any moment.
 */
export function onUncaught(
  exitCode: number,
  report: (error: unknown) => Promise<void>,
): () => void {
  const end = (error: unknown) => void report(error).finally(() => process.exit(exitCode));
  process.on("uncaughtException", end);
  process.on("unhandledRejection", end);
  return () => {
    process.off("uncaughtException", end);
    process.off("unhandledRejection", end);
  };
}
