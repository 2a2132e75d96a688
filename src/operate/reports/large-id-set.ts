/**
 * A set of many numeric ids that holds no object for each: what lives long makes every full
 * collection of garbage longer, and one over 200,000 strings holds the event loop for 50 ms.
 */

const MIN_SLOTS = 1 << 10;
const WORD = 1n << 32n;
const MAX_ID = (1n << 64n) - 1n;
const NUMERIC = /^[1-9]\d{0,19}$/;

export class LargeIdSet {
  /** Two words for each slot, the upper one first. A slot of zeros is empty, because no id is 0. */
  #words = new Uint32Array(2 * MIN_SLOTS);
  #count = 0;
  /** What is no number of 64 bits. The service has no such ids, but its document does not say so. */
  readonly #others = new Set<string>();

  /** Adds an id. Returns whether it was absent. */
  add(id: string): boolean {
    const value = NUMERIC.test(id) ? BigInt(id) : 0n;
    if (value === 0n || value > MAX_ID) {
      const before = this.#others.size;
      return this.#others.add(id).size > before;
    }
    if (!this.#place(Number(value / WORD), Number(value % WORD))) return false;
    this.#count += 1;
    // At most half of the slots are full, so that a free one is near.
    if (4 * this.#count > this.#words.length) this.#grow();
    return true;
  }

  #place(upper: number, lower: number): boolean {
    const words = this.#words;
    const slots = words.length / 2;
    let slot = (Math.imul(lower ^ Math.imul(upper, 0x85eb_ca6b), 0x9e37_79b1) >>> 0) % slots;
    for (;;) {
      const [high, low] = [words[2 * slot], words[2 * slot + 1]];
      if (high === upper && low === lower) return false;
      if (high === 0 && low === 0) break;
      slot = (slot + 1) % slots;
    }
    words[2 * slot] = upper;
    words[2 * slot + 1] = lower;
    return true;
  }

  #grow(): void {
    const before = this.#words;
    this.#words = new Uint32Array(2 * before.length);
    for (let at = 0; at < before.length; at += 2) {
      const [upper = 0, lower = 0] = [before[at], before[at + 1]];
      if (upper !== 0 || lower !== 0) this.#place(upper, lower);
    }
  }
}
