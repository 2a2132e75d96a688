/**
 * Simulates the network between a replica and the simulated server. During a partition no packet
 * arrives in either direction, and neither side is notified. A call fails only after its timeout,
 * or when the partition is over and the other side has closed the connection.
 */
import { type Clock, sleep } from "../../../../src/model/clock.ts";

export class Way {
  readonly #clock: Clock;
  #untilMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  part(forMs: number): void {
    this.#untilMs = Math.max(this.#untilMs, this.#clock.monotonic() + forMs);
  }

  get isParted(): boolean {
    return this.#clock.monotonic() < this.#untilMs;
  }

  /**
   * Passes a call to the server. @param withinMs the timeout for an answer. @throws as the driver
   * does
   */
  async pass<Result>(withinMs: number, go: () => Result | Promise<Result>): Promise<Result> {
    if (this.isParted) await this.#wait(withinMs);
    const result = await go();
    if (this.isParted) await this.#wait(withinMs);
    return result;
  }

  /** Calls `deliver` when the other end can be reached. */
  later(deliver: () => void): void {
    if (this.isParted)
      this.#clock.after(this.#untilMs - this.#clock.monotonic(), () => this.later(deliver));
    else deliver();
  }

  async #wait(withinMs: number): Promise<void> {
    const beganMs = this.#clock.monotonic();
    while (this.isParted) {
      const leftMs = beganMs + withinMs - this.#clock.monotonic();
      if (leftMs <= 0) throw new Error("Query read timeout");
      await sleep(this.#clock, Math.min(leftMs, this.#untilMs - this.#clock.monotonic()));
    }
  }
}

/** Passes every call of the target over the network, except for the methods in `silent`. */
export const over = <T extends object>(
  way: Way,
  withinMs: number,
  target: T,
  silent: readonly (keyof T)[],
): T =>
  new Proxy(target, {
    get(of, name) {
      const value: unknown = Reflect.get(of, name);
      if (typeof value !== "function" || silent.includes(name as keyof T)) return value;
      return (...args: unknown[]) => way.pass(withinMs, () => value.apply(of, args) as unknown);
    },
  });
