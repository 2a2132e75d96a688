/**
 * How far the server's clock is ahead of this machine's. All replicas go by it, also where they
 * count the requests of the last second: two that differ by half a second would send too many. An
 * answer that was long on its way is uncertain by half of that time, so it takes the place of a
 * better one only where the better one has become as uncertain by drift, or cannot be true any
 * more: a clock was set.
 */
import type { Clock } from "../../model/clock.ts";

/** A clock that is set, or drifts, is noticed within so long. */
const READ_EVERY_MS = 10_000;
/** How fast two clocks part at most: 200 parts in a million. */
const DRIFT = 0.000_2;
/** What is known better than this needs no second question. */
const EXACT_MS = 10;

export class ServerClock {
  readonly #clock: Clock;
  #aheadMs = 0;
  /** The error bound of the offset at the time of its measurement, ms. */
  #errorMs = Number.POSITIVE_INFINITY;
  /** When the answer that counts was read, and when any was, monotonic. */
  #takenMs = 0;
  #askedMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get aheadMs(): number {
    return this.#aheadMs;
  }

  isDue(): boolean {
    return this.#clock.monotonic() - this.#askedMs >= READ_EVERY_MS;
  }

  isExact(): boolean {
    return this.#errorMs <= EXACT_MS;
  }

  /** The next reading is due at once. */
  forgetAge(): void {
    this.#askedMs = Number.NEGATIVE_INFINITY;
  }

  /** `ask`: what the server's clock shows. */
  async read(ask: () => Promise<number>): Promise<void> {
    const askedMs = this.#clock.monotonic();
    const serverMs = await ask();
    const nowMs = this.#clock.monotonic();
    const errorMs = (nowMs - askedMs) / 2;
    const aheadMs = Math.round(serverMs + errorMs - this.#clock.now());
    this.#askedMs = askedMs;
    const knownToMs = this.#errorMs + (nowMs - this.#takenMs) * DRIFT;
    const isPossible = Math.abs(aheadMs - this.#aheadMs) <= errorMs + knownToMs;
    if (errorMs > knownToMs && isPossible) return;
    this.#aheadMs = aheadMs;
    this.#errorMs = errorMs;
    this.#takenMs = nowMs;
  }
}
