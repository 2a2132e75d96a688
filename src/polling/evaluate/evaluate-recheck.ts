/**
 * Evaluates a recheck of a fresh tweet for the watch that found it. The outcome is a late event, an
 * edit, a deletion, another recheck, or the end of rechecking.
 */
import { reasonAgainstTweet } from "../../detect/filter-tweet.ts";
import { countAbsence, recheckTimes, nextRecheckMs } from "../../detect/recheck.ts";
import type { FoundFact } from "../../model/archive.ts";
import { textVersion } from "../../detect/tweet-text.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { Hash } from "../../model/hash.ts";
import type { LateVerdict, Recheck, RecheckRef } from "../../model/recheck.ts";
import type { Tweet } from "../../model/tweet.ts";
import type { Watch } from "../../model/watch.ts";
import { type Missed, withMissed } from "./absence.ts";
import { foundFact } from "./found.ts";
import { type EventContext, type Fact, makeEvent } from "./make-event.ts";
import type { EvaluatedEvent } from "./verdicts.ts";
import type { Subscriber } from "../watch-poll.ts";

export interface RecheckContext extends EventContext {
  /** How much slower rechecks are while the quota is short. */
  readonly slowDown: number;
  /**
   * Whether the answer has none of the requested tweets, so that it says nothing about any of them.
   */
  readonly isSuspicious: boolean;
  /**
   * Set if the watch was absent. An event of a recheck that was due during the absence counts as
   * missed.
   */
  readonly missed?: Missed | undefined;
}

/**
 * What one recheck changes. `next` is the following recheck, `ended` the tweet that is rechecked no
 * more, and `late` the new verdict of a tweet that `where` rejected before.
 */
export interface RecheckOutcome {
  readonly next?: Recheck;
  readonly ended?: RecheckRef;
  readonly late?: LateVerdict;
  readonly event?: EvaluatedEvent;
  /** What the recheck showed before `where` and an absence of the watch decide. */
  readonly found?: FoundFact;
}

type Followed = Pick<Subscriber, "watch" | "watchKey" | "targetKey">;

/**
 * Returns the first recheck of a tweet that raised an event, or that only `where` rejected
 * (`eventId` is then empty). Undefined if the watch rechecks nothing, or the tweet is too old.
 */
export function firstRecheck(
  { watch, watchKey, targetKey }: Followed,
  tweet: Tweet,
  eventId: string,
  { hash, detectedAtMs: nowMs }: EventContext,
): Recheck | undefined {
  if (watch.recheck === undefined) return undefined;
  // A tweet's date in the future would otherwise prolong its rechecks.
  const times = recheckTimes(
    Math.min(Date.parse(tweet.created_at) || nowMs, nowMs),
    nowMs,
    watch.recheck,
  );
  if (times === undefined) return undefined;
  return {
    watchKey,
    targetKey,
    tweetId: tweet.id,
    ...times,
    eventId,
    condition: eventId === "" ? (watch.where?.text ?? "") : "",
    absences: 0,
    versions: eventId === "" ? [] : versionsOf(hash, tweet),
  };
}

const versionsOf = (hash: Hash, tweet: Tweet): readonly string[] => {
  const version = textVersion(hash, tweet);
  return version === undefined ? [] : [version];
};

/** Whether the newest event of a tweet must be read, because the tweet's text may be new. */
export function mayBeEdited(hash: Hash, recheck: Recheck, tweet: Tweet): boolean {
  const version = textVersion(hash, tweet);
  return recheck.eventId !== "" && version !== undefined && !recheck.versions.includes(version);
}

/** The tweet as the recheck found it, and what the state knows about it. */
interface Recalled {
  /** Undefined if the answer does not have the tweet. */
  readonly tweet: Tweet | undefined;
  /** The event about the tweet, if it is still stored. */
  readonly event: ChirpEvent | undefined;
}

export function evaluateRecheck(
  subscriber: Subscriber,
  recheck: Recheck,
  { tweet, event }: Recalled,
  context: RecheckContext,
): RecheckOutcome {
  const evaluate = (): RaisedOutcome => {
    if (tweet === undefined) return evaluateAbsent(subscriber, recheck, event, context);
    if (recheck.eventId === "") return evaluateKeptBack(subscriber, recheck, tweet, context);
    return evaluatePresent(subscriber, { ...recheck, absences: 0 }, { tweet, event }, context);
  };
  const { fact, ...outcome } = evaluate();
  const shown = fact ?? (tweet && factOf("tweet.created", tweet, createdAtMs(tweet, context)));
  const { missed } = context;
  const wasMissed = missed !== undefined && recheck.dueAtMs < missed.untilMs ? missed : undefined;
  return {
    ...withAbsence(outcome, recheck, wasMissed),
    ...(shown === undefined ? {} : { found: foundFact(subscriber, shown, "news", wasMissed) }),
  };
}

/** An outcome, and the fact from which its event was created. */
interface RaisedOutcome extends RecheckOutcome {
  readonly fact?: Fact;
}

const createdAtMs = (tweet: Tweet, { detectedAtMs }: Pick<EventContext, "detectedAtMs">): number =>
  Date.parse(tweet.created_at) || detectedAtMs;

/**
 * Evaluates a tweet that still exists and has raised an event. Each of its texts raises one event,
 * because an answer from a cache may show an older text again. If no versions are stored, because
 * an older release announced the tweet, the text of its event is its only version.
 */
function evaluatePresent(
  subscriber: Subscriber,
  recheck: Recheck,
  { tweet, event }: { readonly tweet: Tweet; readonly event: ChirpEvent | undefined },
  context: RecheckContext,
): RaisedOutcome {
  const { hash, detectedAtMs } = context;
  const before = event?.body.tweet;
  const version = textVersion(hash, tweet);
  if (before === undefined || version === undefined || !mayBeEdited(hash, recheck, tweet))
    return again(subscriber, recheck, context);
  const versions = recheck.versions.length === 0 ? versionsOf(hash, before) : recheck.versions;
  // The tweet was announced without a text and has one now, which is not an edit.
  if (versions.length === 0) return again(subscriber, { ...recheck, versions: [version] }, context);
  if (versions.includes(version)) return again(subscriber, { ...recheck, versions }, context);
  const edited = {
    type: "tweet.edited",
    subject: tweet.id,
    episode: version,
    body: { tweet, previous: { full_text: before.full_text } },
    occurredAtMs: detectedAtMs,
  };
  const evaluated = makeEvent(context, subscriber, edited);
  const next = { ...recheck, eventId: evaluated.event.id, versions: [...versions, version] };
  return { ...again(subscriber, next, context), event: evaluated, fact: edited };
}

/**
 * Applies an absence of the watch to the outcome. A recheck that was due during the absence is made
 * after it, and its event counts as missed. If `on_return` skips the event, the rechecks of the
 * tweet end.
 */
function withAbsence(
  outcome: RecheckOutcome,
  recheck: Recheck,
  missed: Missed | undefined,
): RecheckOutcome {
  if (outcome.event === undefined || missed === undefined) return outcome;
  const [event] = withMissed([outcome.event], missed);
  return event === undefined ? { ended: refOf(recheck) } : { ...outcome, event };
}

function evaluateAbsent(
  subscriber: Subscriber,
  recheck: Recheck,
  event: ChirpEvent | undefined,
  context: RecheckContext,
): RaisedOutcome {
  if (context.isSuspicious) return again(subscriber, recheck, context);
  const { absences, isGone } = countAbsence(recheck.absences);
  if (!isGone) return again(subscriber, { ...recheck, absences }, context);
  const tweet = event?.body.tweet;
  if (recheck.eventId === "" || tweet === undefined) return { ended: refOf(recheck) };
  const fact = factOf("tweet.deleted", tweet, context.detectedAtMs);
  return { ended: refOf(recheck), event: makeEvent(context, subscriber, fact), fact };
}

/**
 * Evaluates a tweet that `where` rejected. If `where` was edited since, the recheck ends: the new
 * expression applies only to later tweets.
 */
function evaluateKeptBack(
  subscriber: Subscriber,
  recheck: Recheck,
  tweet: Tweet,
  context: RecheckContext,
): RaisedOutcome {
  const { watch } = subscriber;
  const isOther =
    watch.where?.text !== recheck.condition ||
    reasonAgainstTweet(tweet, watch.include, watch.ignore) !== undefined;
  if (isOther) return { ended: refOf(recheck) };
  if (watch.where?.matches({ tweet }) !== true)
    return again(subscriber, { ...recheck, absences: 0 }, context);
  const fact = factOf("tweet.created", tweet, createdAtMs(tweet, context));
  const event = makeEvent(context, subscriber, fact);
  const { watchKey, targetKey, tweetId: itemId } = recheck;
  const late = { watchKey, targetKey, itemId, eventId: event.event.id };
  return {
    ...again(
      subscriber,
      {
        ...recheck,
        eventId: event.event.id,
        condition: "",
        absences: 0,
        versions: versionsOf(context.hash, tweet),
      },
      context,
    ),
    late,
    event,
    fact,
  };
}

/**
 * Returns the time between rechecks, in ms. While the quota is short it is doubled once or several
 * times. Rechecks with different factors then still coincide, and small changes of the factor have
 * no effect.
 */
export const pacedMs = ({ recheck }: Watch, slowDown: number): number =>
  (recheck?.everyMs ?? Number.POSITIVE_INFINITY) * 2 ** Math.ceil(Math.log2(Math.max(1, slowDown)));

/**
 * Returns when a due recheck may be made at the current pace. A recheck that was scheduled at
 * another pace waits until it coincides with the others.
 */
export const turnOf = (watch: Watch, { dueAtMs }: Recheck, slowDown: number): number =>
  nextRecheckMs(dueAtMs - 1, pacedMs(watch, slowDown));

/**
 * Returns the next recheck, or the end of rechecking if the tweet would be too old by then. If only
 * the slow-down delays the next recheck beyond that age, it is made nevertheless.
 */
function again(
  { watch }: Subscriber,
  recheck: Recheck,
  { detectedAtMs, slowDown }: RecheckContext,
): RecheckOutcome {
  const isLast = nextRecheckMs(detectedAtMs, pacedMs(watch, 1)) > recheck.untilMs;
  return isLast
    ? { ended: refOf(recheck) }
    : { next: { ...recheck, dueAtMs: nextRecheckMs(detectedAtMs, pacedMs(watch, slowDown)) } };
}

const factOf = (type: string, tweet: Tweet, occurredAtMs: number): Fact => ({
  type,
  subject: tweet.id,
  episode: "",
  body: { tweet },
  occurredAtMs,
});

export const refOf = ({ watchKey, targetKey, tweetId }: RecheckRef): RecheckRef => ({
  watchKey,
  targetKey,
  tweetId,
});
