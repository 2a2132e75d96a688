/**
 * Creates the parts of the engine, each after the parts that it uses. Each part declares what it
 * needs from the engine's dependencies in an interface of its own, so this file adds only the links
 * between the parts. If targets change, `PlannedWatches` reports their watches, and the planner
 * makes a new plan.
 */
import type { UpstreamPacer } from "../budget/upstream-pacer.ts";
import { createRunners } from "../groups/runners.ts";
import type { LearnedStore } from "../model/learned.ts";
import type { PollStore } from "../model/poll-store.ts";
import type { Ports } from "../model/ports.ts";
import type { RecheckStore } from "../model/recheck.ts";
import type { Priority } from "../model/schedule.ts";
import type { VolumeStore } from "../model/volume-store.ts";
import type { TargetState, WatchStore } from "../model/watch-store.ts";
import type { PollOutcome } from "../polling/run/poll-outcome.ts";
import { PollRunner, type RunnerDeps } from "../polling/run/poll-runner.ts";
import { ListCheck } from "../polling/targets/list-check.ts";
import { TargetAlerts } from "../polling/targets/target-alerts.ts";
import { TargetResolver } from "../polling/targets/target-resolver.ts";
import { TargetTrouble } from "../polling/targets/target-trouble.ts";
import type { Poll } from "../polling/watch-poll.ts";
import type { Timetable } from "../schedule/timetable.ts";
import { GapMonitor } from "./health/gap-monitor.ts";
import { StallMonitor } from "./health/stall-monitor.ts";
import { PollAttempts } from "./loop/attempt-poll.ts";
import { PollHistory } from "./loop/poll-history.ts";
import { PollLoop } from "./loop/poll-loop.ts";
import type { PlannedPolls } from "./planned-polls.ts";
import { PlannedWatches } from "./planned-watches.ts";
import { PollPlanner } from "./poll-planner.ts";
import type { QuotaMonitor } from "./quota/quota-monitor.ts";
import { RecheckLoop } from "./recheck/recheck-loop.ts";
import { VolumeMonitor } from "./recheck/volume-monitor.ts";

export interface EngineDeps
  extends Omit<RunnerDeps, "withoutRemoved">,
    Pick<Ports, "share" | "opsAlerts" | "storeMonitor" | "notes"> {
  readonly store: PollStore & WatchStore & RecheckStore & VolumeStore & LearnedStore;
  readonly pacer: UpstreamPacer;
  readonly quotaMonitor: Pick<QuotaMonitor, "status" | "heldUntilMs">;
  readonly timetable: Timetable;
  /** Receives each new plan. */
  readonly polls: PlannedPolls;
  /** Whether the operator has been notified that the service is down or refuses the key. */
  readonly isUpstreamDown: () => boolean;
  /** Called when a target cannot be found at all. */
  readonly onMissing: (watchId: string) => void;
  /** Called after every poll, for the start-up lines and the demo. */
  readonly onPolled: (poll: Poll, outcome: PollOutcome | undefined, error: unknown) => void;
}

export type EngineParts = ReturnType<typeof createEngineParts>;

export function createEngineParts(deps: EngineDeps) {
  const { store, clock, polls, quotaMonitor, storeMonitor, isUpstreamDown } = deps;
  /** Returns the factor by which polls of a priority are slowed down while the quota is short. */
  const slowDownOf = (priority: Priority): number => quotaMonitor.status.factors[priority];
  const watches = new PlannedWatches(store, (watchIds) => planAgain(deps, planner, watchIds));
  const watchesNow = () => watches.all;
  const replaceTargets = (targets: readonly TargetState[]) => watches.replaceTargets(targets);
  const loop = new PollLoop({ ...deps, slowDownOf });
  const runner = new PollRunner({ ...deps, withoutRemoved: (poll) => polls.withoutRemoved(poll) });
  const history = new PollHistory(clock);
  const stalls = new StallMonitor({
    ...deps,
    nextDueAt: (key) => loop.nextDueAt(key),
    isTroubleKnown: () => isUpstreamDown() || storeMonitor.trouble !== undefined,
  });
  const gaps = new GapMonitor({ ...deps, pollsOf: (watchId) => polls.of(watchId) });
  const targetAlerts = new TargetAlerts({ ...deps, watches: watchesNow });
  const lists = new ListCheck({ ...deps, watches: watchesNow, onSourceChanged: replaceTargets });
  const trouble = new TargetTrouble({
    ...deps,
    targetAlerts,
    onSourceChanged: replaceTargets,
    onListLost: (listId) => lists.listLost(listId),
    onRenamed: (userId, username) => resolver.handleRename(userId, username),
  });
  const resolver = new TargetResolver({
    ...deps,
    targetAlerts,
    trouble,
    watches: watchesNow,
    onResolved: replaceTargets,
    onNamed: (accounts) => watches.nameAccounts(accounts),
    onFound: () => void lists.check(),
  });
  const volume = new VolumeMonitor({
    ...deps,
    slowDownOf,
    baselineAtMs: (watchKey) => watches.baselineAtMs(watchKey),
  });
  const attempts = new PollAttempts({ ...deps, stalls, gaps, volume, history, trouble });
  const runners = createRunners({
    ...deps,
    runner,
    slowDownOf,
    wake: (key) => void loop.runNow(key),
    runOne: (poll, reach) => attempts.run(poll, () => runner.run(poll, reach)),
    processFeed: (poll, feed, commits) =>
      attempts.run(poll, () => runner.processFeed(poll, feed, commits)),
  });
  const rechecks = new RecheckLoop({ ...deps, slowDownOf, watches: watchesNow });
  const planner = new PollPlanner({ ...deps, watches, history, runners, loop, stalls });
  return {
    watches,
    runner,
    history,
    loop,
    stalls,
    gaps,
    lists,
    resolver,
    volume,
    attempts,
    runners,
    rechecks,
    planner,
  };
}

function planAgain(
  { share, log }: EngineDeps,
  planner: PollPlanner,
  watchIds: readonly string[],
): void {
  planner.replan().catch((error: unknown) => log.error("planning failed", { error }));
  share
    .announce(watchIds)
    .catch((error: unknown) =>
      log.debug("other replicas were not notified of changed targets", { error }),
    );
}
