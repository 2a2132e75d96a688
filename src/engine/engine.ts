/**
 * Runs the polling half of the daemon: keeps the plan up to date with watches and targets, runs the
 * polls, and reports how they go.
 */
import type { GroupRun } from "../polling/run/poll-run.ts";
import { shardOf } from "../model/replicas.ts";
import { yieldAfter } from "../model/steps.ts";
import type { PollAftermath } from "../model/poll-aftermath.ts";
import type { Watch } from "../model/watch.ts";
import type { Poll } from "../polling/watch-poll.ts";
import { createEngineParts, type EngineDeps, type EngineParts } from "./engine-parts.ts";
import { STORE_RETRY_MS } from "./health/store-monitor.ts";
import { countGaps, type OpenGaps } from "./loop/poll-history.ts";
import type { PollLoop } from "./loop/poll-loop.ts";
import type { EngineWatch } from "./planned-watches.ts";
import { type SlowedWatch, slowedWatches } from "./quota/slowed-watches.ts";

const ANSWER_GRACE_MS = 3_000;

export class Engine {
  readonly #deps: Pick<
    EngineDeps,
    | "polls"
    | "store"
    | "share"
    | "gate"
    | "storeMonitor"
    | "quotaMonitor"
    | "timetable"
    | "clock"
    | "log"
  >;
  readonly #parts: EngineParts;
  #isLeading = false;

  constructor(deps: EngineDeps) {
    this.#deps = deps;
    this.#parts = createEngineParts(deps);
  }

  /**
   * Replaces the active watches, at the start and at every reload. Polls that are also in the new
   * plan keep their memory and due times.
   */
  async setWatches(watches: readonly EngineWatch[]): Promise<void> {
    await this.#parts.watches.set(watches);
    await this.#parts.planner.replan();
    await yieldAfter(watches);
    this.#resolveTargets(true);
  }

  /** Makes a new plan after watches were paused or resumed in the state, or got other targets. */
  async watchesChanged(watchIds: readonly string[]): Promise<void> {
    if (watchIds.length === 0) return;
    await this.#parts.watches.readAgain(watchIds);
    await this.#parts.planner.replan();
    this.#resolveTargets();
  }

  /**
   * Starts to run the polls that were assigned to this replica. Reads learned values again first,
   * because the replicas that ran these polls before may have changed them.
   */
  async takeShare(): Promise<void> {
    await this.#parts.runners.reload();
    await this.#parts.planner.takeShare();
  }

  /**
   * Sets the watches after another process changed the state. Reads learned values again first,
   * because other replicas may have changed them, too.
   */
  async readAgain(watches: readonly EngineWatch[]): Promise<void> {
    await this.#parts.runners.reload();
    await this.setWatches(watches);
  }

  start(): void {
    const { loop, stalls, gaps, runners } = this.#parts;
    loop.start({
      runPoll: (poll) => this.#run(poll),
      nextDueMs: (poll) => runners.nextDueMs(poll),
    });
    stalls.start();
    gaps.start();
    if (this.#deps.share.isLeading()) this.#beginLeading();
  }

  /** Starts the work that only the leading replica does, unless it has started already. */
  lead(): void {
    if (this.#isLeading) return;
    this.#beginLeading();
    this.#resolveTargets(true);
  }

  async stop(): Promise<void> {
    const { loop, stalls, gaps, rechecks, runners, resolver, lists, volume } = this.#parts;
    const { gate, clock, log } = this.#deps;
    stalls.stop();
    gaps.stop();
    const lookups = [resolver.stop(), lists.stop()];
    gate.close();
    // Requests under way will be billed, so their answers get a short wait. Requests that take
    // longer are aborted.
    const cancelAbort = clock.after(ANSWER_GRACE_MS, () => gate.abort());
    await Promise.all([loop.stop(), rechecks.stop(), ...lookups]);
    cancelAbort();
    for (const learned of [runners, volume])
      await learned
        .close()
        .catch((error: unknown) => log.warn("learned values could not be stored", { error }));
  }

  /** Writes what the groups have learned from their reads so far. @throws StoreError */
  writeLearned(): Promise<void> {
    return this.#parts.runners.close();
  }

  get polls(): readonly Poll[] {
    return this.#deps.polls.all;
  }

  /** Returns the polls that serve a watch. */
  pollsOf(watchId: string): readonly Poll[] {
    return this.#deps.polls.of(watchId);
  }

  /** Returns when a watch is polled next, in epoch ms; undefined while it has no planned poll. */
  nextPollAt(watchId: string): number | undefined {
    const { history, loop } = this.#parts;
    // If the quota is spent, only polls that never ran are made before the period ends.
    const soonestMs = (key: string) =>
      history.lastPolledAtMs.has(key) ? this.#deps.quotaMonitor.heldUntilMs : 0;
    const times = this.pollsOf(watchId).flatMap(({ key }) => {
      const dueMs = loop.nextDueAt(key);
      return dueMs === undefined ? [] : [Math.max(dueMs, soonestMs(key))];
    });
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /**
   * Returns the given watches that the quota slows down, by watch id, including those that other
   * replicas poll.
   */
  slowedWatches(watches: readonly Watch[]): Promise<ReadonlyMap<string, SlowedWatch>> {
    const { share, clock, quotaMonitor, store, timetable } = this.#deps;
    const pollsOf = (watchId: string) => this.pollsOf(watchId);
    return slowedWatches(
      { share, clock, quotaMonitor, store, timetable, pollsOf, loop: this.#parts.loop },
      watches,
    );
  }

  /** Returns when a poll that serves a watch last succeeded, in epoch ms; undefined if none has. */
  lastSuccessAt(watchId: string): number | undefined {
    const { lastOkAtMs } = this.#parts.history;
    const times = this.pollsOf(watchId).flatMap(({ key }) => lastOkAtMs.get(key) ?? []);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  /** Returns why the last run of a poll failed; "" if it succeeded. */
  problemOf(pollKey: string): string {
    return this.#parts.history.problems.get(pollKey) ?? "";
  }

  /** Returns how many pages the running first reads have read so far, by watch id. */
  firstReadPages(): ReadonlyMap<string, number> {
    return this.#parts.runner.firstReadPages();
  }

  /** Returns the gaps in the covered ranges of all planned feeds. */
  openGaps(): Promise<readonly OpenGaps[]> {
    return this.#parts.history.openGaps(this.polls, this.#deps.store);
  }

  /** Counts the open gaps that this replica fills. */
  async countOwnGaps(): Promise<number> {
    const own = this.polls.filter(({ key }) => this.#deps.share.holds("poll", shardOf(key)));
    return countGaps(await this.#parts.history.openGaps(own, this.#deps.store));
  }

  /**
   * Makes all polls due now. Called when the cause of a stop is gone: the state can be written
   * again, or there is a new key.
   */
  runAllNow(): void {
    for (const { key } of this.polls) this.#parts.loop.runNow(key);
    this.#resolveTargets();
  }

  /** Reads the clock again and runs what is due. */
  wake(): void {
    this.#parts.loop.wake();
    this.#parts.rechecks.wake();
  }

  /** Computes due times again, because the slow-down factors changed. */
  reschedule(): void {
    this.#parts.loop.reschedule();
    this.#parts.rechecks.reschedule();
  }

  get loop(): Pick<PollLoop, "lastTurnMs" | "running" | "overdueMs"> {
    return this.#parts.loop;
  }

  #beginLeading(): void {
    this.#isLeading = true;
    this.#parts.rechecks.start();
  }

  /**
   * Looks up handles, then checks the lists through which accounts are read. In this order, one
   * answer for a list serves all accounts that were just found. `isAsked` is true if an operator's
   * action caused the check.
   */
  #resolveTargets(isAsked = false): void {
    const { resolver, lists } = this.#parts;
    if (!this.#deps.share.isLeading()) return;
    void resolver.resolve().then(() => lists.check(isAsked));
  }

  async #run(poll: Poll): Promise<PollAftermath> {
    const { storeMonitor, clock } = this.#deps;
    if (storeMonitor.trouble !== undefined) return { retryAtMs: clock.now() + STORE_RETRY_MS };
    let run: GroupRun | undefined;
    const { aftermath } = await this.#parts.attempts.run(poll, async () => {
      run = await this.#parts.runners.run(poll);
      return run.outcome;
    });
    return { ...aftermath, nextDueMs: run?.nextDueMs };
  }
}
