/**
 * Replays the archive through one configuration, from a warm-up to the end of the period. A backtest
 * does this for the active configuration and for the tried one. The two share nothing that changes,
 * so each can run in a thread of its own.
 */
import type { Config } from "../../config/config.ts";
import type { ArchivedRead, ArchivePlace } from "../../model/archive.ts";
import type { Hash } from "../../model/hash.ts";
import type { Log } from "../../model/log.ts";
import type { Random } from "../../model/random.ts";
import type { StoredSilence } from "../../model/silence.ts";
import type { Store } from "../../model/store.ts";
import type { WatchState } from "../../model/watch-store.ts";
import { compileSilence } from "../../operate/alerts/silences.ts";
import { marksSince, type ReplayedMark } from "../../operate/backtest/replayed-marks.ts";
import type { ReplayedItem } from "../../operate/backtest/replayed-watches.ts";
import { StoredAnswers } from "../../operate/backtest/stored-answers.ts";
import { warmUpMs } from "../../operate/backtest/warm-up.ts";
import { planWatches } from "../../operate/plan/configured-polls.ts";
import {
  type ConfigReplay,
  createReplay,
  type ReplayedSilence,
  type ReplayResult,
} from "./replay.ts";

/**
 * What the replays of a backtest have in common. It is plain data, so that it can be sent to a
 * thread, and it is read once, so that a daemon that goes on writing cannot make them differ.
 */
export interface ReplayFacts {
  /** When the warm-up begins. */
  readonly startMs: number;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly states: readonly WatchState[];
  readonly silences: readonly StoredSilence[];
  /** What people acknowledged and undid, in the order of time. */
  readonly acknowledged: readonly ReplayedMark[];
}

export interface ReplayedConfigs {
  readonly replayed: Config;
  /** The active configuration, by which the archive's facts were found. */
  readonly active: Config;
}

export interface ArchiveReplayDeps {
  readonly store: Pick<Store, "archivedReads" | "enrichedAt" | "eventsById">;
  readonly hash: Hash;
  /** Called with the share that is done, from 0 to 1. */
  readonly onProgress: (share: number) => void;
  /** Called with each verdict. */
  readonly onItem?: ((item: ReplayedItem) => void) | undefined;
  /** Ends the replay with an error. */
  readonly signal?: AbortSignal | undefined;
}

/** A replay of a period that has ended. */
export interface EndedReplay extends Pick<ConfigReplay, "pathsOf" | "close"> {
  readonly result: ReplayResult;
  /** The ids of the events that have no stored answer of their enrichment. */
  readonly unanswered: readonly string[];
}

/** The number of rows of the archive that are read at once. A row can have fifty posts. */
const READS_AT_ONCE = 20;

/** Reads what replays of a period through these configurations start from. */
export async function readReplayFacts(
  store: Pick<Store, "alertsOf" | "auditRecords" | "listSilences" | "listWatches">,
  { fromMs, untilMs }: Pick<ReplayFacts, "fromMs" | "untilMs">,
  configs: readonly Config[],
): Promise<ReplayFacts> {
  const startMs = fromMs - Math.max(...configs.map(warmUpMs));
  return {
    ...{ startMs, fromMs, untilMs },
    states: await store.listWatches(),
    silences: await store.listSilences(),
    acknowledged: await marksSince(store, startMs),
  };
}

export async function replayArchive(
  { replayed, active }: ReplayedConfigs,
  facts: ReplayFacts,
  { store, hash, onProgress, onItem, signal }: ArchiveReplayDeps,
): Promise<EndedReplay> {
  const { startMs, states, acknowledged } = facts;
  const activeWatches = [...planWatches(active, hash, states).values()];
  const answers = new StoredAnswers(
    store,
    new Map(activeWatches.map(({ watchKey, watch }) => [watchKey, watch.labels])),
  );
  const replay = await createReplay(replayed, {
    ...{ activeWatches, states, hash, startMs, answers, acknowledged, onItem },
    silences: await compileAll(facts.silences),
    random: countingRandom(),
    log: NO_LOG,
  });
  try {
    await replayReads(store, replay, { ...facts, onProgress, signal });
    const result = await replay.end(facts.fromMs);
    return {
      ...{ result, unanswered: [...answers.missing] },
      ...{ pathsOf: replay.pathsOf, close: replay.close },
    };
  } catch (error) {
    await replay.close();
    throw error;
  }
}

type ReplayedPeriod = Pick<ReplayFacts, "startMs" | "fromMs" | "untilMs"> &
  Pick<ArchiveReplayDeps, "onProgress" | "signal">;

async function replayReads(
  store: Pick<Store, "archivedReads">,
  replay: ConfigReplay,
  { startMs, fromMs, untilMs, onProgress, signal }: ReplayedPeriod,
): Promise<void> {
  let hasBegun = false;
  const begin = async () => {
    hasBegun = true;
    await replay.passTo(fromMs);
    replay.begin();
  };
  let place: ArchivePlace = { atMs: startMs - 1, id: "" };
  for (;;) {
    signal?.throwIfAborted();
    const { reads, last } = await store.archivedReads(place, untilMs, READS_AT_ONCE);
    for (const commit of byCommit(reads)) {
      if (!hasBegun && commit.every(({ atMs }) => atMs >= fromMs)) await begin();
      await replay.take(commit);
    }
    if (last === undefined) break;
    place = last;
    onProgress((last.atMs - startMs) / (untilMs - startMs));
  }
  if (!hasBegun) await begin();
  await replay.passTo(untilMs);
}

function byCommit(reads: readonly ArchivedRead[]): readonly (readonly ArchivedRead[])[] {
  const commits: ArchivedRead[][] = [];
  for (const read of reads) {
    const last = commits.at(-1);
    if (read.sameCommit === true && last !== undefined) last.push(read);
    else commits.push([read]);
  }
  return commits;
}

async function compileAll(silences: readonly StoredSilence[]): Promise<readonly ReplayedSilence[]> {
  const compiled = silences.map(async (stored) => {
    const silence = await compileSilence(stored);
    return silence === undefined ? [] : [{ ...silence, startsAtMs: stored.startsAtMs }];
  });
  return (await Promise.all(compiled)).flat();
}

/** Gives every run the same numbers, so that it prints the same. */
function countingRandom(): Random {
  let count = 0;
  return { float: () => 0.5, id: () => String((count += 1)).padStart(22, "0") };
}

const NO_LOG: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => NO_LOG,
};
