/**
 * What the watches of a configuration make of archived reads: which facts become alerts, and why
 * the others do not. Detection is repeated only for values, and only by thresholds that the active
 * configuration does not have. A target that was never read is answered from posts that other
 * watches read.
 */
import type { ArchivedRead, FoundFact, FoundMembers } from "../../model/archive.ts";
import { groupBy } from "../../model/group-by.ts";
import type { Hash } from "../../model/hash.ts";
import type { WatchState } from "../../model/watch-store.ts";
import type { PlannedWatch } from "../../plan/polls/plan-polls.ts";
import { reasonAgainstMember } from "../../polling/evaluate/evaluate-member-list.ts";
import { reasonAgainstPost } from "../../polling/evaluate/evaluate-feed.ts";
import { makeEvent } from "../../polling/evaluate/make-event.ts";
import { byAgeOfEvents, type EvaluatedEvent } from "../../polling/evaluate/verdicts.ts";
import { reasonAgainstBody } from "../../polling/evaluate/where-reason.ts";
import type { Planned, Subscriber } from "../../polling/watch-poll.ts";
import { ReplayedValues } from "./replayed-values.ts";
import { type UnreadTarget, unreadOf } from "./unread-targets.ts";

/** What became of the items of a watch. */
export interface WatchCount {
  read: number;
  alerted: number;
  /** Why items raised no alert, and how many. */
  readonly reasons: Map<string, number>;
  /** The number of its targets, and whether a backfill can read them. */
  readonly targets: number;
  readonly isFeed: boolean;
  /** Targets that were never read. Their items are those that other watches read: a lower bound. */
  readonly unread: readonly string[];
}

/** The verdict of a watch on a fact. */
export interface ReplayedItem extends Pick<FoundFact, "watchKey" | "targetKey" | "subject"> {
  readonly type: string;
  readonly found: FoundFact["found"];
  /** Why it raised no alert; undefined if it did. */
  readonly reason: string | undefined;
}

export interface ReplayedWatchesDeps {
  /** The watches of the active configuration, by which the archive's facts were found. */
  readonly active: readonly PlannedWatch[];
  readonly hash: Hash;
  readonly startMs: number;
  readonly onItem?: ((item: ReplayedItem) => void) | undefined;
}

const BASELINE = "it was there when the watch began";
const BASELINE_ITEM = { found: "baseline", reason: BASELINE } as const;
const TOO_OLD = "older than max_age when it was found";
const MISSED = "it came while the watch was away";
/** The source of reads that rechecks made. */
const RECHECK = "recheck";

interface Replayed {
  readonly planned: Planned;
  readonly count: WatchCount;
  readonly targets: ReadonlyMap<string, string>;
  readonly unread: readonly UnreadTarget[];
  /** The items that were counted, with the reason why they raised no alert. */
  readonly known: Map<string, string | undefined>;
  /** The ids of the events that it raised. */
  readonly raised: Set<string>;
  /** The subjects of the posts that it alerted on. */
  readonly alerted: Set<string>;
}

export class ReplayedWatches {
  readonly #byKey = new Map<string, Replayed>();
  readonly #values: ReplayedValues;
  readonly #hash: Hash;
  readonly #startMs: number;
  readonly #onItem: ((item: ReplayedItem) => void) | undefined;

  /** `startMs` is when the replay begins. `onItem` is called with the verdict on each fact. */
  constructor(
    planned: readonly PlannedWatch[],
    states: readonly WatchState[],
    { active, hash, startMs, onItem }: ReplayedWatchesDeps,
  ) {
    this.#values = new ReplayedValues(planned as readonly Planned[], active as readonly Planned[]);
    this.#hash = hash;
    this.#startMs = startMs;
    this.#onItem = onItem;
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
        count: {
          ...{ read: 0, alerted: 0, reasons: new Map() },
          targets: targets.length,
          isFeed: one.type.detection.detector === "feed",
          unread: unread.map(({ name }) => name),
        },
        targets: new Map(
          targets.filter(({ key }) => read.has(key)).map(({ key, name }) => [key, name]),
        ),
        unread,
        ...{ known: new Map(), raised: new Set(), alerted: new Set() },
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

  /** Returns the events that a read raises, in the order in which its commit creates them. */
  evaluate(read: ArchivedRead): readonly EvaluatedEvent[] {
    for (const members of read.baselines ?? []) this.#countMembers(members);
    const facts = read.source === RECHECK ? read.facts : this.#inOrder(this.#values.factsOf(read));
    const own = facts.flatMap((fact) => this.#evaluateFact(fact, read) ?? []);
    const others = [...this.#byKey.values()].flatMap((watch) =>
      watch.unread.length === 0 ? [] : this.#evaluateUnread(watch, read),
    );
    const events = [...own, ...others];
    if (read.source === RECHECK) return events;
    return events.sort((a, b) => byAgeOfEvents(a.event, b.event));
  }

  /** Returns the facts with those who joined a list last to first, because lists are newest first. */
  #inOrder(facts: readonly FoundFact[]): readonly FoundFact[] {
    // Nearly all reads are about posts for one target, and grouping takes as long as the verdicts.
    if (isOfOneTarget(facts) && this.#joinedType(facts[0]) === undefined) return facts;
    const groups = groupBy(facts, ({ watchKey, targetKey }) => `${watchKey}\n${targetKey}`);
    return [...groups.values()].flatMap((own) => {
      const joinedType = this.#joinedType(own[0]);
      if (joinedType === undefined) return own;
      const joined = own.filter(({ type }) => type === joinedType);
      return [...joined.toReversed(), ...own.filter(({ type }) => type !== joinedType)];
    });
  }

  /** Returns the event type of a new member; undefined if the fact is not about a list. */
  #joinedType(fact: FoundFact | undefined): string | undefined {
    if (fact === undefined) return undefined;
    const { watchKey, targetKey } = fact;
    const planned = this.#byKey.get(watchKey)?.planned;
    const target = planned?.targets.find(({ key }) => key === targetKey);
    if (planned === undefined || target === undefined) return undefined;
    const { type, watch } = planned;
    return type.detection.detector === "roster"
      ? type.detection.rule(watch.settings, target).joined
      : undefined;
  }

  #evaluateFact(fact: FoundFact, read: ArchivedRead): EvaluatedEvent | undefined {
    const watch = this.#byKey.get(fact.watchKey);
    const targetName = watch?.targets.get(fact.targetKey);
    if (watch === undefined || targetName === undefined) return undefined;
    const { planned } = watch;
    if (read.source === RECHECK && !isFollowed(watch, fact)) return undefined;
    const reason = reasonAgainst(planned, fact);
    this.#countItem(watch, fact, reason);
    if (reason !== undefined) return undefined;
    const subscriber = { ...planned, targetKey: fact.targetKey, targetName };
    return this.#raise(watch, subscriber, fact, read.atMs);
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

  #countMembers({ watchKey, targetKey, ids }: FoundMembers): void {
    const watch = this.#byKey.get(watchKey);
    if (watch === undefined || !watch.targets.has(targetKey)) return;
    addTo(watch.count.reasons, BASELINE, ids.length);
    for (const subject of this.#onItem === undefined ? [] : ids)
      this.#onItem?.({ ...{ watchKey, targetKey, subject, type: "" }, ...BASELINE_ITEM });
  }

  #countItem({ count, known }: Replayed, fact: FoundFact, reason: string | undefined): void {
    const { watchKey, targetKey, subject, type, found } = fact;
    this.#onItem?.({ watchKey, targetKey, subject, type, found, reason });
    const isKnown = type === "tweet.created" && known.has(subject);
    const before = isKnown ? known.get(subject) : undefined;
    // A post that was kept back and raises an alert later is counted as that alert alone.
    if (isKnown && (before === undefined || reason !== undefined)) return;
    if (type === "tweet.created") known.set(subject, reason);
    if (before !== undefined) return addTo(count.reasons, before, -1);
    if (found !== "baseline") count.read += 1;
    if (reason !== undefined) addTo(count.reasons, reason, 1);
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

function isOfOneTarget(facts: readonly FoundFact[]): boolean {
  const [first] = facts;
  return facts.every(
    ({ watchKey, targetKey }) => watchKey === first?.watchKey && targetKey === first.targetKey,
  );
}

function addTo(counts: Map<string, number>, key: string, count: number): void {
  const sum = (counts.get(key) ?? 0) + count;
  if (sum > 0) counts.set(key, sum);
  else counts.delete(key);
}

/**
 * Whether rechecks of this configuration would show the fact. A post that was found before the
 * replay begins is not followed, because nobody knows whether it was alerted.
 */
function isFollowed({ planned, known, alerted }: Replayed, { type, subject }: FoundFact): boolean {
  if (planned.watch.recheck === undefined) return false;
  if (type === "tweet.created") return known.has(subject) && !alerted.has(subject);
  return alerted.has(subject);
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
