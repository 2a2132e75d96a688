/**
 * Explains why nothing is stored about an item: which watches could have seen it, and why each of
 * them did not. Only reads the state.
 */
import type { Config } from "../../config/config.ts";
import { compareIds, timeOfTweetId } from "../../model/id.ts";
import { isoTime } from "../../model/clock.ts";
import type { PollStore, SourceState } from "../../model/poll-store.ts";
import type { TargetRef, TargetState, WatchState, WatchStore } from "../../model/watch-store.ts";
import type { Watch } from "../../model/watch.ts";
import type { Poll, Subscriber } from "../../plan/poll.ts";
import type { UnseenLine, UnseenView } from "../../server/schema/explain-view.ts";
import { watchTypeOf } from "../../watches/registry.ts";
import { memberListViews } from "./member-list-view.ts";
import { firstReadView } from "./status-view.ts";
import { reasonOfFeed } from "./unseen-tweet.ts";

export interface UnseenParts {
  readonly store: Pick<PollStore, "loadSources"> & Pick<WatchStore, "listWatches">;
  readonly config: Pick<Config, "watches" | "state">;
  readonly polls: readonly Poll[];
  readonly nowMs: number;
}

export interface UnseenItem {
  readonly id: string;
  readonly isTweet: boolean;
  /** The author's handle in lower case, if the request contains it. */
  readonly author: string | undefined;
}

/** The maximum number of lines. Thousands of watches may each follow thousands of accounts. */
const MAX_LINES = 500;

export async function explainUnseen(
  { store, config, polls, nowMs }: UnseenParts,
  item: UnseenItem,
): Promise<UnseenView> {
  const states = new Map((await store.listWatches()).map((state) => [state.id, state]));
  const single = polls
    .flatMap((poll) => poll.group?.members ?? [poll])
    .filter(({ detector }) => detector === detectorOf(item));
  const sources = new Map(
    (await store.loadSources(single.map(({ key }) => key))).map((source) => [
      source.fingerprint,
      source,
    ]),
  );
  const reads = readsByTarget(single, sources);
  const lines = config.watches.flatMap((watch) => {
    const state = states.get(watch.id);
    const whole = reasonOfWatch(watch, state, item);
    if (whole !== undefined) return [{ watch: watch.id, target: "", ...whole }];
    return (state?.targets ?? []).map((target) => ({
      watch: watch.id,
      target: target.name,
      ...reasonOfTarget(
        reads.get(refText({ watchKey: state?.key ?? "", targetKey: target.key })),
        target,
        { item, nowMs },
      ),
    }));
  });
  const sorted = lines.toSorted((a, b) => Number(b.could_see) - Number(a.could_see));
  const postedMs = item.isTweet ? timeOfTweetId(item.id) : undefined;
  return {
    posted_at: postedMs === undefined ? null : isoTime(postedMs),
    is_forgotten: postedMs !== undefined && postedMs < nowMs - config.state.retentionMs,
    watches: sorted.slice(0, MAX_LINES),
    more: Math.max(0, sorted.length - MAX_LINES),
  };
}

type Reason = Pick<UnseenLine, "could_see" | "reason">;

const detectorOf = ({ isTweet }: UnseenItem): Poll["detector"] => (isTweet ? "feed" : "roster");

const no = (reason: string): Reason => ({ could_see: false, reason });
const yes = (reason: string): Reason => ({ could_see: true, reason });

/**
 * Returns the reason why no target of the watch can see the item; undefined if that depends on the
 * target.
 */
function reasonOfWatch(
  watch: Watch,
  state: WatchState | undefined,
  item: UnseenItem,
): Reason | undefined {
  if (watchTypeOf(watch).detection.detector !== detectorOf(item))
    return no(
      item.isTweet
        ? `a ${watch.type} watch reads no new tweets`
        : `a ${watch.type} watch reads no list of accounts`,
    );
  if (!watch.enabled) return yes("it is disabled (`enabled: false`)");
  if (state === undefined) return yes("no daemon has run with it yet");
  return state.paused ? yes("it is paused") : undefined;
}

interface FoundRead {
  readonly poll: Poll;
  readonly subscriber: Subscriber;
  readonly source: SourceState | undefined;
}

/** Returns the poll of each target. A target without a poll cannot be read yet. */
function readsByTarget(
  polls: readonly Poll[],
  sources: ReadonlyMap<string, SourceState>,
): ReadonlyMap<string, FoundRead> {
  return new Map(
    polls.flatMap((poll) =>
      poll.subscribers.map(
        (subscriber) =>
          [refText(subscriber), { poll, subscriber, source: sources.get(poll.key) }] as const,
      ),
    ),
  );
}

const refText = ({ watchKey, targetKey }: TargetRef): string => `${watchKey}\n${targetKey}`;

function reasonOfTarget(
  read: FoundRead | undefined,
  target: TargetState,
  { item, nowMs }: { readonly item: UnseenItem; readonly nowMs: number },
): Reason {
  const { author } = item;
  const isAuthors =
    target.userId !== null && read !== undefined && isOwnTimeline(read.poll, read.subscriber);
  if (
    item.isTweet &&
    isAuthors &&
    author !== undefined &&
    target.username?.toLowerCase() !== author
  )
    return no(`it follows @${target.username ?? target.name}, not @${author}`);
  if (target.status !== "ok" && target.status !== "pending")
    return yes(`it cannot be read: ${target.statusReason}`);
  if (read === undefined) return yes("the account is not looked up yet");
  if (!item.isTweet) return yes(reasonOfList(target, read.source));
  return yes(
    reasonOfFeed({ id: item.id, target, source: read.source, poll: read.poll, isAuthors, nowMs }),
  );
}

const isOwnTimeline = ({ source }: Poll, { author }: Subscriber): boolean =>
  source.endpoint === "user-tweets" || author !== undefined;

function reasonOfList(target: TargetState, source: SourceState | undefined): string {
  if (target.baselineAtMs === null) return "its first read is not complete";
  const readAtMs = source?.lastOkAtMs ?? null;
  const when = readAtMs === null ? "" : `, last at ${isoTime(readAtMs)}`;
  return `no read of its list${when} has shown the account`;
}

/**
 * Whether a number looks like the id of a tweet: it has at least 15 digits, and the time in it is
 * at most a day ahead. Accounts that were created before 2016 have shorter ids.
 */
export const isTweetId = (id: string, nowMs: number): boolean => {
  if (!/^\d{15,20}$/.test(id)) return false;
  return compareIds(id, "0") > 0 && timeOfTweetId(id) <= nowMs + 86_400_000;
};

/** Returns the ids of watches whose first read is not complete. */
export function inFirstRead(
  watches: readonly Watch[],
  states: readonly WatchState[],
): readonly string[] {
  const known = new Map(states.map((state) => [state.id, state]));
  return watches.flatMap((watch) => {
    const state = known.get(watch.id);
    if (state === undefined || !watch.enabled) return [];
    const lists = memberListViews(watch, state.targets);
    const isReading =
      firstReadView({ state }, lists) !== null ||
      lists.some(({ first_read_members: read }) => read !== null);
    return isReading ? [watch.id] : [];
  });
}
