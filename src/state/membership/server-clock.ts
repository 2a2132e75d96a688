/**
 * Measures how far the server's clock is ahead of this machine's. All replicas use the server's
 * time, even to count the requests of the last second: two replicas whose clocks differed by half a
 * second would send too many. If an answer took long, the offset measured with it is uncertain by
 * half of that time. Such an offset replaces a more exact one only if drift has made the older one
 * equally uncertain, or if the two cannot both be true because a clock was set.
 */
import type { Clock } from "../../model/clock.ts";

/**
 * How often the server's clock is read. A clock that was set, or drifts, is noticed within this
 * time.
 */
const READ_EVERY_MS = 10_000;
/** The maximum speed at which two clocks drift apart: 200 parts per million. */
const DRIFT = 0.000_2;
/** An offset with at most this error need not be read again. */
const EXACT_MS = 10;

export class ServerClock {
  readonly #clock: Clock;
  #aheadMs = 0;
  /** The error bound of the offset when it was measured, in ms. */
  #errorMs = Number.POSITIVE_INFINITY;
  /** When the current offset was measured, and when the clock was last read, in monotonic ms. */
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

  /** Makes the next reading due at once. */
  forgetAge(): void {
    this.#askedMs = Number.NEGATIVE_INFINITY;
  }

  /** Reads the server's clock. `ask` returns the server's time. */
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
