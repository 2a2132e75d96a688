/**
 * Handles errors that were not caught: calls `report` and then ends the process with `exitCode`.
 * The process must end, because it is unknown which work was interrupted. Ending it is safe,
 * because the state on the disk is always consistent. Returns a function that removes the handler.
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
