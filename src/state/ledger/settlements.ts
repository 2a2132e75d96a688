/**
 * Keeps the ends of requests in memory until they are written to the ledger, which happens with the
 * next commit or at most 10 ms later. Without this, a poll would wait for the disk twice, for its
 * requests and for its results. If the process crashes before the write, a request seems unanswered
 * and occupies its slot of the rate limit a little longer, which never exceeds a limit.
 */
import type { Cancel, Clock } from "../../model/clock.ts";
import { type Executor, statement, transact, transactUnsynced } from "../db/statement.ts";

const LATEST_MS = 10;

interface Settlement {
  readonly id: number;
  readonly at: number;
  readonly status: number | null;
}

const markAnswered = statement<Settlement>()((on, slot) =>
  on
    .updateTable("ledger")
    .set({ answered: 1, slot_at: slot("at"), status: slot("status") })
    .where("id", "=", slot("id")),
);

export class Settlements {
  readonly #db: Executor;
  readonly #clock: Clock;
  #waiting: readonly Settlement[] = [];
  readonly #underWay = new Set<Promise<unknown>>();
  #cancel: Cancel | undefined;

  constructor(db: Executor, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /**
   * Adds the end of a request. The request's slot becomes free one rate interval after this time,
   * whatever the answer was.
   */
  add(ledgerId: string, atMs: number, status: number | null): void {
    this.#waiting = [...this.#waiting, { id: Number(ledgerId), at: atMs, status }];
    this.#cancel ??= this.#clock.after(LATEST_MS, () => {
      this.#cancel = undefined;
      // The error is ignored, because polls report a disk that cannot be written. The waiting ends
      // are written with the next commit that succeeds.
      void this.write().catch(() => undefined);
    });
  }

  /**
   * Runs all of `work` and writes the waiting ends of requests in one transaction. If the
   * transaction fails, neither takes effect, and the ends wait for the next write.
   */
  async transact<Result>(
    work: (on: Executor) => Promise<Result>,
    scopes: readonly string[],
    { isSynced = true }: { readonly isSynced?: boolean } = {},
  ): Promise<Result> {
    const taken = this.#waiting;
    this.#waiting = [];
    const run = isSynced ? transact : transactUnsynced;
    const writing = run(
      this.#db,
      async (on) => {
        // Ends are written in the order of ids, like other rows of the ledger, so that no deadlock
        // can arise.
        for (const one of [...taken].sort((a, b) => a.id - b.id)) await markAnswered(on, one);
        return work(on);
      },
      scopes,
    );
    this.#underWay.add(writing);
    try {
      return await writing;
    } catch (error) {
      this.#waiting = [...taken, ...this.#waiting];
      throw error;
    } finally {
      this.#underWay.delete(writing);
      if (this.#waiting.length + this.#underWay.size === 0) this.#stopTimer();
    }
  }

  /** Writes all waiting ends. Resolves when they are written. */
  async write(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    if (this.#waiting.length > 0) await this.transact(async () => undefined, []);
  }

  /** Writes the waiting ends, if the state can be written. */
  async close(): Promise<void> {
    this.#stopTimer();
    await this.write().catch(() => undefined);
  }

  #stopTimer(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
