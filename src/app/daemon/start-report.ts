/**
 * Logs a line for each watch after a start: what is known of the watch and when it is polled next.
 * Unlike other log messages, which are constant, these lines contain values, because people read
 * them.
 */
import type { EngineWatch } from "../../engine/planned-watches.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import { type Clock, isoTime } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import type { TargetState, WatchState, WatchStore } from "../../model/watch-store.ts";
import type { Watch } from "../../model/watch.ts";
import { notedItems } from "../../operate/views/status-view.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import { returnText } from "../../operate/pause.ts";

export interface StartReport {
  started(watches: readonly EngineWatch[]): void;
  /**
   * Reports the watches that `started` did not report, because another replica registered them
   * after this one had started.
   */
  readAgain(watches: readonly EngineWatch[]): void;
  /**
   * Called when a target cannot be read now, so that the line about its watch does not wait for it.
   */
  missing(watchId: string): void;
  polled(poll: Poll, outcome: PollOutcome | undefined): void;
}

export interface StartReportDeps {
  readonly store: Pick<WatchStore, "listWatches">;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns where a watch's alerts go, in words for people. */
  readonly sinkText: (watch: Watch) => string;
  readonly nextPollAt: (watchId: string) => number | undefined;
  /**
   * Whether another replica may read some targets of a watch first. Then only the state knows
   * whether the baseline is complete.
   */
  readonly isShared: boolean;
}

/**
 * How many ms a report waits before it reads the state. Thousands of watches may complete their
 * baselines at about the same time, and one read then serves all of them.
 */
const GATHER_MS = 50;
/**
 * The same wait for a state with several replicas. It is longer because another replica may
 * complete a baseline.
 */
const GATHER_SHARED_MS = 1_000;
/** A start logs a single line for all watches if more of them than this have their baseline. */
const MAX_LINES = 100;

export function createStartReport(deps: StartReportDeps): StartReport {
  /**
   * Watches whose baseline this process just completed. If other replicas read targets, too, only
   * the state shows whether the baseline is really complete.
   */
  const noted = new Set<Watch>();
  /**
   * Watches whose first line is still to be logged, with the number of targets that have no
   * baseline.
   */
  const waiting = new Map<string, { readonly watch: Watch; left: number }>();
  /** The keys of the watches that the report covers. */
  const known = new Set<string>();

  const countDown = (watchId: string) => {
    const entry = waiting.get(watchId);
    if (entry === undefined) return;
    entry.left -= 1;
    if (entry.left > 0 && !deps.isShared) return;
    if (noted.size === 0)
      deps.clock.after(
        entry.left > 0 ? GATHER_SHARED_MS : GATHER_MS,
        () => void report().catch(() => undefined),
      );
    noted.add(entry.watch);
  };

  const report = async (): Promise<void> => {
    const watches = [...noted];
    noted.clear();
    await reportRecorded(watches);
  };

  const nextPoll = (watchId: string): string => {
    const atMs = deps.nextPollAt(watchId);
    return atMs === undefined ? "soon" : isoTime(atMs).slice(11, 19);
  };

  const reportRecorded = async (watches: readonly Watch[]): Promise<void> => {
    const states = new Map(
      (await deps.store.listWatches(watches.map(({ id }) => id))).map((state) => [state.id, state]),
    );
    for (const watch of watches) {
      const state = states.get(watch.id);
      if (deps.isShared && state !== undefined && unreadTargets(state).length > 0) continue;
      waiting.delete(watch.id);
      const items = state === undefined ? 0 : notedItems(watch.type, state);
      const text = `${watch.id}: ${items} items noted, next poll ${nextPoll(watch.id)}, alerts go to ${deps.sinkText(watch)}`;
      deps.log.info(text, { watch: watch.id, items });
    }
  };

  const started = (watches: readonly EngineWatch[]) => {
    const read: EngineWatch[] = [];
    for (const one of watches) {
      const { watch, state } = one;
      known.add(state.key);
      reportReturn(one, deps);
      // A missing target was already reported and is only rechecked rarely, so no line waits for
      // it.
      const missing = state.targets.filter(isMissing);
      if (missing.length > 0) {
        const names = missing.map(({ name }) => name);
        deps.log.warn("some targets cannot be read for now", {
          watch: watch.id,
          targets: names,
          reason: missing[0]?.statusReason,
        });
      }
      if (missing.length === state.targets.length && missing.length > 0) continue;
      const left = unreadTargets(state).length;
      if (left > 0) waiting.set(watch.id, { watch, left });
      else read.push(one);
    }
    reportKnown(read, deps.log, nextPoll);
  };

  return {
    started,
    readAgain: (watches) => started(watches.filter(({ state }) => !known.has(state.key))),
    missing: (watchId) => countDown(watchId),
    polled(_poll, outcome) {
      for (const { watch } of outcome?.baselined ?? []) countDown(watch.id);
    },
  };
}

function reportReturn(
  { watch: { id, onReturn }, state }: EngineWatch,
  { clock, log }: StartReportDeps,
): void {
  const { returnedFromMs: fromMs, targets } = state;
  if (fromMs === undefined || targets.every(({ baselineAtMs }) => baselineAtMs === null)) return;
  const awayMs = Math.max(1_000, Math.round((clock.now() - fromMs) / 1_000) * 1_000);
  log.info(returnText(id, awayMs, onReturn), { watch: id, on_return: onReturn });
}

const isMissing = ({ status }: TargetState): boolean =>
  status === "unavailable" || status === "misconfigured";

const unreadTargets = ({ targets }: WatchState): readonly TargetState[] =>
  targets.filter((target) => target.baselineAtMs === null && !isMissing(target));

function reportKnown(
  known: readonly EngineWatch[],
  log: Log,
  nextPoll: (watchId: string) => string,
): void {
  const counts = known.map(({ watch, state }) => ({
    watch: watch.id,
    items: notedItems(watch.type, state),
  }));
  if (known.length > MAX_LINES) {
    const items = counts.reduce((sum, count) => sum + count.items, 0);
    return log.info(`${known.length} watches: baseline done, ${items} items known`, {
      watches: known.length,
      items,
    });
  }
  for (const { watch, items } of counts)
    log.info(`${watch}: baseline done, ${items} items known, next poll ${nextPoll(watch)}`, {
      watch,
      items,
    });
}
