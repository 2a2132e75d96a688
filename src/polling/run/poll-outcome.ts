/** What a poll brought and what came of it, for schedules, counts and alerts. */
import { countGaps } from "../../detect/feed-memory.ts";
import type { PollCommit } from "../../model/poll-store.ts";
import type { Meter } from "../../model/meter.ts";
import type { SeenList } from "./observe-list.ts";
import type { RecordObservation } from "../read/read-record.ts";
import { isLost, type ReportedTarget } from "../targets/target-alerts.ts";
import type { TargetNews } from "../targets/target-trouble.ts";
import type { SubscriberEvaluation } from "../evaluate/verdicts.ts";
import type { Poll, Subscriber } from "../watch-poll.ts";
import type { Evaluation } from "./evaluate-poll.ts";
import { errorOf, type Observation } from "./observation.ts";
import type { PollState } from "./poll-state.ts";

export interface PollOutcome extends TargetNews {
  readonly events: number;
  /** Items seen for the first time and recorded as baseline. */
  readonly baselined: readonly Subscriber[];
  /** Items that were not there before, of the subscriber that saw most. */
  readonly newItems: number;
  /** When tweets that were new to every subscriber were posted, without old ones that a later read shows first; service time, oldest first. */
  readonly postedMs: readonly number[];
  /** Tweets of a feed that was read as deep as was asked; undefined where it was cut, or came back empty and held items before. */
  readonly shown?: ReadonlySet<string>;
  /** Whether a list that held items before came back empty. */
  readonly isSuspicious: boolean;
  readonly lostGaps: number;
  /** Of a feed: gaps in its history that wait to be filled. */
  readonly openGaps?: number;
  readonly tooOld: ReadonlyMap<string, number>;
  /** Of a list of accounts. */
  readonly list?: ListOutcome;
  /** What cut the poll after its first page; what was read before it is committed. */
  readonly error?: unknown;
}

export interface ListOutcome {
  /** Members reported as gone. */
  readonly left: number;
  /** Members it did not find, who are gone when the next complete read does not find them either. */
  readonly awaited: number;
  /** Requests of the complete read that it ended; undefined where it ended none. */
  readonly pages?: number;
  /** What somebody waits for goes on with the next poll. */
  readonly isUnderWay: boolean;
}

/** A poll that asked nobody. */
export const NOTHING_POLLED: PollOutcome = {
  events: 0,
  baselined: [],
  newItems: 0,
  postedMs: [],
  isSuspicious: false,
  lostGaps: 0,
  tooOld: new Map(),
  renames: [],
  returned: [],
  absent: [],
  refused: new Map(),
};

/** What the commit of a poll says beside what was evaluated. */
interface Committed {
  /** Events that were new to the state. */
  readonly events: number;
  /** Verdicts of older tweets may have been forgotten. */
  readonly rememberedFromMs: number;
}

export function outcomeOf(state: PollState, seen: Observation, evaluation: Evaluation, committed: Committed): PollOutcome {
  const { poll } = state;
  const { evaluations, joined, renames } = evaluation;
  const baselined = poll.subscribers.filter((_, index) =>
    evaluations[index]?.targets.some(({ baselineAtMs }) => baselineAtMs !== undefined),
  );
  const error = errorOf(seen);
  return {
    events: committed.events,
    baselined,
    tooOld: tooOldOf(poll, evaluations, committed.rememberedFromMs),
    newItems: Math.max(...evaluations.map(({ verdicts }) => verdicts.filter(({ verdict }) => verdict !== "baseline").length), 0),
    postedMs: postedMsOf(poll.subscribers, evaluations, new Set(baselined)),
    isSuspicious: seen.kind === "feed" && seen.feed.isSuspicious,
    renames: renames.filter(({ from }) => from !== null),
    returned: returnedIn(state, joined),
    absent: poll.subscribers.filter((_, index) => evaluations[index]?.isAbsent === true),
    refused: seen.kind === "reading" ? refusedOf(poll, seen.record) : new Map(),
    lostGaps: seen.kind === "feed" ? seen.feed.lostGaps : 0,
    ...(seen.kind === "roster" ? { list: listOutcomeOf(seen, evaluations) } : {}),
    ...(seen.kind === "feed" ? { openGaps: countGaps(seen.feed.memory) } : {}),
    ...(seen.kind === "feed" && seen.feed.isHeadWhole ? { shown: new Set(seen.feed.tweets.keys()) } : {}),
    ...(error === undefined ? {} : { error }),
  };
}

/** By watch id, tweets that a watch found too late to be news. */
function tooOldOf(
  { subscribers }: Poll,
  evaluations: readonly SubscriberEvaluation[],
  rememberedFromMs: number,
): ReadonlyMap<string, number> {
  const tooOld = new Map<string, number>();
  for (const [index, { watch }] of subscribers.entries()) {
    const verdicts = evaluations[index]?.verdicts ?? [];
    const count = verdicts.filter(({ verdict, occurredAtMs }) => verdict === "too_old" && occurredAtMs > rememberedFromMs).length;
    if (count > 0) tooOld.set(watch.id, (tooOld.get(watch.id) ?? 0) + count);
  }
  return tooOld;
}

/** Targets that were lost and are well again. */
const returnedIn = ({ poll, targets }: PollState, joined: SubscriberEvaluation): readonly ReportedTarget[] =>
  poll.subscribers.flatMap(({ watch }, index) => {
    const target = targets[index];
    if (target === undefined || !isLost(target)) return [];
    const isWell = joined.targets.some((one) => one.watchKey === target.watchKey && one.targetKey === target.key && one.status === "ok");
    return isWell ? [{ watchId: watch.id, target }] : [];
  });

/** Two steps of one poll of a member list. */
export function joinSteps(one: PollOutcome, next: PollOutcome): PollOutcome {
  const list = joinLists(one.list, next.list);
  return {
    ...one,
    events: one.events + next.events,
    baselined: [...one.baselined, ...next.baselined],
    newItems: one.newItems + next.newItems,
    ...(list === undefined ? {} : { list }),
    ...(next.error === undefined ? {} : { error: next.error }),
  };
}

const joinLists = (one: ListOutcome | undefined, next: ListOutcome | undefined): ListOutcome | undefined =>
  one === undefined || next === undefined ? (next ?? one) : { ...one, ...next, left: one.left + next.left };

function refusedOf({ subscribers }: Poll, { refused }: RecordObservation): PollOutcome["refused"] {
  const found = new Map<string, readonly Subscriber[]>();
  for (const subscriber of subscribers) {
    const reason = refused?.get(subscriber.entry ?? "");
    if (reason !== undefined) found.set(reason, [...(found.get(reason) ?? []), subscriber]);
  }
  return found;
}

const listOutcomeOf = ({ isOpen, list: { completedPages } }: SeenList, evaluations: readonly SubscriberEvaluation[]): ListOutcome => ({
  left: Math.max(...evaluations.map(({ members = [] }) => members.reduce((sum, { left }) => sum + left.length, 0)), 0),
  awaited: Math.max(...evaluations.map(({ awaited = 0 }) => awaited), 0),
  ...(completedPages === undefined ? {} : { pages: completedPages }),
  isUnderWay: isOpen,
});

/**
 * Only what is new to every subscriber: to one that was added later, everything is. Of a list, to every one that reads its author through it.
 * What lies below a baseline watermark is new to a first read alone: later it was pinned, or moved up to a page by deletions.
 */
function postedMsOf(
  subscribers: readonly Subscriber[],
  evaluations: readonly SubscriberEvaluation[],
  baselined: ReadonlySet<Subscriber>,
): readonly number[] {
  const readers = new Map<string | undefined, number>();
  for (const { author } of subscribers) readers.set(author, (readers.get(author) ?? 0) + 1);
  const ofAll = readers.get(undefined) ?? 0;
  const seen = new Map<string, { readonly atMs: number; readonly author: string | undefined; readonly subscribers: number }>();
  for (const [index, { verdicts }] of evaluations.entries()) {
    const subscriber = subscribers[index];
    const author = subscriber?.author;
    const isFirst = subscriber !== undefined && baselined.has(subscriber);
    for (const { itemId, itemKind, occurredAtMs, verdict } of verdicts) {
      if (itemKind !== "tweet" || (verdict === "baseline" && !isFirst)) continue;
      const before = seen.get(itemId);
      seen.set(itemId, { atMs: occurredAtMs, author: author ?? before?.author, subscribers: (before?.subscribers ?? 0) + 1 });
    }
  }
  const wanted = (author: string | undefined) => (author === undefined ? ofAll : ofAll + (readers.get(author) ?? 0));
  const fresh = [...seen.values()].filter(({ author, subscribers }) => subscribers === wanted(author));
  return fresh.map(({ atMs }) => atMs).sort((a, b) => a - b);
}

/** One poll in numbers. */
export function countPoll(meter: Meter, poll: Poll, commit: PollCommit, created: ReadonlySet<string>): void {
  const watchIds = new Map(poll.subscribers.map(({ watchKey, watch }) => [watchKey, watch.id]));
  for (const { watchKey, verdict } of commit.verdicts)
    meter.count("chirpwatch_items_total", { watch: watchIds.get(watchKey) ?? "", verdict });
  for (const event of commit.events) {
    if (!created.has(event.id)) continue;
    meter.count("chirpwatch_events_total", { watch: event.watch, event: event.type });
    meter.observe("chirpwatch_detect_delay_seconds", Math.max(0, commit.atMs - event.occurredAtMs) / 1_000, { type: event.watchType });
  }
}

/** What was found of each member was reported when it was read: the group adds up numbers only. */
export const joinOutcomes = (outcomes: readonly PollOutcome[]): PollOutcome => ({
  ...NOTHING_POLLED,
  events: outcomes.reduce((sum, { events }) => sum + events, 0),
  newItems: outcomes.reduce((sum, { newItems }) => sum + newItems, 0),
});
