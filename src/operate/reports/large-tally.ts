/**
 * Counts how often each of many names appears. It keeps numbers, not an object for each name, for
 * the reason that `large-id-set.ts` gives.
 */
import { LargeMap } from "./large-map.ts";

export interface Tallied {
  readonly key: string;
  readonly handle: string;
  readonly name: string;
  readonly count: number;
}

const MIN_PLACES = 1 << 10;

export class LargeTally {
  /** The place of each name: the number of others that were counted before it was first. */
  readonly #places = new LargeMap<number>();
  #counts = new Uint32Array(MIN_PLACES);
  readonly #handles: string[] = [];
  readonly #names: string[] = [];

  /** Counts a name. What is shown of it is that of the first time. */
  add(key: string, handle = "", name = ""): void {
    const known = this.#places.get(key);
    const place = known ?? this.#handles.length;
    if (known === undefined) {
      this.#places.set(key, place);
      this.#handles.push(handle);
      this.#names.push(name);
      if (place === this.#counts.length) {
        const more = new Uint32Array(2 * place);
        more.set(this.#counts);
        this.#counts = more;
      }
    }
    this.#counts[place] = this.#countAt(place) + 1;
  }

  #countAt(place: number): number {
    return this.#counts[place] ?? 0;
  }

  /**
   * Returns the highest counts; of equal ones, the first. It passes over the counts once, because
   * there may be many, and gives way to other work.
   */
  async highest(most: number): Promise<readonly Tallied[]> {
    const found: { readonly key: string; readonly place: number }[] = [];
    const isBefore = (a: number, b: number): boolean =>
      this.#countAt(a) > this.#countAt(b) || (this.#countAt(a) === this.#countAt(b) && a < b);
    for await (const part of this.#places.parts())
      for (const [key, place] of part) {
        const lowest = found.length === most ? found.at(-1) : undefined;
        if (lowest !== undefined && !isBefore(place, lowest.place)) continue;
        const at = found.findIndex((other) => isBefore(place, other.place));
        found.splice(at < 0 ? found.length : at, 0, { key, place });
        found.length = Math.min(found.length, most);
      }
    return found.map(({ key, place }) => ({
      key,
      handle: this.#handles[place] ?? "",
      name: this.#names[place] ?? "",
      count: this.#countAt(place),
    }));
  }
}
