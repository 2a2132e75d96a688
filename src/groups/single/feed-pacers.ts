/**
 * Creates the pacer of each feed of tweets from its timing. For a feed with a `freshness` setting,
 * the results of reads decide when the next one is due. Makes no requests.
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

/**
 * What the pacer learns from: a read of a feed, or the reads of several feeds that are paced as
 * one.
 */
export interface FeedRead {
  /** The start of the read, in epoch ms of the local clock. */
  readonly startedAtMs: number;
  /** When the new tweets that the read found were posted, in service time. */
  readonly postedMs: readonly number[];
  /** Returns the posting rate that the read shows. Used if nothing is known of the feed yet. */
  readonly firstRate: (serviceMs: number) => RateMemory;
  /** Whether the read is complete, so that a tweet that it did not show does not exist. */
  readonly isWhole: boolean;
}

export interface FeedPacer extends Pacer {
  /** The shortest time between two reads, in ms. */
  readonly leastMs: number;
  /** The longest time between two reads, in ms. */
  readonly mostMs: number;
  /**
   * Learns from a read. Returns the time (epoch ms) at which the next read is worth its request;
   * undefined if the feed is read at its next tick.
   */
  after(read: FeedRead): Promise<number | undefined>;
}

/** Returns the pacer of a poll or of a group of searches. */
export type FeedPacers = (poll: Poll) => FeedPacer;

export interface FeedPacerDeps {
  readonly feedStates: FeedStates;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  /**
   * Returns the factor by which polls of a priority are slowed down while the quota is short; 1 if
   * they are not.
   */
  readonly slowDownOf: (priority: Priority) => number;
}

interface FreshDeps extends FeedPacerDeps {
  /**
   * For each poll, the time (epoch ms) at which its next read would be due if the quota were not
   * short. A poll is missing from a restart of the process until its next read.
   */
  readonly dueMs: Map<string, number>;
}

const MIN_MS = 1_000;
/**
 * Lists sometimes show a post this long after it was posted. A post that appears even later was
 * missing for another reason, so it says nothing about the posting rate.
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

/** Creates the pacer of a feed that follows its schedules, whatever was found. */
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

  /** Whether this read was on time. The first read after a start or an outage counts as late. */
  const isPunctual = (): boolean =>
    clock.now() - (dueMs.get(key) ?? Number.NEGATIVE_INFINITY) <= intervalMs;

  /**
   * Returns the feed's pace after a read. The found posts show the posting rate, and their delays
   * show whether the pace is right.
   */
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
      clock.now() + MIN_MS,
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
