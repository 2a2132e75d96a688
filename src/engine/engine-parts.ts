/** What the engine is made of, each part after those it needs. A change of targets comes back to the planner as an event of the watches. */
import type { UpstreamPacer } from "../budget/upstream-pacer.ts";
import { createRunners, type Runners } from "../groups/runners.ts";
import type { FindEdits } from "../model/edit.ts";
import type { LearnedStore } from "../model/learned.ts";
import type { PollStore } from "../model/poll-store.ts";
import type { Ports } from "../model/ports.ts";
import type { RecheckStore } from "../model/recheck.ts";
import type { Priority } from "../model/schedule.ts";
import type { VolumeStore } from "../model/volume-store.ts";
import type { WatchStore } from "../model/watch-store.ts";
import type { RouteEvaluated } from "../polling/evaluate/verdicts.ts";
import type { PollOutcome } from "../polling/run/poll-outcome.ts";
import type { PollRunner } from "../polling/run/poll-runner.ts";
import { ListCheck } from "../polling/targets/list-check.ts";
import { askedByHandle, takeHandles } from "../polling/targets/refresh-handles.ts";
import { createTargetAlerts } from "../polling/targets/target-alerts.ts";
import { TargetResolver } from "../polling/targets/target-resolver.ts";
import { TargetTrouble } from "../polling/targets/target-trouble.ts";
import type { Poll } from "../polling/watch-poll.ts";
import type { Profiles } from "../requests/profiles.ts";
import type { RequestGate } from "../requests/request-gate.ts";
import type { ServiceClock } from "../requests/service-clock.ts";
import type { Timetable } from "../schedule/timetable.ts";
import { StallWatch } from "./health/stall-watch.ts";
import { type AttemptPoll, createAttempt } from "./loop/attempt-poll.ts";
import { createPollAftermath } from "./loop/poll-aftermath.ts";
import { PollHistory } from "./loop/poll-history.ts";
import { PollLoop } from "./loop/poll-loop.ts";
import type { PlannedPolls } from "./planned-polls.ts";
import { PlannedWatches } from "./planned-watches.ts";
import { PollPlanner } from "./poll-planner.ts";
import type { QuotaWatch } from "./quota/quota-watch.ts";
import { createRecheckLoop, type RecheckLoop } from "./recheck/recheck-loop.ts";
import { VolumeWatch } from "./recheck/volume-watch.ts";

export interface EngineDeps
  extends Pick<Ports, "share" | "opsAlerts" | "storeWatch" | "clock" | "hash" | "meter" | "log" | "trace" | "notes"> {
  readonly store: PollStore & WatchStore & RecheckStore & VolumeStore & LearnedStore;
  readonly gate: RequestGate;
  readonly pacer: UpstreamPacer;
  readonly runner: PollRunner;
  readonly profiles: Profiles;
  readonly quotaWatch: Pick<QuotaWatch, "status" | "heldUntilMs">;
  readonly serviceClock: ServiceClock;
  readonly timetable: Timetable;
  /** Where the plan is written. */
  readonly polls: PlannedPolls;
  /** While the operator knows that the service fails or refuses the key. */
  readonly isUpstreamDown: () => boolean;
  /** Which sinks an event goes to, by the active configuration. */
  readonly route: RouteEvaluated;
  /** Which sent messages show a tweet otherwise than it was seen; absent where nobody edits any. */
  readonly findEdits?: FindEdits;
  /** Called when deliveries were committed. */
  readonly wakeDelivery: () => void;
  /** Called when a target cannot be found at all. */
  readonly onMissing: (watchId: string) => void;
  /** Called after every poll: for the start-up lines and the demo. */
  readonly onPolled: (poll: Poll, outcome: PollOutcome | undefined, error: unknown) => void;
}

export interface EngineParts {
  readonly watches: PlannedWatches;
  readonly planner: PollPlanner;
  readonly history: PollHistory;
  readonly loop: PollLoop;
  readonly stalls: StallWatch;
  readonly lists: ListCheck;
  readonly resolver: TargetResolver;
  readonly volume: VolumeWatch;
  readonly attempt: AttemptPoll;
  readonly runners: Runners;
  readonly rechecks: RecheckLoop;
}

/** How much slower polls of a priority go while the quota is short. */
type FactorOfPriority = (priority: Priority) => number;

export function createEngineParts(deps: EngineDeps): EngineParts {
  const { store, clock, timetable, hash, meter, log, quotaWatch } = deps;
  const slowDownOf: FactorOfPriority = (priority) => quotaWatch.status.factors[priority];
  const watches = new PlannedWatches(store);
  const history = new PollHistory();
  const loop = new PollLoop({ clock, timetable, meter, log, slowDownOf });
  const stalls = stallWatchOf(deps, loop);
  const { lists, trouble, resolver } = targetPartsOf(deps, watches);
  const volume = volumeWatchOf(deps, watches, slowDownOf);
  const attempt = attemptOf(deps, { stalls, volume, trouble, history });
  const runners = runnersOf(deps, { attempt, loop, slowDownOf });
  const rechecks = recheckLoopOf(deps, watches, slowDownOf);
  const { share } = deps;
  const planner = new PollPlanner({
    share,
    watches,
    polls: deps.polls,
    store,
    hash,
    timetable,
    clock,
    log,
    history,
    runners,
    loop,
    stalls,
  });
  watches.onChanged(() => {
    planner.replan().catch((error: unknown) => log.error("planning failed", { error }));
    share.announce().catch((error: unknown) => log.debug("other replicas hear later of targets that changed", { error }));
  });
  return { watches, planner, history, loop, stalls, lists, resolver, volume, attempt, runners, rechecks };
}

function stallWatchOf({ clock, opsAlerts, log, isUpstreamDown, storeWatch }: EngineDeps, loop: PollLoop): StallWatch {
  return new StallWatch({
    clock,
    opsAlerts,
    log,
    nextDueAt: (key) => loop.nextDueAt(key),
    isTroubleKnown: () => isUpstreamDown() || storeWatch.trouble !== undefined,
  });
}

interface TargetParts {
  readonly lists: ListCheck;
  readonly trouble: TargetTrouble;
  readonly resolver: TargetResolver;
}

function targetPartsOf(deps: EngineDeps, planned: PlannedWatches): TargetParts {
  const { store, gate, profiles, pacer, opsAlerts, notes, storeWatch, hash, clock, log, onMissing } = deps;
  const watches = () => planned.all;
  const replaceTargets = (targets: Parameters<PlannedWatches["replaceTargets"]>[0]) => planned.replaceTargets(targets);
  const targetAlerts = createTargetAlerts({ store, opsAlerts, notes, log, watches });
  const lists = new ListCheck({ store, gate, notes, opsAlerts, hash, clock, log, watches, onSourceChanged: replaceTargets });
  const handles = { gate, store, profiles, targetAlerts, clock, log, onResolved: replaceTargets };
  const trouble = new TargetTrouble({
    gate,
    store,
    targetAlerts,
    clock,
    log,
    onMissing,
    onSourceChanged: replaceTargets,
    onListLost: (listId) => lists.listLost(listId),
    onRenamed(userId, username) {
      const own = askedByHandle(planned.all).filter(({ target }) => target.userId === userId);
      return takeHandles(own, username, handles);
    },
  });
  const resolver = new TargetResolver({
    ...handles,
    pacer,
    storeWatch,
    trouble,
    notes,
    watches,
    onNamed: (accounts) => planned.nameAccounts(accounts),
    onFound: () => void lists.check(),
  });
  return { lists, trouble, resolver };
}

function volumeWatchOf(deps: EngineDeps, watches: PlannedWatches, slowDownOf: FactorOfPriority): VolumeWatch {
  const { store, notes, clock, hash, meter, log, route, wakeDelivery } = deps;
  const baselineAtMs = (watchKey: string) => watches.baselineAtMs(watchKey);
  return new VolumeWatch({ store, notes, clock, hash, meter, log, slowDownOf, route, wakeDelivery, baselineAtMs });
}

interface AttemptParts {
  readonly stalls: StallWatch;
  readonly volume: VolumeWatch;
  readonly trouble: TargetTrouble;
  readonly history: PollHistory;
}

function attemptOf(deps: EngineDeps, { stalls, volume, trouble, history }: AttemptParts): AttemptPoll {
  const { clock, log, trace, meter, storeWatch, opsAlerts, onPolled } = deps;
  const aftermath = createPollAftermath({ storeWatch, trouble, opsAlerts, clock, log });
  return createAttempt({ clock, log, trace, meter, storeWatch, stalls, volume, aftermath, trouble, history, onPolled });
}

interface RunnerParts {
  readonly attempt: AttemptPoll;
  readonly loop: PollLoop;
  readonly slowDownOf: FactorOfPriority;
}

function runnersOf(deps: EngineDeps, { attempt, loop, slowDownOf }: RunnerParts): Runners {
  const { store, gate, profiles, clock, serviceClock, log, runner } = deps;
  return createRunners({
    store,
    gate,
    profiles,
    clock,
    serviceClock,
    log,
    runner,
    slowDownOf,
    wake: (key) => void loop.runNow(key),
    runOne: (poll, reach) => attempt(poll, () => runner.run(poll, reach)),
    take: (poll, feed) => attempt(poll, () => runner.take(poll, feed)),
  });
}

function recheckLoopOf(deps: EngineDeps, planned: PlannedWatches, slowDownOf: FactorOfPriority): RecheckLoop {
  const { store, storeWatch, gate, clock, hash, meter, log, trace, route, wakeDelivery, findEdits } = deps;
  const watches = () => planned.all;
  const edits = findEdits === undefined ? {} : { findEdits };
  return createRecheckLoop({ store, storeWatch, gate, clock, hash, meter, log, trace, route, wakeDelivery, slowDownOf, watches, ...edits });
}
