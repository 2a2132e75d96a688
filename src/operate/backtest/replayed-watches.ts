/**
 * What the watches of a configuration make of archived reads: which facts become alerts, and why
 * the others do not. Detection is not repeated for a target that was read; a new one is answered
 * from posts that other watches read.
 */
import type { ArchivedRead, FoundFact } from "../../model/archive.ts";
import type { Hash } from "../../model/hash.ts";
import type { Tweet } from "../../model/tweet.ts";
import type { WatchState } from "../../model/watch-store.ts";
import type { PlannedWatch } from "../../plan/polls/plan-polls.ts";
import { reasonAgainstMember } from "../../polling/evaluate/evaluate-member-list.ts";
import { reasonAgainstPost } from "../../polling/evaluate/evaluate-feed.ts";
import { makeEvent } from "../../polling/evaluate/make-event.ts";
import { byAgeOfEvents, type EvaluatedEvent } from "../../polling/evaluate/verdicts.ts";
import { reasonAgainstBody } from "../../polling/evaluate/where-reason.ts";
import type { Planned, Subscriber } from "../../polling/watch-poll.ts";
import type { Query } from "../../query/query.ts";
import { evaluateQuery } from "../../query/evaluate.ts";
import { parseQuery } from "../../query/parse.ts";

/** What became of the items of a watch. */
export interface WatchCount {
  read: number;
  alerted: number;
  /** Why items raised no alert, and how many. */
  readonly reasons: Map<string, number>;
  /** Targets that were never read. Their items are those that other watches read: a lower bound. */
  readonly unread: readonly string[];
}

const BASELINE = "it was there when the watch began";
const TOO_OLD = "older than max_age when it was found";
const MISSED = "it came while the watch was away";

interface Replayed {
  readonly planned: Planned;
  readonly count: WatchCount;
  readonly targets: ReadonlyMap<string, string>;
  readonly unread: readonly UnreadTarget[];
  /** The items that were counted. */
  readonly known: Set<string>;
  /** The ids of the events that it raised. */
  readonly raised: Set<string>;
  /** The subjects of the posts that it alerted on. */
  readonly alerted: Set<string>;
}

interface UnreadTarget {
  readonly key: string;
  readonly name: string;
  has(tweet: Tweet, nowMs: number): boolean;
}

export class ReplayedWatches {
  readonly #byKey = new Map<string, Replayed>();
  readonly #hash: Hash;
  readonly #startMs: number;

  /** `startMs`: when the replay begins. What was alerted before then is not known to it. */
  constructor(
    planned: readonly PlannedWatch[],
    states: readonly WatchState[],
    { hash, startMs }: { readonly hash: Hash; readonly startMs: number },
  ) {
    this.#hash = hash;
    this.#startMs = startMs;
    const registered = new Map(
      states.map(({ key, targets }) => [key, new Set(targets.map((target) => target.key))]),
    );
    for (const own of planned as readonly Planned[]) {
      const one = withoutValues(own);
      const { watchKey, targets } = one;
      const read = registered.get(watchKey) ?? new Set();
      const unread = targets
        .filter(({ key }) => !read.has(key))
        .map((target) => unreadOf(one, target));
      this.#byKey.set(watchKey, {
        planned: one,
        count: { read: 0, alerted: 0, reasons: new Map(), unread: unread.map(({ name }) => name) },
        targets: new Map(
          targets.filter(({ key }) => read.has(key)).map(({ key, name }) => [key, name]),
        ),
        unread,
        ...{ known: new Set(), raised: new Set(), alerted: new Set() },
      });
    }
  }

  counts(): ReadonlyMap<string, WatchCount> {
    return new Map(
      [...this.#byKey.values()].map(({ planned, count }) => [planned.watch.id, count]),
    );
  }

  /** Forgets what was counted while it warmed up. */
  resetCounts(): void {
    for (const { count } of this.#byKey.values()) {
      [count.read, count.alerted] = [0, 0];
      count.reasons.clear();
    }
  }

  /** Returns the events that a read raises, oldest first. */
  evaluate(read: ArchivedRead): readonly EvaluatedEvent[] {
    const own = read.facts.flatMap((fact) => this.#evaluateFact(fact, read) ?? []);
    const others = [...this.#byKey.values()].flatMap((watch) =>
      watch.unread.length === 0 ? [] : this.#evaluateUnread(watch, read),
    );
    return [...own, ...others].sort((a, b) => byAgeOfEvents(a.event, b.event));
  }

  #evaluateFact(fact: FoundFact, read: ArchivedRead): EvaluatedEvent | undefined {
    const watch = this.#byKey.get(fact.watchKey);
    const targetName = watch?.targets.get(fact.targetKey);
    if (watch === undefined || targetName === undefined) return undefined;
    const { planned } = watch;
    if (read.source === "recheck" && !this.#isFollowed(watch, fact)) return undefined;
    const reason = reasonAgainst(planned, fact);
    this.#countItem(watch, fact, reason);
    if (reason !== undefined) return undefined;
    const subscriber = { ...planned, targetKey: fact.targetKey, targetName };
    return this.#raise(watch, subscriber, fact, read.atMs);
  }

  /** Whether rechecks of this configuration would show the fact. */
  #isFollowed({ planned, alerted }: Replayed, { type, subject, occurredAtMs }: FoundFact): boolean {
    if (planned.watch.recheck === undefined) return false;
    if (type === "tweet.created") return !alerted.has(subject);
    return alerted.has(subject) || occurredAtMs < this.#startMs;
  }

  #evaluateUnread(watch: Replayed, read: ArchivedRead): readonly EvaluatedEvent[] {
    const { planned, known, unread } = watch;
    const tweets = new Map(
      read.facts.flatMap(({ type, subject, body }) =>
        type === "tweet.created" && body.tweet !== undefined && !known.has(subject)
          ? [[subject, body.tweet] as const]
          : [],
      ),
    );
    return [...tweets].flatMap(([subject, tweet]) => {
      const target = unread.find((one) => one.has(tweet, read.atMs));
      const occurredAtMs = Date.parse(tweet.created_at) || read.atMs;
      if (target === undefined || occurredAtMs < this.#startMs) return [];
      const fact: FoundFact = {
        ...{ watchKey: planned.watchKey, targetKey: target.key, targetName: target.name },
        ...{ found: "news", type: "tweet.created", subject, episode: "", body: { tweet } },
        occurredAtMs,
      };
      const reason = reasonAgainst(planned, fact);
      this.#countItem(watch, fact, reason);
      if (reason !== undefined) return [];
      const subscriber = { ...planned, targetKey: target.key, targetName: target.name };
      return this.#raise(watch, subscriber, fact, read.atMs) ?? [];
    });
  }

  #countItem({ count, known }: Replayed, fact: FoundFact, reason: string | undefined): void {
    const isKnown = known.has(fact.subject);
    known.add(fact.subject);
    if (isKnown && fact.type === "tweet.created") return;
    if (fact.found !== "baseline") count.read += 1;
    if (reason !== undefined) count.reasons.set(reason, (count.reasons.get(reason) ?? 0) + 1);
  }

  #raise(
    watch: Replayed,
    subscriber: Subscriber,
    fact: FoundFact,
    detectedAtMs: number,
  ): EvaluatedEvent | undefined {
    const evaluated = makeEvent({ hash: this.#hash, detectedAtMs }, subscriber, fact);
    if (watch.raised.has(evaluated.event.id)) return undefined;
    watch.raised.add(evaluated.event.id);
    if (fact.type === "tweet.created") watch.alerted.add(fact.subject);
    watch.count.alerted += 1;
    const isMissed = fact.missed === "on_return" && watch.planned.watch.onReturn === "digest";
    return isMissed ? { ...evaluated, isMissed } : evaluated;
  }
}

/** Returns why the watch rejects a fact; undefined if it accepts it. */
function reasonAgainst({ watch, type }: Planned, fact: FoundFact): string | undefined {
  if (fact.found === "baseline") return BASELINE;
  if (fact.found === "too_old") return TOO_OLD;
  const { tweet, user } = fact.body;
  const { detector } = type.detection;
  const reason = () => {
    if (detector === "feed" && tweet !== undefined)
      return fact.type === "tweet.created" ? reasonAgainstPost(watch, tweet) : undefined;
    if (detector === "roster" && user !== undefined)
      return reasonAgainstMember({ watch }, user, fact.body);
    return reasonAgainstBody(watch, fact.body);
  };
  const isSkipped =
    fact.missed === "skip" || (fact.missed === "on_return" && watch.onReturn === "skip");
  return reason() ?? (isSkipped ? MISSED : undefined);
}

/** Returns the watch with a `where` that names no values in its reasons, so that these add up. */
function withoutValues(planned: Planned): Planned {
  const { where } = planned.watch;
  if (where === undefined) return planned;
  const { text } = where;
  const matches: typeof where.matches = (body) => where.matches(body);
  return { ...planned, watch: { ...planned.watch, where: { text, matches } } };
}

/** Returns how posts of a target are recognised that other watches read. */
function unreadOf({ watch, type }: Planned, target: PlannedWatch["targets"][number]): UnreadTarget {
  const { key, name } = target;
  const none = { key, name, has: () => false };
  if (type.detection.detector !== "feed") return none;
  if (/^@?\w{1,15}$/.test(name)) {
    const handle = name.replace(/^@/, "").toLowerCase();
    return { key, name, has: ({ user }) => user.username.toLowerCase() === handle };
  }
  const query = queryOf(type.source(watch.settings, target).params["query"]);
  return query === undefined
    ? none
    : { key, name, has: (tweet, nowMs) => evaluateQuery(query, tweet, { nowMs }) };
}

function queryOf(text: unknown): Query | undefined {
  return typeof text === "string" ? parseQuery(text) : undefined;
}
