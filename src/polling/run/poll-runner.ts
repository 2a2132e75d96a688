/**
 * One poll from request to commit: read, judge for every subscriber, route, commit once. Owns the order of these steps and the
 * conflict loop; scheduling and notices are others'.
 */
import { countHoles, EMPTY_FEED, readFeedMemory } from "../../detect/feed-memory.ts";
import type { Reach } from "../../detect/feed-poll.ts";
import type { Clock } from "../../model/clock.ts";
import type { Hash } from "../../model/hash.ts";
import { compareIds } from "../../model/id.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Log } from "../../model/log.ts";
import type { Meter } from "../../model/meter.ts";
import type { Random } from "../../model/random.ts";
import type { PollCommit, PollStore, SourceState } from "../../model/poll-store.ts";
import type { WatchStore } from "../../model/watch-store.ts";
import type { Trace } from "../../model/trace.ts";
import type { User } from "../../model/user.ts";
import type { Poll, Subscriber } from "../watch-poll.ts";
import { gatherMs, isSkipping } from "../evaluate/absence.ts";
import { askFor } from "../ask.ts";
import { type Beside, readBeside, readingRules } from "../read/beside.ts";
import { logEvents } from "./event-log.ts";
import { feedNeeds, judgeFeed } from "../evaluate/judge-feed.ts";
import { judgeRanking } from "../evaluate/judge-ranking.ts";
import { isBlindReading, judgeReading } from "../evaluate/judge-reading.ts";
import { isFirstRead } from "../read/baselines.ts";
import { createFirstReadPages, type FirstReadPages } from "../read/first-read-pages.ts";
import { judgeRoster } from "../evaluate/judge-roster.ts";
import { knownTweets, ownFeed } from "../read/known-tweets.ts";
import { type LoadedPoll, loadSubscribers } from "../evaluate/load-subscribers.ts";
import type { Profiles } from "../../requests/profiles.ts";
import { knownMembersOf, missedMembersOf } from "./known-members.ts";
import { rosterRules, sharersOf } from "./observe-list.ts";
import { pollList } from "./poll-list.ts";
import { countPoll, errorOf, NOTHING_POLLED, type Observation, outcomeOf, type PollOutcome } from "./poll-outcome.ts";
import { type FeedObservation, readFeed } from "../read/read-feed.ts";
import { noneWhereNotFound, readProfiles, readRecord } from "../read/read-record.ts";
import { findRenames, type Rename, withHandles } from "../evaluate/renames.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import type { ServiceClock } from "../../requests/service-clock.ts";
import { isLost, type ReportedTarget } from "../targets/target-notices.ts";
import { type Judgement, joinJudgements, NOTHING, type RouteJudged } from "../evaluate/verdicts.ts";

export interface RunnerDeps {
  readonly store: PollStore & Pick<WatchStore, "loadTargets">;
  readonly gate: RequestGate;
  readonly profiles: Profiles;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly random: Random;
  readonly hash: Hash;
  readonly meter: Meter;
  readonly log: Log;
  readonly trace: Trace;
  /** Verdicts of tweets older than this may have been forgotten: such a tweet was perhaps seen before, and is no loss. */
  readonly retentionMs: () => number;
  /** Which sinks an event goes to, by the active configuration. */
  readonly route: RouteJudged;
  /** Called when deliveries were committed. */
  readonly wakeDelivery: () => void;
}

export interface PollRunner {
  /** `reach`: of a feed, where something knows better how deep it must go. @throws UpstreamError, RequestHeld or a store's error when nothing was learned. */
  run(poll: Poll, reach?: Reach): Promise<PollOutcome>;
  /** The same for a feed that was read already, together with others. */
  take(poll: Poll, feed: FeedObservation): Promise<PollOutcome>;
  /** Pages of the first reads that run now, by watch id. */
  firstReadPages: FirstReadPages["byWatch"];
}

const MOST_CONFLICTS = 8;

export function createPollRunner(deps: RunnerDeps): PollRunner {
  const { store, clock } = deps;
  const firstReads = createFirstReadPages();

  const load = async (poll: Poll): Promise<Loaded> => {
    const [source] = await store.loadSources([poll.key]);
    if (source === undefined) throw new Error("the store gave no source");
    return { source, ...(await loadSubscribers(store, poll)) };
  };

  const observe = async (loaded: Loaded, startedAtMs: number, reach: Reach | undefined): Promise<Observation> => {
    const { poll } = loaded;
    const isFirst = isFirstRead(poll, loaded.targets);
    const ask = isFirst ? firstReads.count(poll, askFor(deps.gate, poll, "baseline")) : askFor(deps.gate, poll, "poll");
    if (poll.detector === "feed") {
      const needs = (serviceClock: ServiceClock) => ({
        ...feedNeeds(poll.subscribers, loaded.targets, serviceClock),
        ...(reach === undefined ? {} : { reach }),
      });
      // Where nobody is to hear what came meanwhile, the feed is read as if for the first time: one page.
      const isFresh = poll.subscribers.every(({ watch }, index) => isSkipping(watch, loaded.targets[index] ?? { memory: {} }));
      const memory = isFresh ? EMPTY_FEED : readFeedMemory(loaded.source.memory);
      return { kind: "feed", feed: await readFeed(ask, poll, memory, needs, deps.serviceClock, startedAtMs) };
    }
    if (poll.detector === "reading") {
      const read = () =>
        isOfUsers(poll) ? readProfiles(deps.profiles, poll, isFirst ? "baseline" : "poll") : readRecord(ask, poll, pagesUntil(poll));
      return { kind: "reading", record: await (isBatch(poll) ? noneWhereNotFound(read) : read()) };
    }
    throw new Error(`poll ${poll.key} reads a member list`);
  };

  const judge = async (loaded: Loaded, seen: Observation): Promise<readonly Judgement[]> => {
    const { poll } = loaded;
    const { hash, serviceClock } = deps;
    const context = { hash, serviceClock, detectedAtMs: clock.now(), episode: deps.random.id() };
    const isList = seen.kind === "roster";
    const known = seen.kind === "feed" ? await knownTweets(store, poll.subscribers, seen.feed) : [];
    const knownMembers = isList ? await knownMembersOf(store, loaded, seen.roster) : [];
    const missed = isList ? await missedMembersOf(store, loaded, seen.roster) : [];
    const sharers = isList ? sharersOf(loaded) : [];
    const isBlind = seen.kind === "reading" && isBlindReading(poll.subscribers, loaded.targets, seen.record.records);
    const judgeFor = (subscriber: Subscriber, index: number, beside: Beside = {}): Judgement => {
      const target = loaded.targets[index];
      if (target === undefined) throw new Error("the store gave no target");
      const { detection } = subscriber.type;
      const { settings } = subscriber.watch;
      if (seen.kind === "feed") {
        return judgeFeed(subscriber, target, known[index] ?? new Set(), ownFeed(subscriber, seen.feed), context);
      }
      if (seen.kind === "roster" && detection.detector === "roster") {
        const [rule, sharer] = [detection.rule(settings, target), sharers[index]];
        if (sharer === undefined) throw new Error("a sharer of a list is missing");
        return judgeRoster(subscriber, target, knownMembers[index] ?? new Map(), seen.roster, {
          ...context,
          list: poll.source.endpoint,
          rule,
          sharer,
          profile: beside.profile,
          missed: missed[index],
          ...(seen.size === undefined ? {} : { size: seen.size }),
        });
      }
      if (seen.kind === "reading" && detection.detector === "reading") {
        if (seen.record.refused?.has(subscriber.entry ?? "") === true) return NOTHING;
        const record = seen.record.records.get(subscriber.entry ?? "");
        if ("ranking" in detection)
          return judgeRanking(subscriber, target, record ?? {}, { ...context, rule: detection.ranking(settings) });
        return judgeReading(subscriber, target, record, {
          ...context,
          rule: detection.rule(settings),
          profile: undefined,
          ...beside,
          isBlind,
        });
      }
      throw new Error(`poll ${poll.key} mixes detectors`);
    };
    const userId = loaded.targets[0]?.userId ?? null;
    // The entries of a batch are what they are about; everything else about an account tells its profile.
    const needsProfile = seen.kind !== "feed" && userId !== null && poll.subscribers.every(({ entry }) => entry === undefined);
    // What is asked for beside the facts may be what a `where` goes by.
    const hasFacts = () => poll.subscribers.some((subscriber, index) => judgeFor(withoutWhere(subscriber), index).events.length > 0);
    const beside = needsProfile && hasFacts() ? await readBeside(deps, poll, userId) : {};
    return poll.subscribers.map((subscriber, index) => judgeFor(subscriber, index, beside));
  };

  const commitOf = (loaded: Loaded, seen: Observation, judged: Judgement, polledAtMs: number): PollCommit => {
    const memory = memoryAfter(loaded.source, seen);
    const nowMs = clock.now();
    const routed = judged.events.map((event) => deps.route(event, nowMs, gatherMs(loaded.poll.intervalMs, isWhole(loaded, seen))));
    return {
      atMs: nowMs,
      source: {
        fingerprint: loaded.poll.key,
        expectedRevision: loaded.source.revision,
        polledAtMs,
        ok: errorOf(seen) === undefined,
        ...(memory === undefined ? {} : { memory }),
      },
      targets: withHandles(judged.targets, renamesIn(loaded, seen)),
      verdicts: judged.verdicts,
      ...(judged.members === undefined || judged.members.length === 0 ? {} : { members: judged.members }),
      ...(judged.rechecks === undefined || judged.rechecks.length === 0
        ? {}
        : { rechecks: { rechecks: judged.rechecks, ended: [], late: [] } }),
      events: routed.map(({ event }) => event),
      deliveries: routed.flatMap(({ deliveries }) => deliveries),
    };
  };

  const runWith = async (
    planned: Poll,
    see: (loaded: Loaded, startedAtMs: number) => Promise<Observation | undefined>,
  ): Promise<PollOutcome> => {
    const startedAtMs = clock.now();
    let loaded = await load(planned);
    if (loaded.poll.subscribers.length === 0) return NOTHING_POLLED;
    const seen = await see(loaded, startedAtMs);
    if (seen === undefined) return NOTHING_POLLED;
    for (let conflicts = 0; conflicts < MOST_CONFLICTS; conflicts += 1) {
      const { poll } = loaded;
      const judgements = await judge(loaded, seen);
      const judged = joinJudgements(judgements);
      const commit = commitOf(loaded, seen, judged, startedAtMs);
      const result = await store.commitPoll(commit);
      if (result.status === "committed") {
        deps.trace.remember(planned.key, result.born);
        logEvents(deps.log, commit, result.born, deps.trace.ofSource(planned.key));
        if (result.born.size > 0) deps.wakeDelivery();
        countPoll(deps.meter, poll, commit, result.born);
        const outcome = outcomeOf(poll, seen, judgements, result.born.size, clock.now() - deps.retentionMs());
        const renames = renamesIn(loaded, seen).filter(({ from }) => from !== null);
        return { ...outcome, renames, returned: returnedIn(loaded, judged) };
      }
      loaded = await load(planned);
    }
    throw new Error(`poll ${planned.key} met ${MOST_CONFLICTS} conflicts in a row`);
  };

  return {
    run(poll, reach) {
      const running =
        poll.detector === "roster"
          ? pollList({ ...deps, firstReads }, poll, runWith)
          : runWith(poll, (loaded, startedAtMs) => observe(loaded, startedAtMs, reach));
      return running.finally(() => firstReads.end(poll));
    },
    take: (poll, feed) => runWith(poll, async () => ({ kind: "feed", feed })),
    firstReadPages: firstReads.byWatch,
  };
}

function withoutWhere({ watch: { where: _, ...watch }, ...subscriber }: Subscriber): Subscriber {
  return { ...subscriber, watch };
}

interface Loaded extends LoadedPoll {
  readonly source: SourceState;
}

/** The flag that ends reading on; sharers of one source want the same. */
const pagesUntil = (poll: Poll): string | undefined => readingRules(poll)[0]?.pagesUntil;

/** Whether no further poll is needed to find what came since the last. Who left a list is known after another complete read. */
function isWhole(loaded: Loaded, seen: Observation): boolean {
  if (seen.kind === "feed") return seen.feed.isHeadWhole && countHoles(seen.feed.memory) === 0;
  return seen.kind === "reading" || (!seen.isOpen && rosterRules(loaded).every(({ left }) => left === undefined));
}

const isBatch = ({ subscribers }: Poll): boolean => subscribers.some(({ entry }) => entry !== undefined);

/** Targets that were lost and are well again. */
const returnedIn = ({ poll, targets }: Loaded, judged: Judgement): readonly ReportedTarget[] =>
  poll.subscribers.flatMap(({ watch }, index) => {
    const target = targets[index];
    if (target === undefined || !isLost(target)) return [];
    const isWell = judged.targets.some((one) => one.watchKey === target.watchKey && one.targetKey === target.key && one.status === "ok");
    return isWell ? [{ watchId: watch.id, target }] : [];
  });

const isOfUsers = (poll: Poll): boolean => poll.source.endpoint === "info-batch";

/** Authors of the tweets, or the accounts of a batch. */
function renamesIn({ poll, targets }: Loaded, seen: Observation): readonly Rename[] {
  if (seen.kind === "feed") {
    // Older tweets may still carry the older handle: the newest of each author counts.
    const oldestFirst = [...seen.feed.tweets.values()].sort((a, b) => compareIds(a.id, b.id));
    return findRenames(poll.subscribers, targets, new Map(oldestFirst.map(({ user }) => [user.id, user])));
  }
  return seen.kind === "reading" && isOfUsers(poll)
    ? findRenames(poll.subscribers, targets, seen.record.records as ReadonlyMap<string, User>)
    : [];
}

/** Undefined when nothing changed but the time: a poll that found nothing writes nothing more. */
function memoryAfter(source: SourceState, seen: Observation): JsonObject | undefined {
  if (seen.kind === "reading") return undefined;
  const memory = seen.kind === "feed" ? seen.feed.memory : seen.roster.memory;
  return JSON.stringify(memory) === JSON.stringify(source.memory) ? undefined : (memory as unknown as JsonObject);
}
