/**
 * Polls fresh tweets again, a hundred a request over all watches that follow any. What is due stands in the state, so a crash or a restart
 * loses no recheck and alerts nobody twice: what was due meanwhile is read once. Owns when; what one batch does is recheck-batch.ts's.
 */
import { nextRecheckMs } from "../../detect/recheck.ts";
import { BATCH_SIZE } from "../../model/batch.ts";
import type { Cancel } from "../../model/clock.ts";
import type { Ports } from "../../model/ports.ts";
import type { RecheckStore } from "../../model/recheck.ts";
import type { Priority } from "../../model/schedule.ts";
import type { StoreWatch } from "../../model/store-health.ts";
import type { PlannedWatch } from "../../plan/polls/plan-polls.ts";
import { pacedMs } from "../../polling/evaluate/evaluate-recheck.ts";
import { createJumpWatch, type JumpWatch } from "../../schedule/misfire.ts";
import type { WatchType } from "../../watches/watch-type.ts";
import { type RecheckBatchDeps, RecheckBatches, reportFailure } from "./recheck-batch.ts";

export interface RecheckDeps extends Omit<RecheckBatchDeps, "following"> {
  readonly store: RecheckBatchDeps["store"] & RecheckStore;
  readonly storeWatch: Pick<StoreWatch, "trouble" | "takeError">;
  /** Those that are polled now. */
  readonly watches: () => readonly PlannedWatch<WatchType<any>>[];
}

export interface RecheckLoop {
  start(): void;
  /** Reads the clock again: what is due by it is read. */
  wake(): void;
  /** Looks may go faster than when they were put off. */
  reschedule(): void;
  /** Resolves when a recheck under way is done. */
  stop(): Promise<void>;
}

/** Wake at least so often: what could not be asked is tried again, and the clock may have been set. */
const LONGEST_SLEEP_MS = 60_000;

export function createRecheckLoop(deps: RecheckDeps): RecheckLoop {
  const { store, storeWatch, gate, clock, hash, meter, log, trace, route, wakeDelivery, findEdits, slowDownOf, watches } = deps;
  const following = () => watches().filter(({ watch, paused }) => watch.recheck !== undefined && !paused);
  const batches = new RecheckBatches({
    store,
    storeWatch,
    gate,
    clock,
    hash,
    meter,
    log,
    trace,
    route,
    wakeDelivery,
    ...(findEdits === undefined ? {} : { findEdits }),
    slowDownOf,
    following,
  });
  return new TimedRechecks({ store, storeWatch, clock, log, slowDownOf, following, batches });
}

interface TimedRecheckDeps extends Pick<Ports, "clock" | "log"> {
  readonly store: Pick<RecheckStore, "dueRechecks" | "runRechecksNow">;
  readonly storeWatch: Pick<StoreWatch, "trouble" | "takeError">;
  readonly slowDownOf: (priority: Priority) => number;
  readonly following: RecheckBatchDeps["following"];
  readonly batches: Pick<RecheckBatches, "run">;
}

class TimedRechecks implements RecheckLoop {
  readonly #deps: TimedRecheckDeps;
  readonly #jumps: JumpWatch;
  #cancel: Cancel | undefined;
  #running: Promise<void> = Promise.resolve();
  /** Also at the start: the quota may have been raised meanwhile. */
  #isPaceNew = true;
  #isStopped = false;

  constructor(deps: TimedRecheckDeps) {
    this.#deps = deps;
    this.#jumps = createJumpWatch(deps.clock.now(), deps.clock.monotonic());
  }

  start(): void {
    this.wake();
  }

  wake(): void {
    this.#cancel?.();
    this.#running = this.#running
      .then(() => (this.#isStopped ? undefined : this.#runDue()))
      .catch((error: unknown) => reportFailure(error, this.#deps))
      .finally(() => this.#arm());
  }

  reschedule(): void {
    this.#isPaceNew = true;
  }

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
    return this.#deps.following().flatMap(({ watch }) => watch.recheck?.everyMs ?? []);
  }

  async #runDue(): Promise<void> {
    const { clock, storeWatch, store, batches } = this.#deps;
    // What was due by a clock that was ahead would wait as long as it was set back.
    if (this.#jumps.observe(clock.now(), clock.monotonic()) < 0) this.#isPaceNew = true;
    if (this.#isPaceNew && storeWatch.trouble === undefined) await this.#runNow();
    while (!this.#isStopped && storeWatch.trouble === undefined && this.#intervalsMs().length > 0) {
      const rows = await store.dueRechecks(clock.now(), BATCH_SIZE);
      if (rows.length === 0 || !(await batches.run(rows))) return;
    }
  }

  /** What was put off for longer than anything is now; looks that are due keep their turn. */
  async #runNow(): Promise<void> {
    const { following, clock, slowDownOf, store } = this.#deps;
    this.#isPaceNew = false;
    try {
      for (const { watch, watchKey } of following()) {
        const [nowMs, everyMs] = [clock.now(), pacedMs(watch, slowDownOf(watch.priority))];
        await store.runRechecksNow(watchKey, nowMs + everyMs, nextRecheckMs(nowMs, everyMs));
      }
    } catch (error) {
      this.#isPaceNew = true;
      throw error;
    }
  }
}
