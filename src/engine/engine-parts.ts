/**
 * What the engine is made of, each part after those it needs. A change of targets comes back to the
 * planner as an event of the watches.
 */
import type { UpstreamPacer } from "../budget/upstream-pacer.ts";
import { createRunners, type Runners } from "../groups/runners.ts";
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
import { GapWatch } from "./health/gap-watch.ts";
import { StallWatch } from "./health/stall-watch.ts";
import { PollAttempts } from "./loop/attempt-poll.ts";
import { PollHistory } from "./loop/poll-history.ts";
import { PollLoop } from "./loop/poll-loop.ts";
import type { PlannedPolls } from "./planned-polls.ts";
import { PlannedWatches } from "./planned-watches.ts";
import { PollPlanner } from "./poll-planner.ts";
import type { QuotaWatch } from "./quota/quota-watch.ts";
import { RecheckLoop } from "./recheck/recheck-loop.ts";
import { VolumeWatch } from "./recheck/volume-watch.ts";

export interface EngineDeps
  extends Omit<RunnerDeps, "withoutRemoved">,
    Pick<Ports, "share" | "opsAlerts" | "storeWatch" | "notes"> {
  readonly store: PollStore & WatchStore & RecheckStore & VolumeStore & LearnedStore;
  readonly pacer: UpstreamPacer;
  readonly quotaWatch: Pick<QuotaWatch, "status" | "heldUntilMs">;
  readonly timetable: Timetable;
  /** Where the plan is written. */
  readonly polls: PlannedPolls;
  /** While the operator knows that the service fails or refuses the key. */
  readonly isUpstreamDown: () => boolean;
  /** Called when a target cannot be found at all. */
  readonly onMissing: (watchId: string) => void;
  /** Called after every poll: for the start-up lines and the demo. */
  readonly onPolled: (poll: Poll, outcome: PollOutcome | undefined, error: unknown) => void;
}

export class EngineParts {
  readonly watches: PlannedWatches;
  readonly runner: PollRunner;
  readonly history: PollHistory;
  readonly loop: PollLoop;
  readonly stalls: StallWatch;
  readonly gaps: GapWatch;
  readonly lists: ListCheck;
  readonly resolver: TargetResolver;
  readonly volume: VolumeWatch;
  readonly attempts: PollAttempts;
  readonly runners: Runners;
  readonly rechecks: RecheckLoop;
  readonly planner: PollPlanner;
  readonly #deps: EngineDeps;
  readonly #targetAlerts: TargetAlerts;
  readonly #trouble: TargetTrouble;

  constructor(deps: EngineDeps) {
    const { store, clock, timetable, meter, log } = deps;
    this.#deps = deps;
    this.watches = new PlannedWatches(store, (watchIds) => this.#planAgain(watchIds));
    this.loop = new PollLoop({ clock, timetable, meter, log, slowDownOf: this.#slowDownOf });
    this.runner = this.#newRunner();
    this.history = new PollHistory(clock);
    this.stalls = this.#newStalls();
    this.gaps = this.#newGaps();
    this.#targetAlerts = this.#newTargetAlerts();
    this.lists = this.#newLists();
    this.#trouble = this.#newTrouble();
    this.resolver = this.#newResolver();
    this.volume = this.#newVolume();
    this.attempts = this.#newAttempts();
    this.runners = this.#newRunners();
    this.rechecks = this.#newRechecks();
    this.planner = this.#newPlanner();
  }

  /** How much slower polls of a priority go while the quota is short. */
  readonly #slowDownOf = (priority: Priority): number =>
    this.#deps.quotaWatch.status.factors[priority];

  readonly #watchesNow = () => this.watches.all;

  readonly #replaceTargets = (targets: readonly TargetState[]): void =>
    this.watches.replaceTargets(targets);

  #planAgain(watchIds: readonly string[]): void {
    const { share, log } = this.#deps;
    this.planner.replan().catch((error: unknown) => log.error("planning failed", { error }));
    share
      .announce(watchIds)
      .catch((error: unknown) =>
        log.debug("other replicas hear later of targets that changed", { error }),
      );
  }

  #newRunner(): PollRunner {
    const {
      store,
      gate,
      profiles,
      clock,
      serviceClock,
      random,
      hash,
      meter,
      log,
      trace,
      route,
      findEdits,
      wakeDelivery,
    } = this.#deps;
    const { polls, retentionMs, followLevels } = this.#deps;
    return new PollRunner({
      ...{
        store,
        gate,
        profiles,
        clock,
        serviceClock,
        random,
        hash,
        meter,
        log,
        trace,
        route,
        findEdits,
        wakeDelivery,
        retentionMs,
      },
      followLevels,
      withoutRemoved: (poll) => polls.withoutRemoved(poll),
    });
  }

  #newStalls(): StallWatch {
    const { clock, opsAlerts, log, isUpstreamDown, storeWatch } = this.#deps;
    const isTroubleKnown = () => isUpstreamDown() || storeWatch.trouble !== undefined;
    return new StallWatch({
      clock,
      opsAlerts,
      log,
      nextDueAt: (key) => this.loop.nextDueAt(key),
      isTroubleKnown,
    });
  }

  #newGaps(): GapWatch {
    const { clock, opsAlerts, log, store, share, polls } = this.#deps;
    return new GapWatch({
      clock,
      opsAlerts,
      log,
      store,
      share,
      pollsOf: (watchId) => polls.of(watchId),
    });
  }

  #newTargetAlerts(): TargetAlerts {
    const { store, opsAlerts, notes, log } = this.#deps;
    return new TargetAlerts({ store, opsAlerts, notes, log, watches: this.#watchesNow });
  }

  #newLists(): ListCheck {
    const { store, gate, notes, opsAlerts, hash, clock, log } = this.#deps;
    const onSourceChanged = this.#replaceTargets;
    return new ListCheck({
      store,
      gate,
      notes,
      opsAlerts,
      hash,
      clock,
      log,
      watches: this.#watchesNow,
      onSourceChanged,
    });
  }

  #newTrouble(): TargetTrouble {
    const { store, gate, clock, log, onMissing } = this.#deps;
    return new TargetTrouble({
      ...{ store, gate, clock, log, onMissing },
      targetAlerts: this.#targetAlerts,
      onSourceChanged: this.#replaceTargets,
      onListLost: (listId) => this.lists.listLost(listId),
      onRenamed: (userId, username) => this.resolver.takeRename(userId, username),
    });
  }

  #newResolver(): TargetResolver {
    const { store, gate, profiles, pacer, notes, storeWatch, clock, log } = this.#deps;
    return new TargetResolver({
      ...{ store, gate, profiles, pacer, notes, storeWatch, clock, log },
      targetAlerts: this.#targetAlerts,
      trouble: this.#trouble,
      watches: this.#watchesNow,
      onResolved: this.#replaceTargets,
      onNamed: (accounts) => this.watches.nameAccounts(accounts),
      onFound: () => void this.lists.check(),
    });
  }

  #newVolume(): VolumeWatch {
    const { store, notes, clock, hash, meter, log, route, wakeDelivery } = this.#deps;
    const baselineAtMs = (watchKey: string) => this.watches.baselineAtMs(watchKey);
    return new VolumeWatch({
      store,
      notes,
      clock,
      hash,
      meter,
      log,
      slowDownOf: this.#slowDownOf,
      route,
      wakeDelivery,
      baselineAtMs,
    });
  }

  #newAttempts(): PollAttempts {
    const { clock, log, trace, meter, storeWatch, opsAlerts, onPolled } = this.#deps;
    const { stalls, gaps, volume, history } = this;
    return new PollAttempts({
      clock,
      log,
      trace,
      meter,
      storeWatch,
      opsAlerts,
      stalls,
      gaps,
      volume,
      history,
      trouble: this.#trouble,
      onPolled,
    });
  }

  #newRunners(): Runners {
    const { store, gate, profiles, clock, serviceClock, log } = this.#deps;
    const { runner } = this;
    return createRunners({
      ...{ store, gate, profiles, clock, serviceClock, log, runner },
      slowDownOf: this.#slowDownOf,
      wake: (key) => void this.loop.runNow(key),
      runOne: (poll, reach) => this.attempts.run(poll, () => runner.run(poll, reach)),
      take: (poll, feed, commits) =>
        this.attempts.run(poll, () => runner.take(poll, feed, commits)),
    });
  }

  #newRechecks(): RecheckLoop {
    const {
      store,
      storeWatch,
      gate,
      clock,
      hash,
      meter,
      log,
      trace,
      route,
      wakeDelivery,
      findEdits,
    } = this.#deps;
    return new RecheckLoop({
      ...{
        store,
        storeWatch,
        gate,
        clock,
        hash,
        meter,
        log,
        trace,
        route,
        wakeDelivery,
        findEdits,
      },
      slowDownOf: this.#slowDownOf,
      watches: this.#watchesNow,
    });
  }

  #newPlanner(): PollPlanner {
    const { share, polls, store, hash, timetable, clock, log } = this.#deps;
    const { watches, history, runners, loop, stalls } = this;
    return new PollPlanner({
      share,
      watches,
      polls,
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
  }
}
