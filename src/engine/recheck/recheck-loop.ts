/**
 * Polls fresh tweets again, a hundred a request over all watches that follow any. What is due
 * stands in the state, so a crash or a restart loses no recheck and alerts nobody twice: what was
 * due meanwhile is read once. Owns when; what one batch does is recheck-batch.ts's.
 */
import { nextRecheckMs } from "../../detect/recheck.ts";
import { BATCH_SIZE } from "../../model/batch.ts";
import type { Cancel } from "../../model/clock.ts";
import { pacedMs } from "../../polling/evaluate/evaluate-recheck.ts";
import { createJumpWatch, type JumpWatch } from "../../schedule/misfire.ts";
import { rechecked, RecheckBatches, type RecheckDeps, reportFailure } from "./recheck-batch.ts";

/**
 * Wake at least so often: what could not be asked is tried again, and the clock may have been set.
 */
const LONGEST_SLEEP_MS = 60_000;

export class RecheckLoop {
  readonly #deps: RecheckDeps;
  readonly #batches: RecheckBatches;
  readonly #jumps: JumpWatch;
  #cancel: Cancel | undefined;
  #running: Promise<void> = Promise.resolve();
  /** Also at the start: the quota may have been raised meanwhile. */
  #isPaceNew = true;
  #isStopped = false;

  constructor(deps: RecheckDeps) {
    this.#deps = deps;
    this.#batches = new RecheckBatches(deps);
    this.#jumps = createJumpWatch(deps.clock.now(), deps.clock.monotonic());
  }

  start(): void {
    this.wake();
  }

  /** Reads the clock again: what is due by it is read. */
  wake(): void {
    this.#cancel?.();
    this.#running = this.#running
      .then(() => (this.#isStopped ? undefined : this.#runDue()))
      .catch((error: unknown) => reportFailure(error, this.#deps))
      .finally(() => this.#arm());
  }

  /** Rechecks may come sooner than when they were scheduled. */
  reschedule(): void {
    this.#isPaceNew = true;
  }

  /** Resolves when a recheck under way is done. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#running;
  }

  #arm(): void {
    this.#cancel?.();
    if (this.#isStopped) return;
    const nowMs = this.#deps.clock.now();
    const waits = this.#intervalsMs().map((everyMs) => nextRecheckMs(nowMs, everyMs) - nowMs);
    this.#cancel = this.#deps.clock.after(Math.min(LONGEST_SLEEP_MS, ...waits), () => this.wake());
  }

  #intervalsMs(): readonly number[] {
    return rechecked(this.#deps).flatMap(({ watch }) => watch.recheck?.everyMs ?? []);
  }

  async #runDue(): Promise<void> {
    const { clock, storeWatch, store } = this.#deps;
    // What was due by a clock that was ahead would wait as long as it was set back.
    if (this.#jumps.observe(clock.now(), clock.monotonic()) < 0) this.#isPaceNew = true;
    if (this.#isPaceNew && storeWatch.trouble === undefined) await this.#runNow();
    while (!this.#isStopped && storeWatch.trouble === undefined && this.#intervalsMs().length > 0) {
      const rows = await store.dueRechecks(clock.now(), BATCH_SIZE);
      if (rows.length === 0 || !(await this.#batches.run(rows))) return;
    }
  }

  /** What was put off for longer than anything is now; looks that are due keep their turn. */
  async #runNow(): Promise<void> {
    const { clock, slowDownOf, store } = this.#deps;
    this.#isPaceNew = false;
    try {
      for (const { watch, watchKey } of rechecked(this.#deps)) {
        const [nowMs, everyMs] = [clock.now(), pacedMs(watch, slowDownOf(watch.priority))];
        await store.runRechecksNow(watchKey, nowMs + everyMs, nextRecheckMs(nowMs, everyMs));
      }
    } catch (error) {
      this.#isPaceNew = true;
      throw error;
    }
  }
}
