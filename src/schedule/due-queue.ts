/** The order in which polls are due: a binary heap with a place for every key. Knows no schedule and no clock. */
import type { Priority } from "../model/schedule.ts";

export interface DueEntry {
  readonly key: string;
  readonly dueMs: number;
  readonly priority: Priority;
}

export interface DueQueue<E extends DueEntry> {
  readonly size: number;
  /** Adds an entry, or moves the one with the same key. O(log n). */
  push(entry: E): void;
  /** Changes due time or priority of a waiting entry; false when none waits under that key. O(log n). */
  update(key: string, change: Partial<Omit<E, "key">>): boolean;
  /** False when none waits under that key. O(log n). */
  remove(key: string): boolean;
  get(key: string): E | undefined;
  /** What is due first: by time, then priority, then key. */
  peek(): E | undefined;
  /** Takes out what is due at `nowMs`, first one first, at most `limit`. */
  popDue(nowMs: number, limit?: number): readonly E[];
  /** Everything that waits, in no order. */
  entries(): readonly E[];
}

const RANK: Readonly<Record<Priority, number>> = { high: 0, normal: 1, low: 2 };

function isBefore(a: DueEntry, b: DueEntry): boolean {
  if (a.dueMs !== b.dueMs) return a.dueMs < b.dueMs;
  if (a.priority !== b.priority) return RANK[a.priority] < RANK[b.priority];
  return a.key < b.key;
}

export function createDueQueue<E extends DueEntry>(): DueQueue<E> {
  const heap: E[] = [];
  const places = new Map<string, number>();

  const put = (entry: E, place: number) => {
    heap[place] = entry;
    places.set(entry.key, place);
  };
  const rise = (entry: E, from: number): number => {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(entry, above)) break;
      put(above, place);
      place = parent;
    }
    put(entry, place);
    return place;
  };
  const sink = (entry: E, from: number) => {
    let place = from;
    for (;;) {
      const left = place * 2 + 1;
      const [a, b] = [heap[left], heap[left + 1]];
      const below = b !== undefined && a !== undefined && isBefore(b, a) ? b : a;
      if (below === undefined || !isBefore(below, entry)) break;
      put(below, place);
      place = below === a ? left : left + 1;
    }
    put(entry, place);
  };
  const settle = (entry: E, place: number) => sink(entry, rise(entry, place));

  const remove = (key: string): boolean => {
    const place = places.get(key);
    if (place === undefined) return false;
    places.delete(key);
    const last = heap.pop();
    if (last !== undefined && place < heap.length) settle(last, place);
    return true;
  };
  const push = (entry: E) => settle(entry, places.get(entry.key) ?? heap.length);
  const get = (key: string): E | undefined => heap[places.get(key) ?? -1];

  return {
    get size() {
      return heap.length;
    },
    push,
    get,
    remove,
    update(key, change) {
      const known = get(key);
      if (known !== undefined) push({ ...known, ...change });
      return known !== undefined;
    },
    peek: () => heap[0],
    popDue(nowMs, limit = Number.POSITIVE_INFINITY) {
      const due: E[] = [];
      for (let first = heap[0]; first !== undefined && first.dueMs <= nowMs && due.length < limit; first = heap[0]) {
        remove(first.key);
        due.push(first);
      }
      return due;
    },
    entries: () => [...heap],
  };
}
