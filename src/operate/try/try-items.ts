/**
 * Shows how a watch would evaluate an answer if everything in it were new: as an alert, or with the
 * reason why not. Makes no requests and stores nothing.
 */
import type { RankingRule } from "../../detect/ranking.ts";
import { type Reading, readValues, type ReadingRule } from "../../detect/reading.ts";
import { evaluateFeed } from "../../polling/evaluate/evaluate-feed.ts";
import { evaluateRanking } from "../../polling/evaluate/evaluate-ranking.ts";
import { evaluateReading } from "../../polling/evaluate/evaluate-reading.ts";
import { evaluateMemberList, memberBody } from "../../polling/evaluate/evaluate-member-list.ts";
import { type Fact, makeEvent } from "../../polling/evaluate/make-event.ts";
import { reasonAgainstBody } from "../../polling/evaluate/where-reason.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";
import { EMPTY_FEED } from "../../detect/feed-memory.ts";
import type { Subscriber } from "../../polling/watch-poll.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { Hash } from "../../model/hash.ts";
import type { JsonObject } from "../../model/json.ts";
import type { TargetState } from "../../model/watch-store.ts";
import type { Tweet } from "../../model/tweet.ts";
import type { UpstreamAnswer } from "../../model/upstream.ts";
import type { User } from "../../model/user.ts";

export interface TriedItem {
  readonly itemId: string;
  /** `news` means that the item would raise an alert if it were new. */
  readonly verdict: "news" | "filtered";
  /** Why the item is filtered; empty for news. */
  readonly detail: string;
  /** The event that would be created. Filtered items have one too, so that they can be shown. */
  readonly event: ChirpEvent;
}

export interface TryContext {
  readonly hash: Hash;
  readonly serviceClock: ServiceClock;
  readonly detectedAtMs: number;
  /** The profile of the watched account, if it is known. */
  readonly profile: User | undefined;
}

/**
 * Evaluates the items of an answer. Returns them in the order of the answer, which in most cases is
 * newest first.
 */
export function evaluateAnswer(
  subscriber: Subscriber,
  known: TargetState,
  answer: UpstreamAnswer,
  context: TryContext,
): readonly TriedItem[] {
  // The target is treated as if it had been watched since the epoch, so that no item is too old or
  // part of the baseline.
  const target = {
    ...known,
    baselineAtMs: 0,
    memory: { ...known.memory, birth: "0", since_ms: 0, baseline_of: undefined },
  };
  const { detection } = subscriber.type;
  if (detection.detector === "feed")
    return evaluateTweets(subscriber, target, answer.tweets ?? [], context);
  if (detection.detector === "roster")
    return evaluateMembers(subscriber, target, answer.users ?? [], context);
  const record = recordOf(subscriber, answer);
  const { settings } = subscriber.watch;
  if (record === undefined) return [];
  if ("ranking" in detection)
    return evaluateEntries(
      subscriber,
      known,
      { record, rule: detection.ranking(settings) },
      context,
    );
  return evaluateRecord(subscriber, known, { record, rule: detection.rule(settings) }, context);
}

function evaluateTweets(
  subscriber: Subscriber,
  target: TargetState,
  tweets: readonly Tweet[],
  context: TryContext,
): readonly TriedItem[] {
  const items = tweets.map((tweet) => ({
    id: tweet.id,
    timeMs: Date.parse(tweet.created_at) || context.detectedAtMs,
  }));
  const seen = {
    tweets: new Map(tweets.map((tweet) => [tweet.id, tweet])),
    items,
    memory: EMPTY_FEED,
    firstPageHigh: undefined,
    horizonMs: 0,
    nowMs: context.detectedAtMs,
    isHeadWhole: false,
    isSuspicious: false,
    lostGaps: 0,
  };
  const { verdicts } = evaluateFeed(subscriber, target, seen, { ...context, known: new Set() });
  const reasons = new Map(
    verdicts.map(({ itemId, verdict, detail }) => [itemId, verdict === "event" ? "" : detail]),
  );
  return [...seen.tweets.values()].map((tweet, index) => {
    const occurredAtMs = items[index]?.timeMs ?? context.detectedAtMs;
    const fact = {
      type: "tweet.created",
      subject: tweet.id,
      episode: "",
      body: { tweet },
      occurredAtMs,
    };
    return triedItem(
      subscriber,
      { itemId: tweet.id, reason: reasons.get(tweet.id) ?? "", fact },
      context,
    );
  });
}

function evaluateMembers(
  subscriber: Subscriber,
  target: TargetState,
  members: readonly User[],
  context: TryContext,
): readonly TriedItem[] {
  const { detection } = subscriber.type;
  if (detection.detector !== "roster") return [];
  const rule = detection.rule(subscriber.watch.settings, target);
  const seen = {
    members,
    step: "rest",
    end: "list_end",
    memory: { fullAtMs: null },
    readAtMs: context.detectedAtMs,
    completedScanAtMs: undefined,
    scanPages: 0,
  } as const;
  const subscription = {
    part: "follows",
    mode: rule.mode,
    isBaselined: true,
    baselineAtMs: 0,
    partial: undefined,
  } as const;
  const evaluation = {
    ...context,
    rule,
    episode: "sample",
    missed: undefined,
    list: "",
    subscription,
    known: new Map(),
  };
  const { verdicts } = evaluateMemberList(subscriber, target, seen, evaluation);
  const reasons = new Map(
    verdicts.map(({ itemId, verdict, detail }) => [itemId, verdict === "event" ? "" : detail]),
  );
  return members.map((user) => {
    const body = memberBody(user, { ...context, rule });
    const occurredAtMs = Date.parse(user.followerDate ?? "") || context.detectedAtMs;
    const fact = {
      type: rule.joined,
      subject: `${target.userId ?? target.key}/${user.id}`,
      episode: "",
      body,
      occurredAtMs,
    };
    return triedItem(
      subscriber,
      { itemId: user.id, reason: reasons.get(user.id) ?? "", fact },
      context,
    );
  });
}

/**
 * Evaluates a record. A value raises an alert when it crosses a threshold or changes. Here every
 * number is treated as if it had been 0 before, so that a value beyond its threshold raises an
 * alert.
 */
function evaluateRecord(
  subscriber: Subscriber,
  target: TargetState,
  { record, rule }: { readonly record: JsonObject; readonly rule: ReadingRule },
  context: TryContext,
): readonly TriedItem[] {
  const values = readValues(record, rule) ?? {};
  const start = Object.fromEntries(
    Object.keys(values).flatMap((name) => (typeof values[name] === "number" ? [[name, 0]] : [])),
  );
  const blank = {
    ...target,
    memory: { values: start, across: [], ...(rule.gone === undefined ? {} : { last: record }) },
  };
  const eventsOf = (asked: Subscriber) =>
    evaluateReading(asked, blank, record, { ...context, rule, episode: "sample" }).events;
  const itemId = target.userId ?? target.key;
  const [found] = eventsOf(subscriber);
  if (found !== undefined) return [{ itemId, verdict: "news", detail: "", event: found.event }];
  const body = {
    ...(context.profile === undefined ? {} : { user: context.profile }),
    [rule.name]: { ...rule.constants, ...(rule.isWhole === true ? record : values) },
  };
  const type = rule.crossing?.event ?? rule.changes?.event ?? subscriber.type.events[0] ?? "";
  const fact = {
    type,
    subject: itemId,
    episode: "sample",
    body,
    occurredAtMs: context.detectedAtMs,
  };
  const isAcross = eventsOf({ ...subscriber, watch: withoutWhere(subscriber) }).length > 0;
  const detail = isAcross
    ? (reasonAgainstBody(subscriber.watch, body) ?? "")
    : `${valuesText(rule, values)}; ${conditionText(rule)}`;
  return [triedItem(subscriber, { itemId, reason: detail, fact }, context)];
}

const valuesText = (rule: ReadingRule, values: Reading): string =>
  rule.fields.map((name) => `${name} ${JSON.stringify(values[name] ?? "unknown")}`).join(", ");

function conditionText(rule: ReadingRule): string {
  const thresholds = (rule.crossing?.thresholds ?? []).map(
    ({ name, op, value }) => `${name} ${op} ${value}`,
  );
  const crossing = thresholds.length === 0 ? [] : [`alerts at ${thresholds.join(" or ")}`];
  const changes =
    rule.changes === undefined ? [] : [`alerts when ${rule.changes.fields.join(", ")} changes`];
  return [
    ...crossing,
    ...changes,
    ...(rule.gone === undefined ? [] : ["alerts when it is gone"]),
  ].join("; ");
}

/** Evaluates every entry of a ranking as if it were a new entry. */
function evaluateEntries(
  subscriber: Subscriber,
  target: TargetState,
  { record, rule }: { readonly record: JsonObject; readonly rule: RankingRule },
  context: TryContext,
): readonly TriedItem[] {
  const blank = { ...target, memory: { ranks: {} } };
  const wanted = { ...rule, entered: rule.entered ?? rule.moved ?? rule.left ?? "" };
  const { events } = evaluateRanking(subscriber, blank, record, {
    ...context,
    rule: wanted,
    episode: "sample",
  });
  return events.map(({ event }) => ({ itemId: event.subject, verdict: "news", detail: "", event }));
}

/** Returns the entry of a batch by its id, or the whole object for other endpoints. */
const recordOf = ({ entry }: Subscriber, answer: UpstreamAnswer): JsonObject | undefined =>
  entry === undefined
    ? answer.record
    : [...(answer.users ?? []), ...(answer.tweets ?? [])].find(({ id }) => id === entry);

function withoutWhere({ watch: { where: _, ...rest } }: Subscriber) {
  return rest;
}

interface EvaluatedItem {
  readonly itemId: string;
  /** Why the item is filtered; empty for news. */
  readonly reason: string;
  readonly fact: Fact;
}

function triedItem(
  subscriber: Subscriber,
  { itemId, reason, fact }: EvaluatedItem,
  context: TryContext,
): TriedItem {
  const { event } = makeEvent(context, subscriber, fact);
  return { itemId, verdict: reason === "" ? "news" : "filtered", detail: reason, event };
}
