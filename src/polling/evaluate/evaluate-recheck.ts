/** What another look at a fresh tweet means to the watch that follows it: told late, gone, looked at again, or done with. */
import { reasonAgainstTweet } from "../../detect/filter-tweet.ts";
import { countAbsence, recheckTimes, nextRecheckMs } from "../../detect/recheck.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { Hash } from "../../model/hash.ts";
import type { LateVerdict, Recheck, RecheckRef } from "../../model/recheck.ts";
import type { Tweet } from "../../model/tweet.ts";
import type { Watch } from "../../model/watch.ts";
import { type Missed, withMissed } from "./absence.ts";
import { type Fact, makeEvent } from "./make-event.ts";
import type { EvaluatedEvent } from "./verdicts.ts";
import type { Subscriber } from "../watch-poll.ts";

export interface RecheckContext {
  readonly hash: Hash;
  readonly detectedAtMs: number;
  /** How much slower looks go while the quota is short. */
  readonly stretch: number;
  /** The answer has none of the tweets it was asked for: it says nothing of any. */
  readonly isBlind: boolean;
  /** While its watch was away: looks that were due then are about what was missed. */
  readonly missed?: Missed | undefined;
}

/** What one look changes; nothing at all ends it. */
export interface Look {
  readonly next?: Recheck;
  readonly ended?: RecheckRef;
  readonly late?: LateVerdict;
  readonly event?: EvaluatedEvent;
}

type Followed = Pick<Subscriber, "watch" | "watchKey" | "targetKey">;

/** A tweet just judged for the first time, where it is to be followed: told (with its event), or kept back by `where` alone. */
export function firstRecheck(subscriber: Followed, tweet: Tweet, eventId: string, nowMs: number): Recheck | undefined {
  const { watch, watchKey, targetKey } = subscriber;
  if (watch.recheck === undefined) return undefined;
  // A date that lies ahead would keep it followed for as long.
  const looks = recheckTimes(Math.min(Date.parse(tweet.created_at) || nowMs, nowMs), nowMs, watch.recheck);
  if (looks === undefined) return undefined;
  return {
    watchKey,
    targetKey,
    tweetId: tweet.id,
    ...looks,
    eventId,
    condition: eventId === "" ? (watch.where?.text ?? "") : "",
    absences: 0,
  };
}

/** What there is of a tweet. */
interface Recalled {
  /** Undefined when the answer is without it. */
  readonly tweet: Tweet | undefined;
  /** The event that told it, as far as it is remembered. */
  readonly told: ChirpEvent | undefined;
}

export function evaluateRecheck(subscriber: Subscriber, recheck: Recheck, { tweet, told }: Recalled, context: RecheckContext): Look {
  if (tweet === undefined) return tellLook(judgeAbsent(subscriber, recheck, told, context), recheck, context);
  return recheck.eventId === ""
    ? tellLook(judgeKeptBack(subscriber, recheck, tweet, context), recheck, context)
    : again(subscriber, { ...recheck, absences: 0 }, context);
}

/** A look that was due while the watch was away is made once it is back. What is not told then is not followed any more either. */
function tellLook(look: Look, recheck: Recheck, { missed }: RecheckContext): Look {
  if (look.event === undefined || missed === undefined || recheck.dueAtMs >= missed.untilMs) return look;
  const [event] = withMissed([look.event], missed);
  return event === undefined ? { ended: refOf(recheck) } : { ...look, event };
}

function judgeAbsent(subscriber: Subscriber, recheck: Recheck, told: ChirpEvent | undefined, context: RecheckContext): Look {
  if (context.isBlind) return again(subscriber, recheck, context);
  const { absences, isGone } = countAbsence(recheck.absences);
  if (!isGone) return again(subscriber, { ...recheck, absences }, context);
  const tweet = told?.body.tweet;
  if (recheck.eventId === "" || tweet === undefined) return { ended: refOf(recheck) };
  const fact = factOf("tweet.deleted", tweet, context.detectedAtMs);
  return { ended: refOf(recheck), event: makeEvent(context.hash, subscriber, fact, context.detectedAtMs) };
}

/** A `where` that was edited is another question: it is asked of the tweets that come from now on. */
function judgeKeptBack(subscriber: Subscriber, recheck: Recheck, tweet: Tweet, context: RecheckContext): Look {
  const { watch } = subscriber;
  const isOther = watch.where?.text !== recheck.condition || reasonAgainstTweet(tweet, watch.include, watch.ignore) !== undefined;
  if (isOther) return { ended: refOf(recheck) };
  if (watch.where?.matches({ tweet }) !== true) return again(subscriber, { ...recheck, absences: 0 }, context);
  const fact = factOf("tweet.created", tweet, Date.parse(tweet.created_at) || context.detectedAtMs);
  const event = makeEvent(context.hash, subscriber, fact, context.detectedAtMs);
  const { watchKey, targetKey, tweetId: itemId } = recheck;
  const late = { watchKey, targetKey, itemId, eventId: event.event.id };
  return { ...again(subscriber, { ...recheck, eventId: event.event.id, condition: "", absences: 0 }, context), late, event };
}

/** From one look to the next. Doublings: looks at whatever factors fall together, and a factor that moves a little moves nothing. */
export const pacedMs = ({ recheck }: Watch, stretch: number): number =>
  (recheck?.everyMs ?? Number.POSITIVE_INFINITY) * 2 ** Math.ceil(Math.log2(Math.max(1, stretch)));

/** When a look that is due may be made at the present pace: one that was dated at another waits for the others. */
export const turnOf = (watch: Watch, { dueAtMs }: Recheck, stretch: number): number => nextRecheckMs(dueAtMs - 1, pacedMs(watch, stretch));

/** A look that only the quota puts off beyond the tweet's last moment is made late. */
function again({ watch }: Subscriber, recheck: Recheck, { detectedAtMs, stretch }: RecheckContext): Look {
  const isLast = nextRecheckMs(detectedAtMs, pacedMs(watch, 1)) > recheck.untilMs;
  return isLast ? { ended: refOf(recheck) } : { next: { ...recheck, dueAtMs: nextRecheckMs(detectedAtMs, pacedMs(watch, stretch)) } };
}

const factOf = (type: string, tweet: Tweet, occurredAtMs: number): Fact => ({
  type,
  subject: tweet.id,
  episode: "",
  body: { tweet },
  occurredAtMs,
});

export const refOf = ({ watchKey, targetKey, tweetId }: RecheckRef): RecheckRef => ({ watchKey, targetKey, tweetId });
