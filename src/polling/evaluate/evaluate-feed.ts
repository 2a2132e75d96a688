/**
 * Evaluates the tweets of a feed for one subscriber: sets the baseline watermark at the first read,
 * gives each tweet a verdict, and creates events.
 */
import { detectFeed, newestIds } from "../../detect/feed.ts";
import { reasonAgainstTweet } from "../../detect/filter-tweet.ts";
import type { FoundFact } from "../../model/archive.ts";
import type { Verdict } from "../../model/event.ts";
import { maxId, tweetIdAt } from "../../model/id.ts";
import type { ItemVerdict, TargetChange } from "../../model/poll-store.ts";
import type { Recheck } from "../../model/recheck.ts";
import type { TargetState } from "../../model/watch-store.ts";
import type { Tweet } from "../../model/tweet.ts";
import type { Watch } from "../../model/watch.ts";
import type { Subscriber } from "../watch-poll.ts";
import { firstRecheck } from "./evaluate-recheck.ts";
import { isSkipping, type Missed, missedBy, withoutAbsence } from "./absence.ts";
import type { Reader } from "./load-subscribers.ts";
import { foundFact } from "./found.ts";
import { type EvaluationContext, type Fact, makeEvent } from "./make-event.ts";
import type { FeedNeeds, FeedObservation } from "../read/read-feed.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";
import { changeOf, WELL } from "./target-change.ts";
import { type EvaluatedEvent, type SubscriberEvaluation, NOTHING } from "./verdicts.ts";
import { reasonAgainstBody } from "./where-reason.ts";

/**
 * The baseline part of a feed target's memory: the watermark (`birth`), and the time since which
 * items are new, in service time.
 */
interface BaselineMark {
  readonly birth: string;
  readonly since_ms: number;
}

const baselineMarkOf = (target: TargetState): BaselineMark | undefined => {
  const { birth, since_ms: sinceMs } = target.memory;
  return typeof birth === "string" && typeof sinceMs === "number"
    ? { birth, since_ms: sinceMs }
    : undefined;
};

/**
 * Returns when the target was registered, in service time. A feed can stay empty for days and set
 * no baseline watermark. Until it sets one, the value that was computed at the first answer is
 * kept, because the machine's clock may be changed while the daemon is stopped.
 */
function registeredMsOf(target: TargetState, serviceClock: ServiceClock): number {
  const { registered_ms: kept } = target.memory;
  return typeof kept === "number" ? kept : serviceClock.fromLocal(target.registeredAtMs);
}

/** Returns the service time from which items are new in the first run of a watch. */
function firstRunSinceMs(watch: Watch, target: TargetState, serviceClock: ServiceClock): number {
  const registeredMs = registeredMsOf(target, serviceClock);
  return watch.firstRun.kind === "since" ? registeredMs - watch.firstRun.ageMs : registeredMs;
}

/**
 * Returns the first baseline watermark. The watermark of an account that is read through a public
 * list is at least its registration: if the account is not on the list yet, the page shows none of
 * its earlier posts, and these must not count as new later.
 */
function firstBaselineMark(
  { watch, author }: Subscriber,
  target: TargetState,
  pageHigh: string,
  serviceClock: ServiceClock,
): BaselineMark {
  const registeredId = author === undefined ? "0" : tweetIdAt(registeredMsOf(target, serviceClock));
  return {
    birth: maxId(pageHigh, registeredId),
    since_ms: firstRunSinceMs(watch, target, serviceClock),
  };
}

/**
 * Returns the start of the time in which the target was not read, until that time has been read.
 * Undefined if there is none. It is on our clock, which is close enough to the service's for bounds
 * of minutes.
 */
export const resumedFromMs = (target: TargetState): number | undefined => {
  const value = target.memory["resume_ms"];
  return typeof value === "number" ? value : undefined;
};

/**
 * Returns how far back the walk from the newest item must go for subscribers that have no baseline
 * yet or were paused.
 */
export function feedNeeds(readers: readonly Reader[], serviceClock: ServiceClock): FeedNeeds {
  const floors: number[] = [];
  let minItems = 0;
  for (const { subscriber, target } of readers) {
    const { watch } = subscriber;
    const resumeMs = resumedFromMs(target);
    // Late-arrival rescans of a shared feed did not serve this subscriber while it was paused, so
    // its overlap is read as well.
    if (resumeMs !== undefined && !isSkipping(watch, target))
      floors.push(resumeMs - watch.overlapMs);
    if (target.baselineAtMs !== null && baselineMarkOf(target) !== undefined) continue;
    floors.push(firstRunSinceMs(watch, target, serviceClock));
    if (watch.firstRun.kind === "latest") minItems = Math.max(minItems, watch.firstRun.count);
  }
  return floors.length === 0 ? { minItems } : { firstRunFloorMs: Math.min(...floors), minItems };
}

export interface FeedContext extends Omit<EvaluationContext, "episode"> {
  /** The ids of tweets that already have a verdict in the state. */
  readonly known: ReadonlySet<string>;
}

export function evaluateFeed(
  subscriber: Subscriber,
  target: TargetState,
  seen: FeedObservation,
  context: FeedContext,
): SubscriberEvaluation {
  const { watch } = subscriber;
  const stored = baselineMarkOf(target);
  // An empty list sets no baseline watermark, because it may be a suspicious empty response. Items
  // newer than the registration are new anyway.
  if (stored === undefined && seen.firstPageHigh === undefined) {
    const isKept = target.memory["registered_ms"] !== undefined;
    const registered = isKept
      ? undefined
      : { registered_ms: registeredMsOf(target, context.serviceClock) };
    return {
      ...NOTHING,
      targets: targetChange(target, registered, seen.isHeadWhole, context.detectedAtMs),
    };
  }
  const isFirst = target.baselineAtMs === null || stored === undefined;
  const birth =
    stored ??
    firstBaselineMark(subscriber, target, seen.firstPageHigh ?? "0", context.serviceClock);
  const isWanted = (id: string): boolean => {
    const tweet = seen.tweets.get(id);
    return tweet !== undefined && reasonAgainstPost(watch, tweet) === undefined;
  };
  const findings = detectFeed(
    seen.items,
    context.known,
    { birth: birth.birth, sinceMs: birth.since_ms },
    {
      nowMs: seen.nowMs,
      maxAgeMs: watch.maxAgeMs,
      horizonMs: Math.min(
        seen.horizonMs,
        isFirst ? birth.since_ms : Number.POSITIVE_INFINITY,
        resumedFromMs(target) ?? Number.POSITIVE_INFINITY,
      ),
      chosen:
        isFirst && watch.firstRun.kind === "latest"
          ? newestIds(
              seen.items.filter(({ id }) => isWanted(id)),
              watch.firstRun.count,
            )
          : new Set(),
    },
  );
  const missed = missedBy(watch, target);
  const missedUntilMs =
    missed === undefined
      ? Number.NEGATIVE_INFINITY
      : context.serviceClock.fromLocal(missed.untilMs);
  const wasMissed = new Set(
    seen.items.filter(({ timeMs }) => timeMs <= missedUntilMs).map(({ id }) => id),
  );
  const found: FoundFact[] = [];
  const evaluated = findings.flatMap(({ id, verdict }) => {
    const tweet = seen.tweets.get(id);
    if (tweet === undefined) return [];
    const missedBy = wasMissed.has(id) ? missed : undefined;
    const fact = factOf(tweet, context.detectedAtMs);
    found.push(foundFact(subscriber, fact, verdict, missedBy));
    return [evaluateTweet(subscriber, { tweet, fact, verdict, missed: missedBy }, context)];
  });
  return {
    ...(found.length === 0 ? {} : { found: { facts: found } }),
    verdicts: evaluated.map(({ verdict }) => verdict),
    events: evaluated.flatMap(({ event }) => (event === undefined ? [] : [event])),
    rechecks: evaluated.flatMap(({ recheck }) => (recheck === undefined ? [] : [recheck])),
    targets: targetChange(
      target,
      stored === undefined ? birth : undefined,
      seen.isHeadWhole,
      context.detectedAtMs,
    ),
  };
}

/** Returns why the watch rejects the tweet; undefined if it accepts it. */
export function reasonAgainstPost(watch: Watch, tweet: Tweet): string | undefined {
  const reason = reasonAgainstTweet(tweet, watch.include, watch.ignore);
  return reason ?? reasonAgainstBody(watch, { tweet });
}

const isKeptByWhere = ({ include, ignore }: Watch, tweet: Tweet): boolean =>
  reasonAgainstTweet(tweet, include, ignore) === undefined;

interface EvaluatedTweet {
  readonly verdict: ItemVerdict;
  readonly event?: EvaluatedEvent;
  readonly recheck?: Recheck | undefined;
}

const factOf = (tweet: Tweet, detectedAtMs: number): Fact => ({
  type: "tweet.created",
  subject: tweet.id,
  episode: "",
  body: { tweet },
  occurredAtMs: Date.parse(tweet.created_at) || detectedAtMs,
});

interface FoundTweet {
  readonly tweet: Tweet;
  readonly fact: Fact;
  readonly verdict: "news" | "baseline" | "too_old";
  /** Set if the tweet was posted during an absence of the watch. */
  readonly missed: Missed | undefined;
}

function evaluateTweet(
  subscriber: Subscriber,
  { tweet, fact, verdict: found, missed }: FoundTweet,
  context: FeedContext,
): EvaluatedTweet {
  const reason = found === "news" ? reasonAgainstPost(subscriber.watch, tweet) : undefined;
  const verdict: Verdict = found !== "news" ? found : reason === undefined ? "event" : "filtered";
  const { watchKey, targetKey } = subscriber;
  const { occurredAtMs } = fact;
  // A spread would take a hundred times as long, and a poll has up to thousands of tweets.
  const verdictWith = (kind: Verdict, detail: string): ItemVerdict => ({
    watchKey,
    targetKey,
    itemId: tweet.id,
    itemKind: "tweet",
    occurredAtMs,
    verdict: kind,
    detail,
  });
  if (verdict === "event" && missed?.mode === "skip")
    return { verdict: verdictWith("baseline", missed.detail) };
  const follow = (eventId: string) => firstRecheck(subscriber, tweet, eventId, context);
  if (verdict !== "event") {
    const recheck =
      verdict === "filtered" && isKeptByWhere(subscriber.watch, tweet) ? follow("") : undefined;
    return {
      verdict: verdictWith(verdict, detailOf(subscriber.watch, verdict, reason)),
      recheck,
    };
  }
  const event = makeEvent(context, subscriber, fact);
  return {
    verdict: Object.assign(verdictWith(verdict, ""), { eventId: event.event.id }),
    event: missed?.mode === "digest" ? { ...event, isMissed: true } : event,
    recheck: follow(event.event.id),
  };
}

function detailOf(watch: Watch, verdict: Verdict, reason: string | undefined): string {
  if (verdict === "baseline") return "it was there when the watch began";
  if (verdict === "too_old") return `older than max_age when it was found (${watch.id})`;
  return reason ?? "";
}

/**
 * Returns the change of the target, if there is one to store: the baseline watermark is set or
 * cannot be set yet, the first run or a catch-up is complete, or the target can be read again.
 */
function targetChange(
  target: TargetState,
  drawn: BaselineMark | { readonly registered_ms: number } | undefined,
  isWhole: boolean,
  atMs: number,
): readonly TargetChange[] {
  const isFirstDone = isWhole && target.baselineAtMs === null;
  const isCaughtUp = isWhole && resumedFromMs(target) !== undefined;
  if (drawn === undefined && !isFirstDone && !isCaughtUp && target.status === "ok") return [];
  const memory = { ...(isCaughtUp ? withoutAbsence(target.memory) : target.memory), ...drawn };
  return [{ ...changeOf(target), memory, ...(isFirstDone ? { baselineAtMs: atMs } : {}), ...WELL }];
}
