/**
 * A map for very many keys. A `Map` that grows copies all of its entries at once, which blocks the
 * process for 30 ms and more at a hundred thousand entries. This map consists of many small maps,
 * and lets other work run while it is read.
 */
import { yieldToEventLoop } from "../../model/steps.ts";

const PARTS = 256;

export class LargeMap<Value> {
  readonly #parts = Array.from({ length: PARTS }, () => new Map<string, Value>());

  get(key: string): Value | undefined {
    return this.#partOf(key).get(key);
  }

  set(key: string, value: Value): void {
    this.#partOf(key).set(key, value);
  }

  /** Returns the entries of one small map after the other, in no particular order. */
  async *parts(): AsyncGenerator<ReadonlyMap<string, Value>, void> {
    for (const part of this.#parts) {
      if (part.size === 0) continue;
      yield part;
      await yieldToEventLoop();
    }
  }

  #partOf(key: string): Map<string, Value> {
    const last = key.length - 1;
    // The last characters of ids and handles differ most. For a short key the hash is NaN, which
    // selects part 0.
    const hash =
      key.charCodeAt(last) * 31 + key.charCodeAt(last - 1) * 7 + key.charCodeAt(last - 2);
    return this.#parts[hash % PARTS] ?? (this.#parts[0] as Map<string, Value>);
  }
}
