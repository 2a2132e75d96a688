/**
 * Runs a backtest: replays the archive through the active configuration and through another one at
 * the same time, and compares them. Reads the state, and writes, sends and asks for nothing.
 */
import type { Config } from "../../config/config.ts";
import { backtestView, type BacktestView } from "../../operate/backtest/backtest-view.ts";
import type { ReplayedItem } from "../../operate/backtest/replayed-watches.ts";
import { createReader } from "../../operate/create-reader.ts";
import type { Store } from "../../model/store.ts";
import { type ActiveReplay, type ActiveReplayDeps, replayActive } from "./active-replay.ts";
import { limitsOf } from "./limits.ts";
import type { ThreadWatch } from "../../runtime/threads/run-in-thread.ts";
import { readReplayFacts, replayArchive, type ReplayFacts } from "./replay-archive.ts";

export interface BacktestQuery {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly watch: string | undefined;
  readonly sink: string | undefined;
  readonly limit: number;
}

export interface BacktestDeps extends Pick<ActiveReplayDeps, "hash" | "onProgress"> {
  readonly store: ActiveReplayDeps["store"] &
    Pick<Store, "alertsOf" | "archiveSize" | "auditRecords" | "listWatches">;
  /** Called with each verdict of the active configuration. Not called if a thread replays that. */
  readonly onActiveItem?: (item: ReplayedItem) => void;
  /** Replays the active configuration in a thread. If absent, both replays run in this one. */
  readonly replayActive?: (facts: ReplayFacts, watch: ThreadWatch) => Promise<ActiveReplay>;
}

export async function runBacktest(
  active: Config,
  tried: Config,
  query: BacktestQuery,
  deps: BacktestDeps,
): Promise<BacktestView> {
  const { store } = deps;
  const { sinceMs, untilMs } = query;
  const { firstAtMs } = await store.archiveSize();
  const fromMs = Math.max(sinceMs, firstAtMs ?? sinceMs);
  const facts = await readReplayFacts(store, { fromMs, untilMs }, [active, tried]);
  const { before, after } = await replayBoth(active, tried, facts, deps);
  const unanswered = new Set([...before.unanswered, ...after.unanswered]).size;
  return backtestView({
    ...query,
    ...{ fromMs, toMs: untilMs, sent: before.sent, before: before.result, after: after.result },
    sinks: tried.sinks.map(({ name }) => name),
    limits: limitsOf(active, tried, { ...facts, sinceMs, firstAtMs, unanswered }),
    read: createReader(tried.linksHost),
  });
}

/** Replays both configurations at once. If one replay fails, the other one is ended. */
async function replayBoth(
  active: Config,
  tried: Config,
  facts: ReplayFacts,
  { store, hash, onProgress, onActiveItem: onItem, ...deps }: BacktestDeps,
) {
  const failure = new AbortController();
  const { signal } = failure;
  const orEndAll = <Result>(replay: Promise<Result>): Promise<Result> =>
    replay.catch((error: unknown) => {
      failure.abort(error);
      throw error;
    });
  const shares = { active: 0, tried: 0 };
  const progressOf = (by: keyof typeof shares) => (share: number) => {
    shares[by] = share;
    onProgress(Math.min(shares.active, shares.tried));
  };
  const watch = { onProgress: progressOf("active"), signal };
  const replays = [
    orEndAll(
      deps.replayActive?.(facts, watch) ??
        replayActive(active, facts, { ...{ store, hash, onItem }, ...watch }),
    ),
    orEndAll(
      replayArchive({ replayed: tried, active }, facts, {
        ...{ store, hash, signal, onProgress: progressOf("tried") },
      }),
    ),
  ] as const;
  // Nothing may go on after the end, when the state is closed. What failed first is thrown.
  await Promise.allSettled(replays);
  signal.throwIfAborted();
  const [before, after] = await Promise.all(replays);
  await after.close();
  return { before, after };
}
