/**
 * When the next message may go to one place, of which several sinks may be: by the limits that a
 * vendor documents, and by what its answers say. Knows only times; whoever waits is stages/pace.ts.
 * Times are the monotonic clock's.
 */
import type { SendLimit } from "../../model/sink.ts";

export class DestinationPace {
  readonly #limits: readonly SendLimit[];
  /** Of the latest attempts, as many as the limits count. */
  #startsMs: readonly number[] = [];
  #holdUntilMs = 0;

  constructor(limits: readonly SendLimit[] = []) {
    this.#limits = limits;
  }

  /** The earliest time for the next attempt; in the past when it may start now. */
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

  /** An answer said that the next message would come too early before that. */
  holdUntil(atMs: number): void {
    this.#holdUntilMs = Math.max(this.#holdUntilMs, atMs);
  }
}
