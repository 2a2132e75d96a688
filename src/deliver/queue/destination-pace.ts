/**
 * Computes when the next message may be sent to a destination, which several sinks may share. It
 * follows the vendor's documented limits and the waits that answers ask for. Messages wait in
 * stages/pace.ts. All times are monotonic ms.
 */
import type { SendLimit } from "../../model/sink.ts";

export class DestinationPace {
  readonly #limits: readonly SendLimit[];
  /** The start times of the latest attempts, as many as the limits need. */
  #startsMs: readonly number[] = [];
  #holdUntilMs = 0;

  constructor(limits: readonly SendLimit[] = []) {
    this.#limits = limits;
  }

  /** Returns the earliest time for the next attempt, in the past if it may start now. */
  freeAtMs(): number {
    const times = this.#limits.map(({ count, intervalMs }) => {
      const startMs = this.#startsMs.at(-count);
      return startMs === undefined ? 0 : startMs + intervalMs;
    });
    return Math.max(this.#holdUntilMs, ...times);
  }

  started(atMs: number): void {
    const most = Math.max(0, ...this.#limits.map(({ count }) => count));
    this.#startsMs = most === 0 ? [] : [...this.#startsMs, atMs].slice(-most);
  }

  /** Allows no attempt before a time that an answer asked for. */
  holdUntil(atMs: number): void {
    this.#holdUntilMs = Math.max(this.#holdUntilMs, atMs);
  }
}
