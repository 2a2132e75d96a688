/**
 * One poll from request to commit: read, judge for every subscriber, route, commit once. Owns the order of these steps and the
 * conflict loop; scheduling and notices are others'.
 */
import { readFeedMemory } from "../detect/feed-memory.ts";
import type { Reach } from "../detect/feed-poll.ts";
import type { Clock } from "../model/clock.ts";
import type { Hash } from "../model/hash.ts";
import type { ReadingRule } from "../detect/reading.ts";
import type { RosterRule } from "../detect/roster.ts";
import { compareIds } from "../model/id.ts";
import type { JsonObject } from "../model/json.ts";
import type { Log } from "../model/log.ts";
import type { Meter } from "../model/meter.ts";
import type { Random } from "../model/random.ts";
import type { PollCommit, PollStore, SourceState } from "../model/poll-store.ts";
import type { WatchStore } from "../model/watch-store.ts";
import type { User } from "../model/user.ts";
import type { Poll, Subscriber } from "./watch-poll.ts";
import { askFor } from "./ask.ts";
import { readCompanion } from "./companion.ts";
import { feedNeeds, judgeFeed } from "./judge-feed.ts";
import { judgeRanking } from "./judge-ranking.ts";
import { isBlindReading, judgeReading } from "./judge-reading.ts";
import { isFirstRead } from "./first-reads.ts";
import { judgeRoster, type MissedMembers } from "./judge-roster.ts";
import { knownTweets, ownFeed } from "./known-tweets.ts";
import { type LoadedPoll, loadSubscribers } from "./load-subscribers.ts";
import type { Profiles } from "./profiles.ts";
import { countPoll, errorOf, NOTHING_POLLED, type Observation, outcomeOf, type PollOutcome } from "./poll-outcome.ts";
import { type FeedObservation, readFeed } from "./read-feed.ts";
import { noneWhereNotFound, readProfiles, readRecord } from "./read-record.ts";
import { EMPTY_ROSTER, readRoster, type RosterMemory } from "./read-roster.ts";
import { findRenames, type Rename, withHandles } from "./renames.ts";
import type { RequestGate } from "./request-gate.ts";
import type { ServiceClock } from "./service-clock.ts";
import { type JudgedEvent, type Judgement, joinJudgements, NOTHING } from "./verdicts.ts";

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
  /** Verdicts of tweets older than this may have been forgotten: such a tweet was perhaps seen before, and is no loss. */
  readonly retentionMs: () => number;
  /** Which sinks an event goes to, by the configuration in force. */
  readonly route: (judged: JudgedEvent, nowMs: number) => PollCommit["deliveries"];
  /** Called when deliveries were committed. */
  readonly wakeDelivery: () => void;
}

export interface PollRunner {
  /** `reach`: of a feed, where something knows better how deep it must go. @throws UpstreamError, RequestHeld or a store's error when nothing was learned. */
  run(poll: Poll, reach?: Reach): Promise<PollOutcome>;
  /** The same for a feed that was read already, together with others. */
  take(poll: Poll, feed: FeedObservation): Promise<PollOutcome>;
}

const MOST_CONFLICTS = 8;

export function createPollRunner(deps: RunnerDeps): PollRunner {
  const { store, clock } = deps;

  const load = async (poll: Poll): Promise<Loaded> => {
    const [source] = await store.loadSources([poll.key]);
    if (source === undefined) throw new Error("the store gave no source");
    return { source, ...(await loadSubscribers(store, poll)) };
  };

  const observe = async (loaded: Loaded, startedAtMs: number, reach: Reach | undefined): Promise<Observation> => {
    const { poll } = loaded;
    const isFirst = isFirstRead(poll, loaded.targets);
    const ask = askFor(deps.gate, poll, isFirst ? "baseline" : "poll");
    if (poll.detector === "feed") {
      const needs = (serviceClock: ServiceClock) => ({
        ...feedNeeds(poll.subscribers, loaded.targets, serviceClock),
        ...(reach === undefined ? {} : { reach }),
      });
      return { kind: "feed", feed: await readFeed(ask, poll, readFeedMemory(loaded.source.memory), needs, deps.serviceClock, startedAtMs) };
    }
    if (poll.detector === "reading") {
      const read = () =>
        isOfUsers(poll) ? readProfiles(deps.profiles, poll, isFirst ? "baseline" : "poll") : readRecord(ask, poll, pagesUntil(poll));
      return { kind: "reading", record: await (isBatch(poll) ? noneWhereNotFound(read) : read()) };
    }
    const roster = await readRoster(ask, poll, rosterMemoryOf(loaded.source), {
      modes: new Set(rosterRules(loaded).map(({ mode }) => mode)),
      needsScan: isFirst,
      nowMs: startedAtMs,
      hasUnknown: async (ids) => (await store.knownItems(poll.subscribers, ids)).some((known) => ids.some((id) => !known.has(id))),
    });
    return { kind: "roster", roster, isFirst };
  };

  /** What the store has on the items seen, per subscriber; of lists whose leaving is told, who is a member now. */
  const knownOf = async (loaded: Loaded, seen: Observation): Promise<readonly ReadonlySet<string>[]> => {
    const { subscribers } = loaded.poll;
    if (seen.kind === "reading") return [];
    if (seen.kind === "feed") return knownTweets(store, subscribers, seen.feed);
    const ids = seen.roster.members.map(({ id }) => id);
    if (ids.length === 0) return [];
    const rules = rosterRules(loaded);
    const items = rules.some(({ left }) => left === undefined) ? await store.knownItems(subscribers, ids) : [];
    const members = rules.some(({ left }) => left !== undefined) ? await store.knownMembers(subscribers, ids) : [];
    return rules.map(({ left }, index) => (left === undefined ? items : members)[index] ?? new Set());
  };

  /** Whom a complete read did not find, where leaving is told. */
  const missedOf = async (loaded: Loaded, seen: Observation): Promise<readonly (MissedMembers | undefined)[]> => {
    if (seen.kind !== "roster" || seen.roster.completedScanAtMs === undefined) return [];
    const sinceMs = seen.roster.completedScanAtMs;
    const previousAtMs = rosterMemoryOf(loaded.source).fullAtMs;
    return Promise.all(
      rosterRules(loaded).map(async ({ left }, index) => {
        const subscriber = loaded.poll.subscribers[index];
        if (left === undefined || subscriber === undefined) return undefined;
        return { ...(await store.absentMembers(subscriber, sinceMs)), previousAtMs };
      }),
    );
  };

  const judge = async (loaded: Loaded, seen: Observation): Promise<readonly Judgement[]> => {
    const { poll } = loaded;
    const context = { hash: deps.hash, serviceClock: deps.serviceClock, detectedAtMs: clock.now(), episode: deps.random.id() };
    const known = await knownOf(loaded, seen);
    const missed = await missedOf(loaded, seen);
    const isBlind = seen.kind === "reading" && isBlindReading(poll.subscribers, loaded.targets, seen.record.records);
    const judgeFor = (subscriber: Subscriber, index: number, profile?: User, companion?: JsonObject): Judgement => {
      const target = loaded.targets[index];
      if (target === undefined) throw new Error("the store gave no target");
      const { detection } = subscriber.type;
      const { settings } = subscriber.watch;
      if (seen.kind === "feed") {
        return judgeFeed(subscriber, target, known[index] ?? new Set(), ownFeed(subscriber, seen.feed), context);
      }
      if (seen.kind === "roster" && detection.detector === "roster") {
        const rule = detection.rule(settings, target);
        return judgeRoster(subscriber, target, known[index] ?? new Set(), seen.roster, {
          ...context,
          list: poll.source.endpoint,
          rule,
          profile,
          missed: missed[index],
        });
      }
      if (seen.kind === "reading" && detection.detector === "reading") {
        if (seen.record.refused?.has(subscriber.entry ?? "") === true) return NOTHING;
        const record = seen.record.records.get(subscriber.entry ?? "");
        if ("ranking" in detection)
          return judgeRanking(subscriber, target, record ?? {}, { ...context, rule: detection.ranking(settings) });
        return judgeReading(subscriber, target, record, { ...context, rule: detection.rule(settings), profile, companion, isBlind });
      }
      throw new Error(`poll ${poll.key} mixes detectors`);
    };
    const judged = poll.subscribers.map((subscriber, index) => judgeFor(subscriber, index));
    const userId = loaded.targets[0]?.userId ?? null;
    // The entries of a batch are what they are about; everything else about an account tells its profile.
    const needsProfile = seen.kind !== "feed" && userId !== null && poll.subscribers.every(({ entry }) => entry === undefined);
    if (!needsProfile || judged.every(({ events }) => events.length === 0)) return judged;
    const profile = await deps.profiles.profileOf(userId, poll.subscribers[0]?.watch.id ?? "", wantsFreshProfile(poll) ? 0 : undefined);
    const wanted = readingRules(poll).find(({ companion }) => companion !== undefined)?.companion;
    const companion = wanted === undefined ? undefined : await readCompanion(deps, poll, wanted.endpoint);
    return poll.subscribers.map((subscriber, index) => judgeFor(subscriber, index, profile, companion));
  };

  const commitOf = (loaded: Loaded, seen: Observation, judged: Judgement, polledAtMs: number): PollCommit => {
    const memory = memoryAfter(loaded.source, seen);
    const nowMs = clock.now();
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
      events: judged.events.map(({ event }) => event),
      deliveries: judged.events.flatMap((event) => deps.route(event, nowMs)),
    };
  };

  const runWith = async (planned: Poll, see: (loaded: Loaded, startedAtMs: number) => Promise<Observation>): Promise<PollOutcome> => {
    const startedAtMs = clock.now();
    let loaded = await load(planned);
    if (loaded.poll.subscribers.length === 0) return NOTHING_POLLED;
    const seen = await see(loaded, startedAtMs);
    for (let conflicts = 0; conflicts < MOST_CONFLICTS; conflicts += 1) {
      const { poll } = loaded;
      const judgements = await judge(loaded, seen);
      const judged = joinJudgements(judgements);
      const result = await store.commitPoll(commitOf(loaded, seen, judged, startedAtMs));
      if (result.status === "committed") {
        if (result.born.size > 0) deps.wakeDelivery();
        countPoll(deps.meter, poll, judged, result.born, clock.now());
        const outcome = outcomeOf(poll, seen, judgements, result.born.size, clock.now() - deps.retentionMs());
        return { ...outcome, renames: renamesIn(loaded, seen).filter(({ from }) => from !== null) };
      }
      loaded = await load(planned);
    }
    throw new Error(`poll ${planned.key} met ${MOST_CONFLICTS} conflicts in a row`);
  };

  return {
    run: (poll, reach) => runWith(poll, (loaded, startedAtMs) => observe(loaded, startedAtMs, reach)),
    take: (poll, feed) => runWith(poll, async () => ({ kind: "feed", feed })),
  };
}

interface Loaded extends LoadedPoll {
  readonly source: SourceState;
}

const rosterMemoryOf = ({ memory }: SourceState): RosterMemory => ({ ...EMPTY_ROSTER, ...(memory as Partial<RosterMemory>) });

/** Of every subscriber, in their order. */
function rosterRules({ poll, targets }: Loaded): readonly RosterRule[] {
  return poll.subscribers.map(({ type: { detection }, watch }, index) => {
    const target = targets[index];
    if (target === undefined || detection.detector !== "roster") throw new Error(`poll ${poll.key} is no roster`);
    return detection.rule(watch.settings, target);
  });
}

const wantsFreshProfile = (poll: Poll): boolean => readingRules(poll).some(({ freshProfile }) => freshProfile === true);

/** The flag that ends reading on; sharers of one source want the same. */
const pagesUntil = (poll: Poll): string | undefined => readingRules(poll)[0]?.pagesUntil;

function readingRules({ subscribers }: Poll): readonly ReadingRule[] {
  return subscribers.flatMap(({ type: { detection }, watch }) =>
    detection.detector === "reading" && "rule" in detection ? [detection.rule(watch.settings)] : [],
  );
}

const isBatch = ({ subscribers }: Poll): boolean => subscribers.some(({ entry }) => entry !== undefined);

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
