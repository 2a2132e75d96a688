/** The polling half of the daemon: keeps the plan in step with watches and targets, runs the loop, and deals with what goes wrong. */
import type { UpstreamPacer } from "../budget/upstream-pacer.ts";
import type { Clock } from "../model/clock.ts";
import type { Hash } from "../model/hash.ts";
import { createInTurn } from "../model/in-turn.ts";
import type { Log } from "../model/log.ts";
import type { Meter } from "../model/meter.ts";
import type { PollStore } from "../model/poll-store.ts";
import type { RecheckStore } from "../model/recheck.ts";
import type { Notes } from "../model/store.ts";
import type { Trace } from "../model/trace.ts";
import type { VolumeStore } from "../model/volume-store.ts";
import type { NamedAccountId, TargetState, WatchState, WatchStore } from "../model/watch-store.ts";
import type { Priority } from "../model/schedule.ts";
import type { Watch } from "../model/watch.ts";
import { groupPolls } from "../groups/group-polls.ts";
import { planPolls, type PlannedWatch } from "../plan/polls/plan-polls.ts";
import type { RouteJudged } from "../polling/evaluate/verdicts.ts";
import { createVolumeWatch } from "./recheck/volume-watch.ts";
import type { Poll } from "../polling/watch-poll.ts";
import type { Timetable } from "../schedule/timetable.ts";
import type { WatchType } from "../watches/watch-type.ts";
import { createListCheck } from "../polling/targets/list-check.ts";
import type { Notices } from "../model/notices.ts";
import { countOpenHoles } from "../polling/run/open-holes.ts";
import { createAttempt, forgetOthers } from "./loop/attempt-poll.ts";
import { logPlan } from "./plan-log.ts";
import { createPollAftermath } from "./loop/poll-aftermath.ts";
import { createPollLoop, type PollLoop } from "./loop/poll-loop.ts";
import type { PollAftermath } from "../model/poll-aftermath.ts";
import type { PollOutcome } from "../polling/run/poll-outcome.ts";
import type { PollRunner } from "../polling/run/poll-runner.ts";
import type { Profiles } from "../requests/profiles.ts";
import type { QuotaWatch } from "./quota/quota-watch.ts";
import { createRecheckLoop } from "./recheck/recheck-loop.ts";
import type { RequestGate } from "../requests/request-gate.ts";
import { dateGroup, firstBaselineIn, hasNewEntry, indexByWatch, plannedOf, withAccounts, withPaused, withTargets } from "./in-force.ts";
import type { RunMember } from "../polling/run/run-member.ts";
import { createRunners } from "../groups/runners.ts";
import type { ServiceClock } from "../requests/service-clock.ts";
import { createStallWatch } from "./health/stall-watch.ts";
import { createTargetResolver } from "../polling/targets/target-resolver.ts";
import { STORE_RETRY_MS } from "./health/store-watch.ts";
import type { StoreWatch } from "../model/store-health.ts";
import { createTargetNotices } from "../polling/targets/target-notices.ts";
import { createTargetTrouble } from "../polling/targets/target-trouble.ts";

export interface EngineDeps {
  readonly store: PollStore & WatchStore & RecheckStore & VolumeStore;
  readonly gate: RequestGate;
  readonly pacer: UpstreamPacer;
  readonly runner: PollRunner;
  readonly profiles: Profiles;
  readonly notices: Notices;
  readonly storeWatch: StoreWatch;
  readonly quotaWatch: Pick<QuotaWatch, "status" | "heldUntilMs">;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly timetable: Timetable;
  readonly hash: Hash;
  readonly meter: Meter;
  readonly log: Log;
  readonly trace: Trace;
  readonly notes: Notes;
  /** While the operator knows that the service fails or refuses the key. */
  readonly isUpstreamDark: () => boolean;
  /** Which sinks an event goes to, by the active configuration. */
  readonly route: RouteJudged;
  /** Called when deliveries were committed. */
  readonly wakeDelivery: () => void;
  /** Told when a target cannot be found at all. */
  readonly onMissing: (watchId: string) => void;
  /** Told after every poll: for the start-up lines and the demo. */
  readonly onPolled: (poll: Poll, outcome: PollOutcome | undefined, error: unknown) => void;
}

export interface EngineWatch {
  readonly watch: Watch;
  readonly type: WatchType<any>;
  readonly state: WatchState;
}

type Planned = PlannedWatch<WatchType<any>>;

export interface Engine {
  /** Puts a set of watches in force, at start and at every reload: memory and due times of what stays are kept. */
  setWatches(watches: readonly EngineWatch[]): Promise<void>;
  setPaused(watchId: string, paused: boolean): Promise<void>;
  start(): void;
  stop(): Promise<void>;
  readonly polls: readonly Poll[];
  /** Polls that serve a watch. */
  pollsOf(watchId: string): readonly Poll[];
  /** When a watch is polled next, epoch ms; undefined while nothing of it is planned. */
  nextPollAt(watchId: string): number | undefined;
  /** When a poll that serves a watch last succeeded, epoch ms; undefined while none has. */
  lastSuccessAt(watchId: string): number | undefined;
  /** Why the last run of a poll failed; "" when it did not. */
  problemOf(pollKey: string): string;
  /** Pages of the first reads that run now, by watch id. */
  firstReadPages: PollRunner["firstReadPages"];
  /** Holes in covered history that wait to be filled, of everything that is polled. */
  openHoles(): Promise<number>;
  /** Makes everything due that waited for something: a recovered store, a new key. */
  hastenAll(): void;
  /** Looks at the clock again: what is due by it runs. */
  wake(): void;
  /** Polls go faster or slower than when they were put into the queue: the quota got wider or shorter. */
  repace(): void;
  readonly loop: Pick<PollLoop, "lastTurnMs" | "running" | "overdueMs">;
}

const ANSWER_GRACE_MS = 3_000;

export function createEngine(deps: EngineDeps): Engine {
  const { clock, store } = deps;
  const stretch = (priority: Priority): number => deps.quotaWatch.status.factors[priority];
  let planned: readonly Planned[] = [];
  let polls: readonly Poll[] = [];
  let pollsByWatch: ReadonlyMap<string, readonly Poll[]> = new Map();
  const inTurn = createInTurn();
  const lastPolledAtMs = new Map<string, number>();
  const lastOkAtMs = new Map<string, number>();
  const problems = new Map<string, string>();
  const openHoles = new Map<string, number>();
  const targetNotices = createTargetNotices({ ...deps, watches: () => planned });
  const trouble = createTargetTrouble({
    ...deps,
    targetNotices,
    onSourceChanged: (targets) => replaceTargets(targets),
    onListLost: (listId) => lists.listLost(listId),
    onRenamed: (userId, username) => resolver.takeRename(userId, username),
  });
  const aftermath = createPollAftermath({ ...deps, trouble });
  const loop = createPollLoop({
    ...deps,
    runPoll: (poll) => runPoll(poll),
    stretch,
    againAt: (poll) => runners.againAt(poll),
  });

  const stalls = createStallWatch({
    ...deps,
    nextDueAt: (key) => loop.nextDueAt(key),
    isTroubleKnown: () => deps.isUpstreamDark() || deps.storeWatch.trouble !== undefined,
  });

  const replan = (): Promise<void> => inTurn(plan);

  const plan = async (): Promise<void> => {
    const single = planPolls(planned, { hash: deps.hash, timetable: deps.timetable, nowMs: clock.now() });
    await runners.load();
    const next = groupPolls(single, { hash: deps.hash, ...runners.learned });
    const unknown = next.filter(({ key }) => !lastPolledAtMs.has(key)).map(({ key }) => key);
    for (const source of unknown.length === 0 ? [] : await store.loadSources(unknown)) {
      if (source.lastPollAtMs !== null) lastPolledAtMs.set(source.fingerprint, source.lastPollAtMs);
      if (source.lastOkAtMs !== null) lastOkAtMs.set(source.fingerprint, source.lastOkAtMs);
    }
    for (const poll of next) await dateGroup(poll, { lastPolledAtMs, lastOkAtMs }, store);
    const isNew = hasNewEntry(planned);
    const fresh = new Set(unknown);
    for (const poll of next) if (fresh.has(poll.key) && isNew(poll)) lastPolledAtMs.delete(poll.key);
    logPlan(deps.log, polls, next);
    polls = next;
    pollsByWatch = indexByWatch(polls);
    forgetOthers([lastPolledAtMs, lastOkAtMs, problems, openHoles], polls);
    loop.setPolls(polls, lastPolledAtMs);
    stalls.setPolls([...single, ...polls.filter(({ group }) => group !== undefined)]);
    runners.keepOnly(polls);
  };

  /** Plans again when targets got an id or another source. */
  const replaceTargets = (targets: readonly TargetState[]) => {
    planned = withTargets(planned, targets);
    replan().catch((error: unknown) => deps.log.error("planning failed", { error }));
  };

  /** The same when accounts that watches name beside their targets got theirs. */
  const nameAccounts = (accounts: readonly NamedAccountId[]) => {
    planned = withAccounts(planned, accounts);
    replan().catch((error: unknown) => deps.log.error("planning failed", { error }));
  };

  const lists = createListCheck({ ...deps, watches: () => planned, onSourceChanged: (targets) => replaceTargets(targets) });
  const resolver = createTargetResolver({
    ...deps,
    trouble,
    targetNotices,
    watches: () => planned,
    onNamed: (accounts) => nameAccounts(accounts),
    onResolved: (targets) => replaceTargets(targets),
    onFound: () => void lists.check(),
  });

  /** What a list holds is asked when everyone was looked up: one answer serves them all. */
  const lookUp = (isAsked = false): void => void resolver.resolve().then(() => lists.check(isAsked));

  const volume = createVolumeWatch({
    ...deps,
    stretch,
    baselineAtMs: (watchKey) => firstBaselineIn(planned, watchKey),
  });
  const attempt = createAttempt({ ...deps, stalls, volume, aftermath, trouble, lastPolledAtMs, lastOkAtMs, problems, openHoles });

  const readMember: RunMember = {
    runOne: (poll, reach) => attempt(poll, () => deps.runner.run(poll, reach)),
    take: (poll, feed) => attempt(poll, () => deps.runner.take(poll, feed)),
  };
  const runners = createRunners({ ...deps, ...readMember, stretch, wake: (key) => void loop.hasten(key) });

  const rechecks = createRecheckLoop({ ...deps, stretch, watches: () => planned });

  const runPoll = async (poll: Poll): Promise<PollAftermath> => {
    if (deps.storeWatch.trouble !== undefined) return { retryAtMs: clock.now() + STORE_RETRY_MS };
    let againAtMs: number | undefined;
    const { aftermath: after } = await attempt(poll, async () => {
      const run = await runners.run(poll);
      againAtMs = run.againAtMs;
      return run.outcome;
    });
    const isWell = after.retryAtMs === undefined && after.notBeforeMs === undefined;
    return againAtMs !== undefined && isWell ? { retryAtMs: againAtMs, isPaced: true } : after;
  };

  return {
    async setWatches(watches) {
      planned = watches.map(plannedOf);
      await replan();
      lookUp(true);
    },
    async setPaused(watchId, paused) {
      planned = await withPaused(planned, watchId, paused, store);
      await replan();
      lookUp();
    },
    start() {
      loop.start();
      stalls.start();
      rechecks.start();
    },
    async stop() {
      stalls.stop();
      const lookups = [resolver.stop(), lists.stop()];
      deps.gate.close();
      // Answers that are paid for are worth a moment; one that hangs is not.
      const cancelAbort = clock.after(ANSWER_GRACE_MS, () => deps.gate.abort());
      await Promise.all([loop.stop(), rechecks.stop(), ...lookups]);
      cancelAbort();
      for (const learned of [runners, volume])
        await learned.close().catch((error: unknown) => deps.log.warn("what was learned could not be written", { error }));
    },
    get polls() {
      return polls;
    },
    pollsOf: (watchId) => pollsByWatch.get(watchId) ?? [],
    nextPollAt(watchId) {
      // Where the quota is spent, only first reads go on before the period ends.
      const soonestMs = (key: string) => (lastPolledAtMs.has(key) ? deps.quotaWatch.heldUntilMs : 0);
      const times = (pollsByWatch.get(watchId) ?? []).flatMap(({ key }) => {
        const dueMs = loop.nextDueAt(key);
        return dueMs === undefined ? [] : [Math.max(dueMs, soonestMs(key))];
      });
      return times.length === 0 ? undefined : Math.min(...times);
    },
    lastSuccessAt(watchId) {
      const times = (pollsByWatch.get(watchId) ?? []).map(({ key }) => lastOkAtMs.get(key)).filter((time) => time !== undefined);
      return times.length === 0 ? undefined : Math.max(...times);
    },
    firstReadPages: () => deps.runner.firstReadPages(),
    openHoles: () => countOpenHoles(polls, openHoles, store),
    problemOf: (pollKey) => problems.get(pollKey) ?? "",
    hastenAll() {
      for (const { key } of polls) loop.hasten(key);
      lookUp();
    },
    wake: () => [loop, rechecks].forEach((one) => one.wake()),
    repace: () => [loop, rechecks].forEach((one) => one.repace()),
    loop,
  };
}
