/** Waits for something a real process does: asked often, given up with a sentence. Tests under a virtual clock do not need it. */
import { setTimeout as pause } from "node:timers/promises";
import { expectChildrenAlive } from "./child-process.ts";

const ASK_EVERY_MS = 20;
/** Ends what never comes. What is slow only because the machine is busy is no failure. */
const WITHIN_MS = 45_000;

/**
 * Resolves with the first truthy answer.
 * @throws Error that names what was awaited and, if `seen` says, what was seen instead; at once when a child process ended early
 */
export async function until<T>(what: string, ask: () => T | Promise<T>, seen?: () => string): Promise<NonNullable<T>> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    expectChildrenAlive();
    if (performance.now() > deadline) throw new Error(`not within ${WITHIN_MS} ms: ${what}${seen === undefined ? "" : `\n${seen()}`}`);
    await pause(ASK_EVERY_MS);
  }
}
