/**
 * Answers on their way into the ledger. They are written with the next commit, at the latest 10 ms
 * later: a poll that waited for the disk once for its answer and once for what it found would be
 * stored later and cost twice. What a crash loses counts as unknown, and keeps its slot a while
 * longer: the safe side.
 */
import type { Cancel, Clock } from "../../model/clock.ts";
import { type Executor, statement, transact } from "../db/statement.ts";

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

  /** From here on the slot is free one interval later, whatever the answer was. */
  add(ledgerId: string, atMs: number, status: number | null): void {
    this.#waiting = [...this.#waiting, { id: Number(ledgerId), at: atMs, status }];
    this.#cancel ??= this.#clock.after(LATEST_MS, () => {
      this.#cancel = undefined;
      // Polls report a disk that takes nothing; what waits goes with the next commit that succeeds.
      void this.write().catch(() => undefined);
    });
  }

  /** Everything in `work` and what waits here, or nothing: then it waits again. */
  async transact<Result>(
    work: (on: Executor) => Promise<Result>,
    scopes: readonly string[],
  ): Promise<Result> {
    const taken = this.#waiting;
    this.#waiting = [];
    const writing = transact(
      this.#db,
      async (on) => {
        // In the order of ids, as whoever else writes several rows of the ledger: nobody waits in a
        // circle.
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

  /** Resolves once all that were added are written. */
  async write(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    if (this.#waiting.length > 0) await this.transact(async () => undefined, []);
  }

  /** Writes what waits, if that is possible at all. */
  async close(): Promise<void> {
    this.#stopTimer();
    await this.write().catch(() => undefined);
  }

  #stopTimer(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
