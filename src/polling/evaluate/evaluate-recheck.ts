/**
 * What a recheck of a fresh tweet means to the watch that follows it: a late event, an edit, gone,
 * rechecked again, or done with.
 */
import { reasonAgainstTweet } from "../../detect/filter-tweet.ts";
import { countAbsence, recheckTimes, nextRecheckMs } from "../../detect/recheck.ts";
import { textVersion } from "../../detect/tweet-text.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { Hash } from "../../model/hash.ts";
import type { LateVerdict, Recheck, RecheckRef } from "../../model/recheck.ts";
import type { Tweet } from "../../model/tweet.ts";
import type { Watch } from "../../model/watch.ts";
import { type Missed, withMissed } from "./absence.ts";
import { type EventContext, type Fact, makeEvent } from "./make-event.ts";
import type { EvaluatedEvent } from "./verdicts.ts";
import type { Subscriber } from "../watch-poll.ts";

export interface RecheckContext extends EventContext {
  /** How much slower rechecks go while the quota is short. */
  readonly slowDown: number;
  /** The answer has none of the tweets it was asked for: it says nothing of any. */
  readonly isSuspicious: boolean;
  /** While its watch was away: rechecks that were due then are about what was missed. */
  readonly missed?: Missed | undefined;
}

/** What one recheck changes; nothing at all ends it. */
export interface RecheckOutcome {
  readonly next?: Recheck;
  readonly ended?: RecheckRef;
  readonly late?: LateVerdict;
  readonly event?: EvaluatedEvent;
}

type Followed = Pick<Subscriber, "watch" | "watchKey" | "targetKey">;

/**
 * A tweet just evaluated for the first time, where it is to be followed: an event (which it names),
 * or kept back by `where` alone.
 */
export function firstRecheck(
  { watch, watchKey, targetKey }: Followed,
  tweet: Tweet,
  eventId: string,
  { hash, detectedAtMs: nowMs }: EventContext,
): Recheck | undefined {
  if (watch.recheck === undefined) return undefined;
  // A date that lies ahead would keep it followed for as long.
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

/**
 * Whether the newest event of a tweet that was found must be read: its text is not known to be old.
 */
export function mayBeEdited(hash: Hash, recheck: Recheck, tweet: Tweet): boolean {
  const version = textVersion(hash, tweet);
  return recheck.eventId !== "" && version !== undefined && !recheck.versions.includes(version);
}

/** What there is of a tweet. */
interface Recalled {
  /** Undefined when the answer is without it. */
  readonly tweet: Tweet | undefined;
  /** The event made of it, as far as it is remembered. */
  readonly event: ChirpEvent | undefined;
}

export function evaluateRecheck(
  subscriber: Subscriber,
  recheck: Recheck,
  { tweet, event }: Recalled,
  context: RecheckContext,
): RecheckOutcome {
  const evaluate = () => {
    if (tweet === undefined) return evaluateAbsent(subscriber, recheck, event, context);
    if (recheck.eventId === "") return evaluateKeptBack(subscriber, recheck, tweet, context);
    return evaluatePresent(subscriber, { ...recheck, absences: 0 }, { tweet, event }, context);
  };
  return withAbsence(evaluate(), recheck, context);
}

/**
 * One event per text: an answer may come from a cache and show an older text again, which is no
 * news. What was announced before versions were kept has the version of its event.
 */
function evaluatePresent(
  subscriber: Subscriber,
  recheck: Recheck,
  { tweet, event }: { readonly tweet: Tweet; readonly event: ChirpEvent | undefined },
  context: RecheckContext,
): RecheckOutcome {
  const { hash, detectedAtMs } = context;
  const before = event?.body.tweet;
  const version = textVersion(hash, tweet);
  if (before === undefined || version === undefined || !mayBeEdited(hash, recheck, tweet))
    return again(subscriber, recheck, context);
  const versions = recheck.versions.length === 0 ? versionsOf(hash, before) : recheck.versions;
  // An announced tweet without a text has it now: that is no edit.
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
  return { ...again(subscriber, next, context), event: evaluated };
}

/**
 * A recheck that was due while the watch was away is made once it is back. What raises no event
 * then is not followed any more either.
 */
function withAbsence(
  outcome: RecheckOutcome,
  recheck: Recheck,
  { missed }: RecheckContext,
): RecheckOutcome {
  if (outcome.event === undefined || missed === undefined || recheck.dueAtMs >= missed.untilMs)
    return outcome;
  const [event] = withMissed([outcome.event], missed);
  return event === undefined ? { ended: refOf(recheck) } : { ...outcome, event };
}

function evaluateAbsent(
  subscriber: Subscriber,
  recheck: Recheck,
  event: ChirpEvent | undefined,
  context: RecheckContext,
): RecheckOutcome {
  if (context.isSuspicious) return again(subscriber, recheck, context);
  const { absences, isGone } = countAbsence(recheck.absences);
  if (!isGone) return again(subscriber, { ...recheck, absences }, context);
  const tweet = event?.body.tweet;
  if (recheck.eventId === "" || tweet === undefined) return { ended: refOf(recheck) };
  const fact = factOf("tweet.deleted", tweet, context.detectedAtMs);
  return { ended: refOf(recheck), event: makeEvent(context, subscriber, fact) };
}

/**
 * A `where` that was edited is another question: it is asked of the tweets that come from now on.
 */
function evaluateKeptBack(
  subscriber: Subscriber,
  recheck: Recheck,
  tweet: Tweet,
  context: RecheckContext,
): RecheckOutcome {
  const { watch } = subscriber;
  const isOther =
    watch.where?.text !== recheck.condition ||
    reasonAgainstTweet(tweet, watch.include, watch.ignore) !== undefined;
  if (isOther) return { ended: refOf(recheck) };
  if (watch.where?.matches({ tweet }) !== true)
    return again(subscriber, { ...recheck, absences: 0 }, context);
  const fact = factOf("tweet.created", tweet, Date.parse(tweet.created_at) || context.detectedAtMs);
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
  };
}

/**
 * From one recheck to the next. Doublings: rechecks at whatever factors fall together, and a factor
 * that moves a little moves nothing.
 */
export const pacedMs = ({ recheck }: Watch, slowDown: number): number =>
  (recheck?.everyMs ?? Number.POSITIVE_INFINITY) * 2 ** Math.ceil(Math.log2(Math.max(1, slowDown)));

/**
 * When a recheck that is due may be made at the present pace: one that was dated at another waits
 * for the others.
 */
export const turnOf = (watch: Watch, { dueAtMs }: Recheck, slowDown: number): number =>
  nextRecheckMs(dueAtMs - 1, pacedMs(watch, slowDown));

/** A recheck that only the quota puts off beyond the tweet's last moment is made late. */
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
