/**
 * Skips a test because something is missing on this machine, and prints why. The reporter alone
 * would only count it.
 */
import type { TestContext } from "vitest";

export function skipAloud(context: TestContext, reason: string): never {
  console.warn(`skipped: ${context.task.name}: ${reason}`);
  return context.skip(reason);
}
