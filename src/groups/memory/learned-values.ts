/**
 * Learned values of one scope. They are kept in memory and written to the state. A value is written
 * sooner if its loss in a crash would cost more requests.
 */
import type { Clock } from "../../model/clock.ts";
import { createInTurn, untilDone } from "../../model/in-turn.ts";
import type { Json } from "../../model/json.ts";
import type { LearnedStore } from "../../model/learned.ts";

/**
 * When a changed value is written.
 * - `stop`: together with a write that other values need, or at an orderly stop. Suits times, which
 *   may be a little too early after a crash.
 * - `later`: with the next regular write. Losing the change in a crash costs at most one request.
 * - `now`: with the next call of `flush`. Losing the change in a crash costs several requests.
 */
export type WorthWriting = "stop" | "later" | "now";

const RANK = { stop: 0, later: 1, now: 2 } as const satisfies Record<WorthWriting, number>;

/**
 * The maximum number of values in one write to the state, because other work waits during a write.
 */
const AT_ONCE = 1_000;

export interface LearnedOptions<Value> {
  readonly scope: string;
  readonly store: LearnedStore;
  readonly clock: Clock;
  /** The time between regular writes, in ms. */
  readonly writeEveryMs: number;
  /**
   * Converts a stored value to the form of this release; undefined for a value that is of no use
   * any more, which is then deleted. If absent, values are used as they are stored.
   */
  readonly restore?: (stored: unknown, key: string) => Value | undefined;
}

export class LearnedValues<Value extends object> {
  readonly #options: LearnedOptions<Value>;
  readonly #values = new Map<string, Value>();
  /** Changes that are not written to the state yet. */
  readonly #unwritten = new Map<string, WorthWriting>();
  readonly #inTurn = createInTurn();
  #writtenAtMs: number;
  /**
   * Loads the scope from the state. Called before every run, but only the first call loads. Values
   * that were put before the call are kept.
   */
  readonly load = untilDone(() => this.#loadAll((key) => this.#values.has(key)));

  constructor(options: LearnedOptions<Value>) {
    this.#options = options;
    this.#writtenAtMs = options.clock.monotonic();
  }

  /**
   * Loads the whole scope or these keys again, because other processes may have changed them.
   * Changes that are not written yet are kept.
   */
  reload(keys?: readonly string[]): Promise<void> {
    return this.#loadAll(() => false, keys);
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  /** Returns the value of a key. A value that is not in memory is read from the state. */
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

  /** Deletes all values except those of these keys. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#values.keys()) if (!keys.has(key)) this.delete(key);
  }

  /**
   * Writes the changes that are due.
   * @throws StoreError; changes that were not written stay due
   */
  flush(): Promise<void> {
    return this.#inTurn(() => this.#writeFrom(this.#leastDue()));
  }

  /** Writes all changes. Call it when no more changes follow. */
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
