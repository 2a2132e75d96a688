/**
 * Turns the items of a backfill into alerts: the items that have no event yet and that the watch's
 * filters accept, oldest first. `max_age` does not apply. Items that the regular polls have not
 * reached yet are left to them. Makes no requests.
 */
import { EMPTY_FEED, readFeedMemory } from "../../detect/feed-memory.ts";
import type { BackfillStore } from "../../model/backfill.ts";
import { type Clock, isoTime } from "../../model/clock.ts";
import type { Hash } from "../../model/hash.ts";
import { compareIds } from "../../model/id.ts";
import type { ItemMark, ItemVerdict, PollCommit, PollStore } from "../../model/poll-store.ts";
import type { LateVerdict } from "../../model/recheck.ts";
import type { Tweet } from "../../model/tweet.ts";
import type { TargetState, WatchStore } from "../../model/watch-store.ts";
import { evaluateFeed } from "../../polling/evaluate/evaluate-feed.ts";
import {
  committedOf,
  type RouteEvaluated,
  type SubscriberEvaluation,
} from "../../polling/evaluate/verdicts.ts";
import { itemOfTweet } from "../../polling/read/read-feed.ts";
import type { Poll, Subscriber } from "../../polling/watch-poll.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";
import type { BackfillRequest, BackfillView } from "../../server/schema/backfill-view.ts";

export interface CommitBackParts {
  readonly store: Pick<PollStore, "itemMarks" | "loadSources" | "commitPoll"> &
    Pick<WatchStore, "loadTargets"> &
    Pick<BackfillStore, "backfilledTweets">;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly hash: Hash;
  /** Routes the events. If undefined, events are only counted and nothing is committed. */
  readonly route: RouteEvaluated | undefined;
}

/** Commits a backfill and records it in the audit. */
export async function backfillWatch(
  parts: CommitBackParts & { readonly store: Pick<BackfillStore, "recordChange"> },
  polls: readonly Poll[],
  { watchId, sinceMs, by }: BackfillRequest,
): Promise<BackfillView> {
  const view = await commitBack(parts, polls, sinceMs);
  await parts.store.recordChange(parts.clock.now(), "backfill", {
    watch: watchId,
    since: isoTime(sinceMs),
    by,
    ...view,
  });
  return view;
}

/**
 * The number of tweets that are committed in one transaction. The polls of a running daemon never
 * wait for more than one such transaction.
 */
const AT_ONCE = 100;

export async function commitBack(
  parts: CommitBackParts,
  polls: readonly Poll[],
  sinceMs: number,
): Promise<BackfillView> {
  const counts = { alerts: 0, filtered: 0, known: 0, left: 0 };
  for (const poll of polls) {
    const tweets = await parts.store.backfilledTweets(poll.key, sinceMs);
    const [source] = await parts.store.loadSources([poll.key]);
    const newest = readFeedMemory(source?.memory ?? {}).stretches[0]?.high;
    const covered =
      newest === undefined ? [] : tweets.filter(({ id }) => compareIds(id, newest) <= 0);
    counts.left += tweets.length - covered.length;
    for (const subscriber of poll.subscribers) await commitOf(parts, subscriber, covered, counts);
  }
  return counts;
}

type Counts = { -readonly [K in keyof BackfillView]: number };

async function commitOf(
  parts: CommitBackParts,
  subscriber: Subscriber,
  tweets: readonly Tweet[],
  counts: Counts,
): Promise<void> {
  const { author } = subscriber;
  const own = tweets.filter(({ user }) => author === undefined || user.id === author);
  for (let start = 0; start < own.length; start += AT_ONCE) {
    const chunk = own.slice(start, start + AT_ONCE);
    const [target] = await parts.store.loadTargets([subscriber]);
    if (target === undefined) return;
    const [marks = new Map<string, ItemMark>()] = await parts.store.itemMarks(
      [subscriber],
      chunk.map(({ id }) => id),
    );
    const unannounced = chunk.filter(({ id }) => marks.get(id)?.verdict !== "event");
    const evaluation = evaluateAll(parts, subscriber, target, unannounced);
    counts.known += chunk.length - unannounced.length;
    counts.filtered += evaluation.verdicts.filter(({ verdict }) => verdict === "filtered").length;
    counts.alerts +=
      parts.route === undefined
        ? evaluation.events.length
        : await commitChunk(parts, subscriber, evaluation, marks);
  }
}

/**
 * Evaluates the tweets as if the target had begun before all of them and the watch had no
 * `max_age`.
 */
function evaluateAll(
  { clock, serviceClock, hash }: CommitBackParts,
  subscriber: Subscriber,
  target: TargetState,
  tweets: readonly Tweet[],
): SubscriberEvaluation {
  const watch = { ...subscriber.watch, maxAgeMs: Number.POSITIVE_INFINITY };
  const seen = {
    tweets: new Map(tweets.map((tweet) => [tweet.id, tweet])),
    items: tweets.map(itemOfTweet),
    memory: EMPTY_FEED,
    firstPageHigh: undefined,
    horizonMs: 0,
    nowMs: serviceClock.now(),
    isHeadWhole: false,
    isSuspicious: false,
    lostGaps: 0,
  };
  const eternal = { ...target, baselineAtMs: 0, memory: { birth: "0", since_ms: 0 } };
  return evaluateFeed({ ...subscriber, watch }, eternal, seen, {
    hash,
    serviceClock,
    detectedAtMs: clock.now(),
    known: new Set(),
  });
}

async function commitChunk(
  { store, clock, route }: CommitBackParts,
  { watch }: Subscriber,
  { verdicts, events, rechecks = [] }: SubscriberEvaluation,
  marks: ReadonlyMap<string, ItemMark>,
): Promise<number> {
  if (route === undefined) return 0;
  const nowMs = clock.now();
  // An operator who runs a backfill wants its alerts, even if `on_return: skip` drops what was
  // missed during pauses.
  const isMissed = watch.onReturn !== "deliver";
  const routed = events.map((event) => route({ ...event, isMissed, isBackfilled: true }, nowMs));
  const commit: PollCommit = {
    atMs: nowMs,
    targets: [],
    verdicts: verdicts.filter(({ itemId }) => !marks.has(itemId)),
    ...committedOf(routed),
    rechecks: {
      rechecks,
      ended: [],
      late: verdicts.flatMap((verdict) => lateVerdict(verdict, marks)),
    },
  };
  const result = await store.commitPoll(commit);
  return result.status === "committed" ? result.created.size : 0;
}

/**
 * Returns a late verdict if the item is an event now and had the verdict baseline, too old or
 * filtered before; otherwise nothing.
 */
function lateVerdict(
  one: ItemVerdict,
  marks: ReadonlyMap<string, ItemMark>,
): readonly LateVerdict[] {
  const { watchKey, targetKey, itemId, verdict, eventId } = one;
  const was = marks.get(itemId)?.verdict;
  return verdict !== "event" || eventId === undefined || was === undefined
    ? []
    : [{ watchKey, targetKey, itemId, eventId, was }];
}
