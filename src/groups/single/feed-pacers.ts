/**
 * The pacer of each feed of tweets, by its timing. Under freshness, what its reads found says when
 * the next one is worth its request. Owns no request.
 */
import type { Clock } from "../../model/clock.ts";
import type { Priority } from "../../model/schedule.ts";
import { readAlgorithm } from "./feed-algorithms.ts";
import {
  type FeedPace,
  learnFeed,
  learnFeedDelays,
  type ReadAlgorithm,
  startFeed,
  waitForFeed,
  withAlgorithm,
} from "./feed-pace.ts";
import type { RateMemory } from "../../plan/rates/rates.ts";
import type { Pacer } from "../kind/pacer.ts";
import type { FeedStates, FeedEntry } from "./feed-states.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";
import type { Poll } from "../../polling/watch-poll.ts";

/** A read of a feed, or of several as one. */
export interface FeedRead {
  /** Our clock. */
  readonly startedAtMs: number;
  /** When tweets that were not there before were posted; service time. */
  readonly postedMs: readonly number[];
  /** How much is posted, by what it showed, where nothing is known yet. */
  readonly firstRate: (serviceMs: number) => RateMemory;
  /** It came to its end, and what it did not show is not there. */
  readonly isWhole: boolean;
}

export interface FeedPacer extends Pacer {
  /** The shortest and the longest time between two reads. */
  readonly leastMs: number;
  readonly mostMs: number;
  /** When the next read is worth its request, wall time; undefined: at the next tick. */
  after(read: FeedRead): Promise<number | undefined>;
}

/** The pacer of a poll, or of a group of searches. */
export type FeedPacers = (poll: Poll) => FeedPacer;

export interface FeedPacerDeps {
  readonly feedStates: FeedStates;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  /** How much slower polls of a priority go while the quota is short. */
  readonly slowDownOf: (priority: Priority) => number;
}

interface FreshDeps extends FeedPacerDeps {
  /**
   * By poll: when the next read is worth its request, were the quota wide; not known of reads
   * before a restart.
   */
  readonly dueMs: Map<string, number>;
}

const SHORTEST_MS = 1_000;
/**
 * Lists show a post that much later now and then. What is older than that was out of sight, whoever
 * asked.
 */
const LAG_MS = 300_000;

export function createFeedPacers({
  feedStates,
  clock,
  serviceClock,
  slowDownOf,
}: FeedPacerDeps): FeedPacers {
  const deps: FreshDeps = { feedStates, clock, serviceClock, slowDownOf, dueMs: new Map() };
  return (poll) =>
    poll.timing.kind === "schedule"
      ? atTicks(poll)
      : createFreshFeedPacer(poll, readAlgorithm(poll.timing.freshness), deps);
}

/** It is read at the ticks of its schedules, whatever was found. */
const atTicks = ({ intervalMs }: Poll): FeedPacer => ({
  leastMs: intervalMs,
  mostMs: intervalMs,
  after: async () => undefined,
  nextDueMs: () => undefined,
});

function createFreshFeedPacer(poll: Poll, algorithm: ReadAlgorithm, deps: FreshDeps): FeedPacer {
  const { feedStates, clock, serviceClock, slowDownOf, dueMs } = deps;
  const { key, intervalMs, priority } = poll;
  const { leastMs, mostMs } = algorithm;

  /**
   * Not the first read after a start, nor after an outage, whether no read came or one waited for
   * its answer.
   */
  const isPunctual = (): boolean =>
    clock.now() - (dueMs.get(key) ?? Number.NEGATIVE_INFINITY) <= intervalMs;

  /** What the posts that were found say of the feed, and how late they were of its pace. */
  const learn = (known: FeedEntry, read: FeedRead): FeedPace => {
    const nowMs = serviceClock.now();
    const calmMs = serviceClock.fromLocal(known.readAtMs) - LAG_MS;
    const postedMs = read.postedMs.filter((atMs) => atMs >= calmMs);
    const feed = learnFeed(withAlgorithm(known.feed, algorithm, nowMs), postedMs, nowMs);
    if (!read.isWhole || slowDownOf(priority) > 1 || !isPunctual()) return feed;
    const delaysMs = postedMs.map((atMs) => nowMs - atMs);
    return learnFeedDelays(feed, delaysMs, algorithm, nowMs);
  };

  const nextRead = ({ feed, readAtMs }: FeedEntry, factor: number): number =>
    Math.max(
      readAtMs + waitForFeed(feed, algorithm, factor, serviceClock.fromLocal(readAtMs)),
      clock.now() + SHORTEST_MS,
    );

  return {
    leastMs,
    mostMs,
    async after(read) {
      await feedStates.load();
      const factor = slowDownOf(priority);
      const known = feedStates.get(key);
      const nowMs = serviceClock.now();
      const feed =
        known === undefined
          ? startFeed(read.firstRate(nowMs), algorithm, nowMs)
          : learn(known, read);
      const readAtMs = read.isWhole || known === undefined ? read.startedAtMs : known.readAtMs;
      feedStates.put(key, { feed, readAtMs });
      await feedStates.flush();
      const latest = { feed, readAtMs: read.startedAtMs };
      if (read.isWhole) dueMs.set(key, nextRead(latest, 1));
      return nextRead(latest, factor);
    },
    nextDueMs() {
      const entry = feedStates.get(key);
      return entry === undefined ? undefined : nextRead(entry, slowDownOf(priority));
    },
  };
}
