/** The lines a person reads after a start: per watch, what is known and when it is polled next. Its messages are whole sentences on purpose. */
import type { EngineWatch } from "../../engine/planned-watches.ts";
import type { PollOutcome } from "../../polling/run/poll-outcome.ts";
import { type Clock, isoTime } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import type { WatchStore } from "../../model/watch-store.ts";
import type { Watch } from "../../model/watch.ts";
import { notedItems } from "./noted-items.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import { returnText } from "./pause.ts";

export interface StartReport {
  started(watches: readonly EngineWatch[]): void;
  /** A target that cannot be read now holds no line up. */
  missing(watchId: string): void;
  polled(poll: Poll, outcome: PollOutcome | undefined): void;
}

export interface StartReportDeps {
  readonly store: Pick<WatchStore, "listWatches">;
  readonly clock: Clock;
  readonly log: Log;
  /** Where a watch's alerts go, for people. */
  readonly sinkText: (watch: Watch) => string;
  readonly nextPollAt: (watchId: string) => number | undefined;
}

/** Thousands of watches finish their baselines together: the state is asked once for them, and after the next polls are placed. */
const GATHER_MS = 50;
/** Of more watches whose baseline is done a start says one line for all. */
const MOST_LINES = 100;

export function createStartReport(deps: StartReportDeps): StartReport {
  /** Watches whose baseline was done a moment ago. */
  const noted: Watch[] = [];
  /** Watches whose first line is still to come, with the number of targets that have no baseline. */
  const waiting = new Map<string, { readonly watch: Watch; left: number }>();

  const countDown = (watchId: string) => {
    const entry = waiting.get(watchId);
    if (entry === undefined) return;
    entry.left -= 1;
    if (entry.left > 0) return;
    waiting.delete(watchId);
    if (noted.length === 0) deps.clock.after(GATHER_MS, () => void reportRecorded(noted.splice(0)).catch(() => undefined));
    noted.push(entry.watch);
  };

  const nextPoll = (watchId: string): string => {
    const atMs = deps.nextPollAt(watchId);
    return atMs === undefined ? "soon" : isoTime(atMs).slice(11, 19);
  };

  const reportRecorded = async (watches: readonly Watch[]): Promise<void> => {
    const states = new Map((await deps.store.listWatches(watches.map(({ id }) => id))).map((state) => [state.id, state]));
    for (const watch of watches) {
      const state = states.get(watch.id);
      const items = state === undefined ? 0 : notedItems(watch.type, state);
      const text = `${watch.id}: ${items} items noted, next poll ${nextPoll(watch.id)}, alerts go to ${deps.sinkText(watch)}`;
      deps.log.info(text, { watch: watch.id, items });
    }
  };

  return {
    started(watches) {
      const known: EngineWatch[] = [];
      for (const one of watches) {
        const { watch, state } = one;
        const { returnedFromMs: fromMs } = state;
        if (fromMs !== undefined && state.targets.some(({ baselineAtMs }) => baselineAtMs !== null)) {
          const awayMs = Math.max(1_000, Math.round((deps.clock.now() - fromMs) / 1_000) * 1_000);
          deps.log.info(returnText(watch.id, awayMs, watch.onReturn), { watch: watch.id, on_return: watch.onReturn });
        }
        // Reported once already, and asked again only now and then: no line waits for it.
        const missing = state.targets.filter(({ status }) => status === "unavailable" || status === "misconfigured");
        if (missing.length > 0) {
          const names = missing.map(({ name }) => name);
          deps.log.warn("some targets cannot be read for now", { watch: watch.id, targets: names, reason: missing[0]?.statusReason });
        }
        if (missing.length === state.targets.length && missing.length > 0) continue;
        const left = state.targets.filter((target) => target.baselineAtMs === null && !missing.includes(target)).length;
        if (left > 0) {
          waiting.set(watch.id, { watch, left });
          continue;
        }
        known.push(one);
      }
      reportKnown(known, deps.log, nextPoll);
    },
    missing: (watchId) => countDown(watchId),
    polled(_poll, outcome) {
      for (const { watch } of outcome?.baselined ?? []) countDown(watch.id);
    },
  };
}

function reportKnown(known: readonly EngineWatch[], log: Log, nextPoll: (watchId: string) => string): void {
  const counts = known.map(({ watch, state }) => ({ watch: watch.id, items: notedItems(watch.type, state) }));
  if (known.length > MOST_LINES) {
    const items = counts.reduce((sum, count) => sum + count.items, 0);
    return log.info(`${known.length} watches: baseline done, ${items} items known`, { watches: known.length, items });
  }
  for (const { watch, items } of counts)
    log.info(`${watch}: baseline done, ${items} items known, next poll ${nextPoll(watch)}`, { watch, items });
}
