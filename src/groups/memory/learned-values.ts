/**
 * Learned values of one scope: kept in memory, and written to the state depending on what their
 * loss in a crash would cost.
 */
import type { Clock } from "../../model/clock.ts";
import { createInTurn, untilDone } from "../../model/in-turn.ts";
import type { Json } from "../../model/json.ts";
import type { LearnedStore } from "../../model/learned.ts";

/**
 * When a change is written.
 * - `stop`: together with a regular write that something else needs, or at an orderly stop. For
 *   times, which a crash may set back a little.
 * - `later`: with the next regular write. A crash would cost one request at most.
 * - `now`: with the next `flush`. A crash would cost several requests.
 */
export type WorthWriting = "stop" | "later" | "now";

const RANK = { stop: 0, later: 1, now: 2 } as const satisfies Record<WorthWriting, number>;

/** The number of values in one write, because other work waits during each write. */
const AT_ONCE = 1_000;

export interface LearnedOptions<Value> {
  readonly scope: string;
  readonly store: LearnedStore;
  readonly clock: Clock;
  /** The interval of regular writes. */
  readonly writeEveryMs: number;
  /**
   * Returns a value in this release's form; undefined for one that is no longer of use, which is
   * deleted. By default, values are used as stored.
   */
  readonly restore?: (stored: unknown, key: string) => Value | undefined;
}

export class LearnedValues<Value extends object> {
  readonly #options: LearnedOptions<Value>;
  readonly #values = new Map<string, Value>();
  /** Changes that the state does not have yet. */
  readonly #unwritten = new Map<string, WorthWriting>();
  readonly #inTurn = createInTurn();
  #writtenAtMs: number;
  /**
   * Loads the scope from the state. It is called before every run, and only the first call loads.
   * Values that were put before are kept.
   */
  readonly load = untilDone(() => this.#loadAll((key) => this.#values.has(key)));

  constructor(options: LearnedOptions<Value>) {
    this.#options = options;
    this.#writtenAtMs = options.clock.monotonic();
  }

  /**
   * Reads the scope again, or only these keys, because other processes may have written it. Changes
   * that are not written yet are kept.
   */
  reload(keys?: readonly string[]): Promise<void> {
    return this.#loadAll(() => false, keys);
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  /** Returns the value of a key, read from the state if it is not in memory. */
  async find(key: string): Promise<Value | undefined> {
    if (!this.#values.has(key)) await this.reload([key]);
    return this.#values.get(key);
  }

  entries(): readonly (readonly [string, Value])[] {
    return [...this.#values];
  }

  put(key: string, value: Value, worth: WorthWriting = "later"): void {
    this.#values.set(key, value);
    this.#mark(key, worth);
  }

  delete(key: string): void {
    if (this.#values.delete(key)) this.#mark(key, "later");
  }

  /** Deletes all values but those of these keys. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#values.keys()) if (!keys.has(key)) this.delete(key);
  }

  /**
   * Writes what is due.
   * @throws StoreError; what was not written stays due
   */
  flush(): Promise<void> {
    return this.#inTurn(() => this.#writeFrom(this.#leastDue()));
  }

  /** Writes all changes. Nothing is changed afterwards. */
  close(): Promise<void> {
    return this.#inTurn(() => this.#writeFrom("stop"));
  }

  #mark(key: string, worth: WorthWriting): void {
    const before = this.#unwritten.get(key);
    if (before === undefined || RANK[worth] > RANK[before]) this.#unwritten.set(key, worth);
  }

  #leastDue(): WorthWriting {
    const { clock, writeEveryMs } = this.#options;
    return clock.monotonic() - this.#writtenAtMs >= writeEveryMs ? "later" : "now";
  }

  async #loadAll(isKept: (key: string) => boolean, keys?: readonly string[]): Promise<void> {
    const { store, scope, restore = (stored: unknown) => stored as Value } = this.#options;
    for (const [key, stored] of await store.loadLearned(scope, keys)) {
      if (isKept(key) || this.#unwritten.has(key)) continue;
      const value = restore(stored, key);
      if (value === undefined) this.#mark(key, "later");
      else this.#values.set(key, value);
    }
  }

  async #writeFrom(least: WorthWriting): Promise<void> {
    const { clock } = this.#options;
    if (RANK[least] <= RANK.later) this.#writtenAtMs = clock.monotonic();
    const due = [...this.#unwritten].filter(([, worth]) => RANK[worth] >= RANK[least]);
    if (due.length === 0) return;
    if (least === "later") return this.#writeFrom("stop");
    for (let at = 0; at < due.length; at += AT_ONCE) await this.#write(due.slice(at, at + AT_ONCE));
  }

  async #write(due: readonly (readonly [string, WorthWriting])[]): Promise<void> {
    const { store, scope } = this.#options;
    for (const [key] of due) this.#unwritten.delete(key);
    const changes = new Map(
      due.map(([key]) => [key, (this.#values.get(key) ?? null) as Json | null]),
    );
    try {
      await store.saveLearned(scope, changes);
    } catch (error) {
      for (const [key, worth] of due) this.#mark(key, worth);
      throw error;
    }
  }
}
