/**
 * Replays the active configuration and compares the replay with what the state recorded. Takes and
 * returns plain data, so that it can run in a thread; see replay-in-thread.ts.
 */
import type { Config } from "../../config/config.ts";
import type { Store } from "../../model/store.ts";
import { type SentDifference, sentDifferences } from "../../operate/backtest/sent-differences.ts";
import { pathsOf, recordsSince, type ReplayResult } from "./replay.ts";
import {
  type ArchiveReplayDeps,
  type EndedReplay,
  replayArchive,
  type ReplayFacts,
} from "./replay-archive.ts";

export interface ActiveReplay extends Pick<EndedReplay, "unanswered"> {
  readonly result: ReplayResult;
  /** Where the state recorded something else. */
  readonly sent: readonly SentDifference[];
}

type RecordedStore = Pick<
  Store,
  "configRevisions" | "eventHeads" | "eventRecords" | "explainEvent" | "listSilences"
>;

export interface ActiveReplayDeps extends ArchiveReplayDeps {
  readonly store: ArchiveReplayDeps["store"] & RecordedStore;
}

export async function replayActive(
  active: Config,
  facts: ReplayFacts,
  deps: ActiveReplayDeps,
): Promise<ActiveReplay> {
  const replay = await replayArchive({ replayed: active, active }, facts, deps);
  try {
    const { result, unanswered } = replay;
    return { result, unanswered, sent: await compareWithState(replay, deps.store, facts) };
  } finally {
    await replay.close();
  }
}

/** Compares a replay with what a state recorded in the period. */
export async function compareWithState(
  { result, pathsOf: replayedPathsOf }: EndedReplay,
  store: RecordedStore,
  { fromMs, untilMs }: Pick<ReplayFacts, "fromMs" | "untilMs">,
): Promise<readonly SentDifference[]> {
  const silences = await store.listSilences();
  return sentDifferences({
    sent: (await recordsSince(store, fromMs)).filter(({ event }) => event.detectedAtMs < untilMs),
    replayed: result.records,
    sentPathsOf: (id) => pathsOf(store, id),
    replayedPathsOf,
    silencedSinceMs: new Map(silences.map(({ id, startsAtMs }) => [id, startsAtMs])),
    activeSinceMs: (await store.configRevisions())[0]?.atMs ?? 0,
  });
}
