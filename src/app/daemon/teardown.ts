/**
 * The stack of named teardowns. They run last in, first out, at a stop and if a start fails
 * halfway.
 */
import { errorText } from "../../model/errors.ts";
import type { Log } from "../../model/log.ts";

export interface Teardown {
  push(name: string, fn: () => void | Promise<void>): void;
  /**
   * Runs every teardown once. If a teardown fails, its error is logged and the others still run.
   */
  drain(): Promise<void>;
}

export function createTeardown(log: Log): Teardown {
  const stack: { readonly name: string; readonly fn: () => void | Promise<void> }[] = [];
  return {
    push: (name, fn) => void stack.push({ name, fn }),
    async drain() {
      for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
        try {
          await top.fn();
          log.debug("stopped", { part: top.name });
        } catch (error) {
          log.error("could not be stopped cleanly", { part: top.name, error: errorText(error) });
        }
      }
    },
  };
}
