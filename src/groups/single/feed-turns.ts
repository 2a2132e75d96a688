/** Where freshness takes the place of a schedule on a feed of tweets: what a read of it says about the next one. Owns no request. */
import type { Clock } from "../../model/clock.ts";
import type { Freshness, Priority } from "../../model/schedule.ts";
import { type FeedPace, learnFeed, learnFeedDelays, startFeed, waitForFeed, withFreshness } from "./feed-pace.ts";
import { longestWaitMs } from "../../plan/delay-aims.ts";
import type { RateMemory } from "../../plan/rates/rates.ts";
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

export interface FeedTurns {
  /** When the next read is worth its request; undefined where a schedule says. */
  after(poll: Poll, read: FeedRead): Promise<number | undefined>;
  /** The same by what is known already, where the pace has changed since; undefined before the first read. */
  againAt(poll: Poll): number | undefined;
}

export interface FeedTurnsDeps {
  readonly book: FeedStates;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  /** How much slower polls of a priority go while the quota is short. */
  readonly stretch: (priority: Priority) => number;
}

const SHORTEST_MS = 1_000;
/** Lists show a post that much later now and then. What is older than that was out of sight, whoever asked. */
const LAG_MS = 300_000;
/** A read that ends so much after its turn was kept from it: what it finds is late for other reasons. */
const PUNCTUAL = 1.2;

export function createFeedTurns({ book, clock, serviceClock, stretch }: FeedTurnsDeps): FeedTurns {
  /** By poll: when the next read is worth its request, were the quota wide; not known of reads before a restart. */
  const dueMs = new Map<string, number>();

  /** Not after an outage, whether no read came or one waited for its answer, and not after hours of stretched ones. */
  const isPunctual = ({ key, intervalMs }: Poll, freshness: Freshness, known: FeedEntry): boolean => {
    const nowMs = clock.now();
    const isLate = nowMs - (dueMs.get(key) ?? nowMs) > intervalMs;
    return !isLate && nowMs - known.readAtMs <= longestWaitMs(freshness) * PUNCTUAL;
  };

  /** What the posts that were found say of the feed, and how late they were of its pace. */
  const learn = (poll: Poll, freshness: Freshness, known: FeedEntry, read: FeedRead): FeedPace => {
    const nowMs = serviceClock.now();
    const calmMs = serviceClock.fromLocal(known.readAtMs) - LAG_MS;
    const postedMs = read.postedMs.filter((atMs) => atMs >= calmMs);
    const feed = learnFeed(withFreshness(known.feed, freshness, nowMs), postedMs, nowMs);
    if (!read.isWhole || stretch(poll.priority) > 1 || !isPunctual(poll, freshness, known)) return feed;
    return learnFeedDelays(
      feed,
      postedMs.map((atMs) => nowMs - atMs),
      freshness,
      nowMs,
    );
  };

  const nextRead = ({ feed, readAtMs }: FeedEntry, freshness: Freshness, factor: number): number =>
    Math.max(readAtMs + waitForFeed(feed, freshness, factor, serviceClock.fromLocal(readAtMs)), clock.now() + SHORTEST_MS);

  return {
    async after(poll, read) {
      const { key, timing, intervalMs } = poll;
      if (timing.kind === "schedule") return undefined;
      const { freshness } = timing;
      await book.load();
      const factor = stretch(poll.priority);
      const isPaced = factor <= 1;
      const known = book.get(key);
      const nowMs = serviceClock.now();
      const feed = known === undefined ? startFeed(read.firstRate(nowMs), freshness, nowMs) : learn(poll, freshness, known, read);
      const readAtMs = read.isWhole || known === undefined ? read.startedAtMs : known.readAtMs;
      book.put(key, { feed, readAtMs }, isPaced ? { evenMs: intervalMs, longestMs: longestWaitMs(freshness) } : undefined);
      await book.flush();
      const latest = { feed, readAtMs: read.startedAtMs };
      if (read.isWhole) dueMs.set(key, nextRead(latest, freshness, 1));
      return nextRead(latest, freshness, factor);
    },
    againAt({ key, timing, priority }) {
      const entry = book.get(key);
      return timing.kind === "schedule" || entry === undefined ? undefined : nextRead(entry, timing.freshness, stretch(priority));
    },
  };
}
