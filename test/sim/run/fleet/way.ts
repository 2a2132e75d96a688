/**
 * The way between a replica and the simulated server. While it is parted nothing gets through in
 * either direction, neither side hears of that, and what one of them waits for fails only once it
 * has waited long enough, or once the way is whole again and the other side has ended it.
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

  /** @param withinMs how long is waited for an answer. @throws as the driver does */
  async pass<Result>(withinMs: number, go: () => Result | Promise<Result>): Promise<Result> {
    if (this.isParted) await this.#wait(withinMs);
    const result = await go();
    if (this.isParted) await this.#wait(withinMs);
    return result;
  }

  /** Calls it once it can be heard at the other end. */
  later(hear: () => void): void {
    if (this.isParted)
      this.#clock.after(this.#untilMs - this.#clock.monotonic(), () => this.later(hear));
    else hear();
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

/** Every question to the target goes this way; what is not listed asks nothing. */
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
