/** Handles clicks on one message in the order of their arrival, and on different ones at once. */
import { type Clock, sleep } from "../../model/clock.ts";

export class ClickQueue {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs the work after all earlier work with this key. The work must not reject. */
  add(key: string, work: () => Promise<void>): void {
    const next = (this.#last.get(key) ?? Promise.resolve()).then(work).finally(() => {
      if (this.#last.get(key) === next) this.#last.delete(key);
    });
    this.#last.set(key, next);
  }

  /** Resolves once nothing is under way, or after this time. */
  async settled(clock: Clock, withinMs: number): Promise<void> {
    const over = new AbortController();
    const all = Promise.all(this.#last.values()).finally(() => over.abort());
    await Promise.race([all, sleep(clock, withinMs, over.signal)]);
  }
}
