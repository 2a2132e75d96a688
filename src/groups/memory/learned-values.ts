/** One scope of what was learned: in memory, and in the state by what a crash would cost. */
import type { Clock } from "../../model/clock.ts";
import { createInTurn, untilDone } from "../../model/in-turn.ts";
import type { Json } from "../../model/json.ts";
import type { LearnedStore } from "../../model/learned.ts";

/**
 * When a change is written:
 * - `stop`: with a regular write that something else needs, or at an orderly stop: times that moved
 *   on, which a crash may set back a little.
 * - `later`: a crash would cost a request at most. With the next regular write.
 * - `now`: a crash would cost several requests. With the next `flush`.
 */
export type WorthWriting = "stop" | "later" | "now";

const RANK = { stop: 0, later: 1, now: 2 } as const satisfies Record<WorthWriting, number>;

/** Others wait while values are written. */
const AT_ONCE = 1_000;

export interface LearnedOptions<Value> {
  readonly scope: string;
  readonly store: LearnedStore;
  readonly clock: Clock;
  /** The regular write. */
  readonly writeEveryMs: number;
  /**
   * A value as this release has it; undefined for one that is of no use any more, which is deleted.
   * Default: as stored.
   */
  readonly restore?: (stored: unknown, key: string) => Value | undefined;
}

export class LearnedValues<Value extends object> {
  readonly #options: LearnedOptions<Value>;
  readonly #values = new Map<string, Value>();
  /** What the state does not have yet. */
  readonly #unwritten = new Map<string, WorthWriting>();
  readonly #inTurn = createInTurn();
  #writtenAtMs: number;
  /** Reads the scope once; asked before every run. What was put before stays. */
  readonly load = untilDone(() => this.#loadAll((key) => this.#values.has(key)));

  constructor(options: LearnedOptions<Value>) {
    this.#options = options;
    this.#writtenAtMs = options.clock.monotonic();
  }

  /**
   * Reads the scope again, or these keys of it, as other processes may have written it. What the
   * state does not have yet stays.
   */
  reload(keys?: readonly string[]): Promise<void> {
    return this.#loadAll(() => false, keys);
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  /** The value of a key, read from the state where it is not in memory. */
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

  /** Forgets all others. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#values.keys()) if (!keys.has(key)) this.delete(key);
  }

  /** Writes what is due. @throws StoreError: what was not written stays due */
  flush(): Promise<void> {
    return this.#inTurn(() => this.#writeFrom(this.#leastDue()));
  }

  /** Writes all that is new: nothing more comes. */
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
