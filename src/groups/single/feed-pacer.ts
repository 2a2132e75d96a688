/** When a feed of tweets is read next: at its ticks, or under freshness by what its reads found. Owns no request. */
import type { Clock } from "../../model/clock.ts";
import type { Freshness, Priority } from "../../model/schedule.ts";
import { type FeedPace, learnFeed, learnFeedDelays, startFeed, waitForFeed, withFreshness } from "./feed-pace.ts";
import { longestWaitMs } from "../../plan/delay-aims.ts";
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
  /** When the next read is worth its request, wall time; undefined: at the next tick. */
  after(read: FeedRead): Promise<number | undefined>;
}

/** The pacer of a poll, or of a group of searches. */
export type FeedPacers = (poll: Poll) => FeedPacer;

export interface FeedPacerDeps {
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

/** What a schedule asks for is read at its ticks, whatever was found. */
const ON_TICKS: FeedPacer = { after: async () => undefined, nextDueMs: () => undefined };

export function createFeedPacers(deps: FeedPacerDeps): FeedPacers {
  const dueMs = new Map<string, number>();
  return (poll) => (poll.timing.kind === "schedule" ? ON_TICKS : new FreshFeedPacer(poll, poll.timing.freshness, deps, dueMs));
}

class FreshFeedPacer implements FeedPacer {
  readonly #poll: Poll;
  readonly #freshness: Freshness;
  readonly #deps: FeedPacerDeps;
  /** By poll: when the next read is worth its request, were the quota wide; not known of reads before a restart. */
  readonly #dueMs: Map<string, number>;

  constructor(poll: Poll, freshness: Freshness, deps: FeedPacerDeps, dueMs: Map<string, number>) {
    this.#poll = poll;
    this.#freshness = freshness;
    this.#deps = deps;
    this.#dueMs = dueMs;
  }

  async after(read: FeedRead): Promise<number> {
    const { book, serviceClock, stretch } = this.#deps;
    const { key, intervalMs, priority } = this.#poll;
    await book.load();
    const factor = stretch(priority);
    const isPaced = factor <= 1;
    const known = book.get(key);
    const nowMs = serviceClock.now();
    const feed = known === undefined ? startFeed(read.firstRate(nowMs), this.#freshness, nowMs) : this.#learn(known, read);
    const readAtMs = read.isWhole || known === undefined ? read.startedAtMs : known.readAtMs;
    book.put(key, { feed, readAtMs }, isPaced ? { evenMs: intervalMs, longestMs: longestWaitMs(this.#freshness) } : undefined);
    await book.flush();
    const latest = { feed, readAtMs: read.startedAtMs };
    if (read.isWhole) this.#dueMs.set(key, this.#nextRead(latest, 1));
    return this.#nextRead(latest, factor);
  }

  nextDueMs(): number | undefined {
    const entry = this.#deps.book.get(this.#poll.key);
    return entry === undefined ? undefined : this.#nextRead(entry, this.#deps.stretch(this.#poll.priority));
  }

  /** What the posts that were found say of the feed, and how late they were of its pace. */
  #learn(known: FeedEntry, read: FeedRead): FeedPace {
    const { serviceClock, stretch } = this.#deps;
    const nowMs = serviceClock.now();
    const calmMs = serviceClock.fromLocal(known.readAtMs) - LAG_MS;
    const postedMs = read.postedMs.filter((atMs) => atMs >= calmMs);
    const feed = learnFeed(withFreshness(known.feed, this.#freshness, nowMs), postedMs, nowMs);
    if (!read.isWhole || stretch(this.#poll.priority) > 1 || !this.#isPunctual(known)) return feed;
    return learnFeedDelays(
      feed,
      postedMs.map((atMs) => nowMs - atMs),
      this.#freshness,
      nowMs,
    );
  }

  /** Not after an outage, whether no read came or one waited for its answer, and not after hours of stretched ones. */
  #isPunctual(known: FeedEntry): boolean {
    const nowMs = this.#deps.clock.now();
    const isLate = nowMs - (this.#dueMs.get(this.#poll.key) ?? nowMs) > this.#poll.intervalMs;
    return !isLate && nowMs - known.readAtMs <= longestWaitMs(this.#freshness) * PUNCTUAL;
  }

  #nextRead({ feed, readAtMs }: Omit<FeedEntry, "count">, factor: number): number {
    const { clock, serviceClock } = this.#deps;
    return Math.max(readAtMs + waitForFeed(feed, this.#freshness, factor, serviceClock.fromLocal(readAtMs)), clock.now() + SHORTEST_MS);
  }
}
