/** Waits for something a real process does: asked often, given up with a sentence. Tests under a virtual clock do not need it. */
import { setTimeout as pause } from "node:timers/promises";

const ASK_EVERY_MS = 20;

/** Resolves with the first truthy answer. @throws Error that names what was awaited and, if told how, what was seen instead. */
export async function until<T>(what: string, ask: () => T | Promise<T>, withinMs = 15_000, seen?: () => string): Promise<NonNullable<T>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}${seen === undefined ? "" : `\n${seen()}`}`);
    await pause(ASK_EVERY_MS);
  }
}
