/** What an observation means to each subscriber of a poll, by the detector of its watch, and what it shows of the accounts themselves. */
import type { Hash } from "../../model/hash.ts";
import { compareIds } from "../../model/id.ts";
import type { PollStore } from "../../model/poll-store.ts";
import type { Ports } from "../../model/ports.ts";
import type { User } from "../../model/user.ts";
import type { TargetState } from "../../model/watch-store.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";
import { evaluateFeed } from "../evaluate/evaluate-feed.ts";
import { evaluateRanking } from "../evaluate/evaluate-ranking.ts";
import { isSuspiciousReading, evaluateReading } from "../evaluate/evaluate-reading.ts";
import { evaluateMemberList } from "../evaluate/evaluate-member-list.ts";
import { findRenames, type Rename } from "../evaluate/renames.ts";
import { type SubscriberEvaluation, joinEvaluations, NOTHING } from "../evaluate/verdicts.ts";
import { type Beside, type BesideDeps, readBeside } from "../read/beside.ts";
import { knownTweets, ownFeed } from "../read/known-tweets.ts";
import { isOfUsers } from "../read/read-record.ts";
import type { Subscriber } from "../watch-poll.ts";
import { knownMembersOf, missedMembersOf } from "./known-members.ts";
import { listSubscribersOf } from "./observe-list.ts";
import type { Observation } from "./observation.ts";
import type { PollState } from "./poll-state.ts";

export interface EvaluateDeps extends BesideDeps, Pick<Ports, "clock" | "random" | "hash"> {
  readonly store: Pick<PollStore, "knownItems" | "itemMarks" | "knownMembers" | "absentMembers">;
  readonly serviceClock: ServiceClock;
}

export interface Evaluation {
  /** In the order of the subscribers. */
  readonly evaluations: readonly SubscriberEvaluation[];
  /** Over all of them. */
  readonly joined: SubscriberEvaluation;
  /** Accounts that answered under another handle than the state has. */
  readonly renames: readonly Rename[];
}

export async function evaluatePoll(deps: EvaluateDeps, state: PollState, seen: Observation): Promise<Evaluation> {
  const { poll, targets } = state;
  const { hash, serviceClock } = deps;
  const context = { hash, serviceClock, detectedAtMs: deps.clock.now(), episode: deps.random.id() };
  const evaluate = await evaluatorOf(deps.store, state, seen, context);
  const evaluateFor = (subscriber: Subscriber, index: number, beside: Beside = {}): SubscriberEvaluation => {
    const target = targets[index];
    if (target === undefined) throw new Error("the store gave no target");
    return evaluate({ subscriber, target, index }, beside);
  };
  const userId = targets[0]?.userId ?? null;
  // The entries of a batch are what they are about; everything else about an account is in its profile.
  const needsProfile = seen.kind !== "feed" && userId !== null && poll.subscribers.every(({ entry }) => entry === undefined);
  // What is asked for beside the facts may be what a `where` goes by.
  const hasFacts = () => poll.subscribers.some((subscriber, index) => evaluateFor(withoutWhere(subscriber), index).events.length > 0);
  const beside = needsProfile && hasFacts() ? await readBeside(deps, poll, userId) : {};
  const evaluations = poll.subscribers.map((subscriber, index) => evaluateFor(subscriber, index, beside));
  return { evaluations, joined: joinEvaluations(evaluations), renames: renamesIn(state, seen) };
}

/** A subscriber of the poll, and its place among them. */
interface Place {
  readonly subscriber: Subscriber;
  readonly target: TargetState;
  readonly index: number;
}

type Evaluate = (place: Place, beside: Beside) => SubscriberEvaluation;

interface Context {
  readonly hash: Hash;
  readonly serviceClock: ServiceClock;
  readonly detectedAtMs: number;
  readonly episode: string;
}

type Seen<Kind extends Observation["kind"]> = Extract<Observation, { readonly kind: Kind }>;

/** Asks the state once for what all subscribers know of what was seen. */
function evaluatorOf(store: EvaluateDeps["store"], state: PollState, seen: Observation, context: Context): Promise<Evaluate> | Evaluate {
  if (seen.kind === "feed") return feedEvaluator(store, state, seen, context);
  return seen.kind === "roster" ? memberListEvaluator(store, state, seen, context) : recordEvaluator(state, seen, context);
}

async function feedEvaluator(
  store: EvaluateDeps["store"],
  { poll }: PollState,
  { feed }: Seen<"feed">,
  context: Context,
): Promise<Evaluate> {
  const known = await knownTweets(store, poll.subscribers, feed);
  return ({ subscriber, target, index }) =>
    evaluateFeed(subscriber, target, ownFeed(subscriber, feed), { ...context, known: known[index] ?? new Set() });
}

async function memberListEvaluator(
  store: EvaluateDeps["store"],
  state: PollState,
  { list, size }: Seen<"roster">,
  context: Context,
): Promise<Evaluate> {
  const known = await knownMembersOf(store, state, list);
  const missed = await missedMembersOf(store, state, list);
  const lists = listSubscribersOf(state);
  return ({ subscriber, target, index }, { profile }) => {
    const { detection } = subscriber.type;
    if (detection.detector !== "roster") throw mixedDetectors(state);
    const [rule, subscription] = [detection.rule(subscriber.watch.settings, target), lists[index]];
    if (subscription === undefined) throw new Error("a subscriber of a list is missing");
    return evaluateMemberList(subscriber, target, list, {
      ...context,
      known: known[index] ?? new Map(),
      list: state.poll.source.endpoint,
      rule,
      subscription,
      profile,
      missed: missed[index],
      ...(size === undefined ? {} : { size }),
    });
  };
}

function recordEvaluator(state: PollState, { record: { records, refused } }: Seen<"reading">, context: Context): Evaluate {
  const isSuspicious = isSuspiciousReading(state.poll.subscribers, state.targets, records);
  return ({ subscriber, target }, beside) => {
    const { detection } = subscriber.type;
    const { settings } = subscriber.watch;
    if (detection.detector !== "reading") throw mixedDetectors(state);
    if (refused?.has(subscriber.entry ?? "") === true) return NOTHING;
    const record = records.get(subscriber.entry ?? "");
    if ("ranking" in detection) return evaluateRanking(subscriber, target, record ?? {}, { ...context, rule: detection.ranking(settings) });
    return evaluateReading(subscriber, target, record, {
      ...context,
      rule: detection.rule(settings),
      profile: undefined,
      ...beside,
      isSuspicious,
    });
  };
}

const mixedDetectors = ({ poll }: PollState): Error => new Error(`poll ${poll.key} mixes detectors`);

function withoutWhere({ watch: { where: _, ...watch }, ...subscriber }: Subscriber): Subscriber {
  return { ...subscriber, watch };
}

/** Authors of the tweets, or the accounts of a batch. */
function renamesIn({ poll, targets }: PollState, seen: Observation): readonly Rename[] {
  if (seen.kind === "feed") {
    // Older tweets may still carry the older handle: the newest of each author counts.
    const oldestFirst = [...seen.feed.tweets.values()].sort((a, b) => compareIds(a.id, b.id));
    return findRenames(poll.subscribers, targets, new Map(oldestFirst.map(({ user }) => [user.id, user])));
  }
  return seen.kind === "reading" && isOfUsers(poll)
    ? findRenames(poll.subscribers, targets, seen.record.records as ReadonlyMap<string, User>)
    : [];
}
