/**
 * The polls in the order in which they are due: a binary heap with an index by key, so that each
 * entry can be changed and removed. Knows neither schedules nor clocks.
 */
import type { Priority } from "../model/schedule.ts";

export interface DueEntry {
  readonly key: string;
  readonly dueMs: number;
  readonly priority: Priority;
}

const RANK: Readonly<Record<Priority, number>> = { high: 0, normal: 1, low: 2 };

function isBefore(a: DueEntry, b: DueEntry): boolean {
  if (a.dueMs !== b.dueMs) return a.dueMs < b.dueMs;
  if (a.priority !== b.priority) return RANK[a.priority] < RANK[b.priority];
  return a.key < b.key;
}

export class DueQueue<E extends DueEntry> {
  readonly #heap: E[] = [];
  readonly #places = new Map<string, number>();

  get size(): number {
    return this.#heap.length;
  }

  /** Adds an entry, or replaces the one with the same key. O(log n). */
  push(entry: E): void {
    this.#reorder(entry, this.#places.get(entry.key) ?? this.#heap.length);
  }

  /**
   * Changes the due time or priority of a waiting entry. Returns false if no entry has that key.
   * O(log n).
   */
  update(key: string, change: Partial<Omit<E, "key">>): boolean {
    const known = this.get(key);
    if (known !== undefined) this.push({ ...known, ...change });
    return known !== undefined;
  }

  /** Removes an entry. Returns false if no entry has that key. O(log n). */
  remove(key: string): boolean {
    const place = this.#places.get(key);
    if (place === undefined) return false;
    this.#places.delete(key);
    const last = this.#heap.pop();
    if (last !== undefined && place < this.#heap.length) this.#reorder(last, place);
    return true;
  }

  get(key: string): E | undefined {
    return this.#heap[this.#places.get(key) ?? -1];
  }

  /** Returns the first entry: the order is by due time, then priority, then key. */
  peek(): E | undefined {
    return this.#heap[0];
  }

  /** Removes and returns the entries that are due at `nowMs`, in order, at most `limit` of them. */
  popDue(nowMs: number, limit = Number.POSITIVE_INFINITY): readonly E[] {
    const due: E[] = [];
    for (
      let first = this.peek();
      first !== undefined && first.dueMs <= nowMs && due.length < limit;
      first = this.peek()
    ) {
      this.remove(first.key);
      due.push(first);
    }
    return due;
  }

  /** Returns all waiting entries, in no particular order. */
  entries(): readonly E[] {
    return [...this.#heap];
  }

  /** Moves an entry up or down from `place` until the heap is in order. */
  #reorder(entry: E, place: number): void {
    this.#sink(entry, this.#rise(entry, place));
  }

  #put(entry: E, place: number): void {
    this.#heap[place] = entry;
    this.#places.set(entry.key, place);
  }

  #rise(entry: E, from: number): number {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = this.#heap[parent];
      if (above === undefined || !isBefore(entry, above)) break;
      this.#put(above, place);
      place = parent;
    }
    this.#put(entry, place);
    return place;
  }

  #sink(entry: E, from: number): void {
    let place = from;
    for (;;) {
      const left = place * 2 + 1;
      const [a, b] = [this.#heap[left], this.#heap[left + 1]];
      const below = b !== undefined && a !== undefined && isBefore(b, a) ? b : a;
      if (below === undefined || !isBefore(below, entry)) break;
      this.#put(below, place);
      place = below === a ? left : left + 1;
    }
    this.#put(entry, place);
  }
}
