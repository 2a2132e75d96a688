/**
 * Tracks the pump's running tasks, for which a stop waits, and its attempts to send, which a stop
 * may abort.
 */
import { type Clock, sleep } from "../model/clock.ts";
import { type Abortable, STOPPING } from "./stages/send.ts";

export class InFlight {
  /** The attempts that wait for a sink's answer at this moment. */
  readonly attempts = new Set<Abortable>();
  readonly #tasks = new Set<Promise<unknown>>();

  track(task: Promise<unknown>): void {
    this.#tasks.add(task);
    void task.finally(() => this.#tasks.delete(task));
  }

  /** Waits until no task is running. Attempts that have not ended after `graceMs` are aborted. */
  async drain(clock: Clock, graceMs: number): Promise<void> {
    const over = new AbortController();
    const idle = this.#idle();
    await Promise.race([idle, sleep(clock, graceMs, over.signal)]);
    over.abort();
    for (const attempt of this.attempts) attempt.abort(STOPPING);
    await idle;
  }

  async #idle(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.allSettled(this.#tasks);
  }
}
