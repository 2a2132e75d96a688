/**
 * Runs a backtest: replays the archive through the active configuration and through another one
 * side by side, and compares them. Reads the state, and writes, sends and asks for nothing.
 */
import type { Config } from "../../config/config.ts";
import type { ArchivePlace } from "../../model/archive.ts";
import { isoTime } from "../../model/clock.ts";
import type { Hash } from "../../model/hash.ts";
import type { Log } from "../../model/log.ts";
import type { EventRecord } from "../../model/history.ts";
import type { Random } from "../../model/random.ts";
import type { Store } from "../../model/store.ts";
import { compileSilence } from "../../operate/alerts/silences.ts";
import { backtestView, type BacktestView } from "../../operate/backtest/backtest-view.ts";
import { warmUpMs } from "../../operate/backtest/warm-up.ts";
import { createReader } from "../../operate/create-reader.ts";
import { createReplay, type ReplayedSilence, recordsSince } from "./replay.ts";

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
    "archiveSize" | "archivedReads" | "listWatches" | "listSilences" | "eventHeads" | "eventRecords"
  >;
  readonly hash: Hash;
  /** Called with the share that is done, from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

const READS_AT_ONCE = 200;

export async function runBacktest(
  active: Config,
  tried: Config,
  { sinceMs, untilMs, watch, sink, limit }: BacktestQuery,
  { store, hash, onProgress }: BacktestDeps,
): Promise<BacktestView> {
  const { firstAtMs } = await store.archiveSize();
  const fromMs = Math.max(sinceMs, firstAtMs ?? sinceMs);
  const startMs = fromMs - Math.max(warmUpMs(active), warmUpMs(tried));
  const states = await store.listWatches();
  const silences = await silencesOf(store);
  const replayOf = (config: Config) =>
    createReplay(config, {
      states,
      silences,
      hash,
      startMs,
      random: countingRandom(),
      log: NO_LOG,
    });
  const [before, after] = [await replayOf(active), await replayOf(tried)];
  let hasBegun = false;
  const begin = async () => {
    hasBegun = true;
    for (const replay of [before, after]) {
      await replay.passTo(fromMs);
      replay.begin();
    }
  };
  let place: ArchivePlace = { atMs: startMs - 1, id: "" };
  for (;;) {
    const { reads, last } = await store.archivedReads(place, untilMs, READS_AT_ONCE);
    for (const read of reads) {
      if (!hasBegun && read.atMs >= fromMs) await begin();
      await before.take(read);
      await after.take(read);
    }
    if (last === undefined) break;
    place = last;
    onProgress((last.atMs - startMs) / (untilMs - startMs));
  }
  if (!hasBegun) await begin();
  for (const replay of [before, after]) await replay.passTo(untilMs);
  const sent = (await recordsSince(store, fromMs))
    .filter(isOfWatch)
    .filter(({ event }) => event.detectedAtMs < untilMs);
  return backtestView({
    ...{ fromMs, toMs: untilMs, watch, sink, limit, sent },
    before: await before.end(fromMs),
    after: await after.end(fromMs),
    sinks: tried.sinks.map(({ name }) => name),
    limits: limitsOf(tried, { sinceMs, fromMs, startMs, firstAtMs }),
    read: createReader(tried.linksHost),
  });
}

const isOfWatch = ({ event }: EventRecord): boolean => event.watchKey !== "";

async function silencesOf(store: Pick<Store, "listSilences">): Promise<readonly ReplayedSilence[]> {
  const compiled = (await store.listSilences()).map(async (stored) => {
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
}

/** Says what no replay can know. */
function limitsOf(
  { watches }: Config,
  { sinceMs, fromMs, startMs, firstAtMs }: Times,
): readonly string[] {
  const limits: string[] = [];
  if (firstAtMs !== null && fromMs > sinceMs)
    limits.push(`The archive begins at ${isoTime(firstAtMs)}: what lies before is not known.`);
  else if (firstAtMs !== null && firstAtMs > startMs)
    limits.push(
      `The archive begins at ${isoTime(firstAtMs)}: windows that reach further back start empty.`,
    );
  limits.push("Values between two reads, and counts at another moment, are not known.");
  limits.push("Repeats and ends of alerts on values, ops alerts and reports are not replayed.");
  if (watches.some(({ enrich }) => enrich !== undefined))
    limits.push("Events of watches with `enrich` are replayed without their enrichment.");
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
