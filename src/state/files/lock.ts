/**
 * Ensures that only one daemon uses a state file. The lock is an exclusive transaction that stays
 * open on `<state>.lock`; the system ends it when the process ends.
 */
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { holdExclusively } from "../db/sqlite.ts";
import { sqliteCode } from "../db/sqlite-dialect.ts";

/** Whether a state could not be opened because another process holds it. */
export const isStateLocked = (error: unknown): boolean =>
  error instanceof ExitError && error.code === "STATE_LOCKED";

/**
 * Locks a state. Returns a function that releases the lock. @throws ExitError STATE_LOCKED while
 * another process holds it
 */
export function lockState(path: string): () => void {
  try {
    return holdExclusively(`${path}.lock`);
  } catch (error) {
    if (!sqliteCode(error)?.startsWith("SQLITE_BUSY")) throw error;
    throw new ExitError(
      EXIT.alreadyRunning,
      "STATE_LOCKED",
      `Another chirpwatch is running on ${path}.`,
      {
        hint: "Stop it first, or give this one a `state.path` of its own.",
        cause: error,
      },
    );
  }
}
