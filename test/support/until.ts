/**
 * Waits for something that a real process does: checks repeatedly, and fails with a sentence. Tests
 * under a virtual clock do not need it.
 */
import { setTimeout as pause } from "node:timers/promises";
import { expectChildrenAlive } from "./child-process.ts";

const FIRST_PAUSE_MS = 20;
/** Long waits check less often, because each check costs the process that answers it. */
const LONGEST_PAUSE_MS = 100;
/**
 * The limit for something that never happens. It is generous, because being slow on a busy machine
 * is no failure.
 */
const WITHIN_MS = 45_000;

/**
 * Resolves with the first truthy answer.
 * @throws Error that names what was awaited and, if `seen` says, what was seen instead; at once
 *   when a child process ended early
 */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  seen?: () => string,
): Promise<NonNullable<T>> {
  const begunMs = performance.now();
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    expectChildrenAlive();
    const waitedMs = performance.now() - begunMs;
    if (waitedMs > WITHIN_MS)
      throw new Error(
        `not within ${WITHIN_MS} ms: ${what}${seen === undefined ? "" : `\n${seen()}`}`,
      );
    await pause(Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, waitedMs / 10)));
  }
}
