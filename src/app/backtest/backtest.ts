/**
 * Runs a backtest: replays the archive through the active configuration and through another one
 * side by side, and compares them. Reads the state, and writes, sends and asks for nothing.
 */
import type { Config } from "../../config/config.ts";
import type { ArchivedRead, ArchivePlace } from "../../model/archive.ts";
import { isoTime } from "../../model/clock.ts";
import type { Hash } from "../../model/hash.ts";
import type { Log } from "../../model/log.ts";
import type { Random } from "../../model/random.ts";
import type { StoredSilence } from "../../model/silence.ts";
import type { Store } from "../../model/store.ts";
import { compileSilence } from "../../operate/alerts/silences.ts";
import { backtestView, type BacktestView } from "../../operate/backtest/backtest-view.ts";
import { marksSince } from "../../operate/backtest/replayed-marks.ts";
import type { ReplayedItem } from "../../operate/backtest/replayed-watches.ts";
import { type SentDifference, sentDifferences } from "../../operate/backtest/sent-differences.ts";
import { StoredAnswers } from "../../operate/backtest/stored-answers.ts";
import { warmUpMs } from "../../operate/backtest/warm-up.ts";
import { createReader } from "../../operate/create-reader.ts";
import {
  type ConfigReplay,
  createReplay,
  pathsOf,
  type ReplayedSilence,
  type ReplayResult,
  recordsSince,
} from "./replay.ts";

export interface BacktestQuery {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly watch: string | undefined;
  readonly sink: string | undefined;
  readonly limit: number;
}

export interface BacktestDeps {
  readonly store: Pick<
    Store,
    | "alertsOf"
    | "archiveSize"
    | "archivedReads"
    | "auditRecords"
    | "configRevisions"
    | "eventHeads"
    | "eventRecords"
    | "eventsById"
    | "explainEvent"
    | "listSilences"
    | "listWatches"
  >;
  readonly hash: Hash;
  /** Called with the share that is done, from 0 to 1. */
  readonly onProgress: (share: number) => void;
  /** Called with each verdict of the active configuration, and of the tried one. */
  readonly onItem?: (item: ReplayedItem, by: "active" | "tried") => void;
}

/** The number of rows of the archive that are read at once. A row can have fifty posts. */
const READS_AT_ONCE = 20;

export async function runBacktest(
  active: Config,
  tried: Config,
  query: BacktestQuery,
  deps: BacktestDeps,
): Promise<BacktestView> {
  const { before, after, times } = await replayBoth(active, tried, query, deps);
  const { fromMs } = times;
  const { untilMs } = query;
  const sent = await compareWithState(before, deps.store, { fromMs, untilMs });
  await before.close();
  await after.close();
  return backtestView({
    ...query,
    ...{ fromMs, toMs: untilMs, sent, before: before.result, after: after.result },
    sinks: tried.sinks.map(({ name }) => name),
    limits: limitsOf(tried, times),
    read: createReader(tried.linksHost),
  });
}

/** A replay of a period that has ended. */
export interface EndedReplay extends Pick<ConfigReplay, "pathsOf" | "close"> {
  readonly result: ReplayResult;
}

export interface BothReplays {
  readonly before: EndedReplay;
  readonly after: EndedReplay;
  readonly times: Times;
}

/** Replays the archive through both configurations. */
export async function replayBoth(
  active: Config,
  tried: Config,
  { sinceMs, untilMs }: Pick<BacktestQuery, "sinceMs" | "untilMs">,
  { store, hash, onProgress, onItem }: BacktestDeps,
): Promise<BothReplays> {
  const { firstAtMs } = await store.archiveSize();
  const fromMs = Math.max(sinceMs, firstAtMs ?? sinceMs);
  const startMs = fromMs - Math.max(warmUpMs(active), warmUpMs(tried));
  const states = await store.listWatches();
  const silences = await compileAll(await store.listSilences());
  const acknowledged = await marksSince(store, startMs);
  const answers = new StoredAnswers((ids) => store.eventsById(ids));
  const replayOf = (config: Config, by: "active" | "tried") =>
    createReplay(config, {
      ...{ active, states, silences, hash, startMs, answers, acknowledged },
      onItem: onItem && ((item) => onItem(item, by)),
      random: countingRandom(),
      log: NO_LOG,
    });
  const [before, after] = [await replayOf(active, "active"), await replayOf(tried, "tried")];
  await replayAll(store, [before, after], { fromMs, startMs, untilMs, onProgress });
  const ended = async (replay: ConfigReplay): Promise<EndedReplay> => ({
    result: await replay.end(fromMs),
    pathsOf: replay.pathsOf,
    close: replay.close,
  });
  return {
    before: await ended(before),
    after: await ended(after),
    times: { sinceMs, fromMs, startMs, firstAtMs, unanswered: answers.missing },
  };
}

/** Compares a replay with what a state recorded in the period. */
export async function compareWithState(
  { result, pathsOf: replayedPathsOf }: EndedReplay,
  store: BacktestDeps["store"],
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
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

interface ReplayedPeriod {
  /** When the warm-up begins. */
  readonly startMs: number;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly onProgress: (share: number) => void;
}

/** Replays the archive through several configurations side by side. */
async function replayAll(
  store: Pick<Store, "archivedReads">,
  replays: readonly ConfigReplay[],
  { startMs, fromMs, untilMs, onProgress }: ReplayedPeriod,
): Promise<void> {
  let hasBegun = false;
  const begin = async () => {
    hasBegun = true;
    for (const replay of replays) {
      await replay.passTo(fromMs);
      replay.begin();
    }
  };
  let place: ArchivePlace = { atMs: startMs - 1, id: "" };
  for (;;) {
    const { reads, last } = await store.archivedReads(place, untilMs, READS_AT_ONCE);
    for (const commit of byCommit(reads)) {
      if (!hasBegun && commit.every(({ atMs }) => atMs >= fromMs)) await begin();
      for (const replay of replays) await replay.take(commit);
    }
    if (last === undefined) break;
    place = last;
    onProgress((last.atMs - startMs) / (untilMs - startMs));
  }
  if (!hasBegun) await begin();
  for (const replay of replays) await replay.passTo(untilMs);
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

interface Times {
  readonly sinceMs: number;
  readonly fromMs: number;
  readonly startMs: number;
  readonly firstAtMs: number | null;
  /** The number of events that have no stored answer of their enrichment. */
  readonly unanswered: number;
}

/** Says what no replay can know. */
function limitsOf(
  { watches }: Config,
  { sinceMs, fromMs, startMs, firstAtMs, unanswered }: Times,
): readonly string[] {
  const limits: string[] = [];
  if (firstAtMs !== null && fromMs > sinceMs)
    limits.push(`The archive begins at ${isoTime(firstAtMs)}: what lies before is not known.`);
  else if (firstAtMs !== null && firstAtMs > startMs)
    limits.push(
      `The archive begins at ${isoTime(firstAtMs)}: windows that reach further back start empty.`,
    );
  limits.push("Values between two reads, and counts at another moment, are not known.");
  limits.push(
    "Repeats and ends of alerts on values, alerts on the volume of a watch, ops alerts and reports are not replayed.",
  );
  if (watches.some(({ enrich }) => enrich !== undefined))
    limits.push(
      unanswered === 0
        ? "Enrichments use the stored answers and their time is not replayed."
        : `Enrichments use the stored answers; ${unanswered} alerts have none and are replayed without.`,
    );
  return limits;
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
