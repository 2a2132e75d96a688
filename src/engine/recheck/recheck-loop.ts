/**
 * Requests fresh tweets again, up to a hundred in one request for all watches that recheck tweets.
 * Which rechecks are due is stored in the state, so a crash or a restart loses none and causes no
 * duplicate alerts. A recheck that came due several times during a downtime is made once.
 * `recheck-batch.ts` runs each batch.
 */
import { nextRecheckMs } from "../../detect/recheck.ts";
import { BATCH_SIZE } from "../../model/batch.ts";
import type { Cancel } from "../../model/clock.ts";
import { pacedMs } from "../../polling/evaluate/evaluate-recheck.ts";
import { createJumpMonitor, type JumpMonitor } from "../../schedule/misfire.ts";
import { rechecked, RecheckBatches, type RecheckDeps, reportFailure } from "./recheck-batch.ts";

/**
 * The longest wait between two turns of the loop. It is short, so that failed requests are soon
 * tried again and a changed clock is noticed.
 */
const MAX_SLEEP_MS = 60_000;

export class RecheckLoop {
  readonly #deps: RecheckDeps;
  readonly #batches: RecheckBatches;
  readonly #jumps: JumpMonitor;
  #cancel: Cancel | undefined;
  #running: Promise<void> = Promise.resolve();
  /**
   * Whether the due times of rechecks must be moved to an earlier time. True at the start, because
   * the quota may have been raised before it.
   */
  #isPaceNew = true;
  #isStopped = false;

  constructor(deps: RecheckDeps) {
    this.#deps = deps;
    this.#batches = new RecheckBatches(deps);
    this.#jumps = createJumpMonitor(deps.clock.now(), deps.clock.monotonic());
  }

  start(): void {
    this.wake();
  }

  /** Reads the clock again and runs what is due. */
  wake(): void {
    this.#cancel?.();
    this.#running = this.#running
      .then(() => (this.#isStopped ? undefined : this.#runDue()))
      .catch((error: unknown) => reportFailure(error, this.#deps))
      .finally(() => this.#arm());
  }

  /**
   * Makes the next turn of the loop move rechecks to an earlier time if they were scheduled while
   * polls were slower.
   */
  reschedule(): void {
    this.#isPaceNew = true;
  }

  /** Stops the loop. Resolves when a recheck under way is done. */
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
    this.#cancel = this.#deps.clock.after(Math.min(MAX_SLEEP_MS, ...waits), () => this.wake());
  }

  #intervalsMs(): readonly number[] {
    return rechecked(this.#deps).flatMap(({ watch }) => watch.recheck?.everyMs ?? []);
  }

  async #runDue(): Promise<void> {
    const { clock, storeMonitor, store } = this.#deps;
    // If the clock was set back, rechecks scheduled with the old time would be made too late.
    if (this.#jumps.observe(clock.now(), clock.monotonic()) < 0) this.#isPaceNew = true;
    if (this.#isPaceNew && storeMonitor.trouble === undefined) await this.#runNow();
    while (
      !this.#isStopped &&
      storeMonitor.trouble === undefined &&
      this.#intervalsMs().length > 0
    ) {
      const rows = await store.dueRechecks(clock.now(), BATCH_SIZE);
      if (rows.length === 0 || !(await this.#batches.run(rows))) return;
    }
  }

  /**
   * Moves rechecks to an earlier time if they are further away than the interval at the current
   * slow-down. Other rechecks keep their time.
   */
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
