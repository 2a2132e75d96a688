/** The polling half of the daemon: keeps the plan in step with watches and targets, runs the loop, and deals with what goes wrong. */
import type { UpstreamPacer } from "../budget/upstream-pacer.ts";
import type { Cancel, Clock } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { Hash } from "../model/hash.ts";
import type { Log } from "../model/log.ts";
import type { Meter } from "../model/meter.ts";
import type { PollStore, TargetState, WatchState, WatchStore } from "../model/store.ts";
import { UpstreamError } from "../model/upstream.ts";
import type { Watch } from "../model/watch.ts";
import { planPolls, type PlannedWatch } from "../plan/plan-polls.ts";
import type { Poll } from "./watch-poll.ts";
import type { Timetable } from "../schedule/timetable.ts";
import type { WatchType } from "../watches/watch-type.ts";
import type { Notices } from "./notices.ts";
import { createPollLoop, type PollAftermath, type PollLoop } from "./poll-loop.ts";
import type { PollOutcome, PollRunner } from "./poll-runner.ts";
import type { Profiles } from "./profiles.ts";
import type { QuotaWatch } from "./quota-watch.ts";
import { RequestHeld, type RequestGate } from "./request-gate.ts";
import { resolveTargets, type UnresolvedTarget } from "./resolve-targets.ts";
import { STORE_RETRY_MS, type StoreWatch } from "./store-watch.ts";
import { createTargetTrouble } from "./target-trouble.ts";

export interface EngineDeps {
  readonly store: PollStore & WatchStore;
  readonly gate: RequestGate;
  readonly pacer: UpstreamPacer;
  readonly runner: PollRunner;
  readonly profiles: Profiles;
  readonly notices: Notices;
  readonly storeWatch: StoreWatch;
  readonly quotaWatch: Pick<QuotaWatch, "status">;
  readonly clock: Clock;
  readonly timetable: Timetable;
  readonly hash: Hash;
  readonly meter: Meter;
  readonly log: Log;
  /** Told after every poll: for the start-up lines and the demo. */
  /** Told when a target cannot be found at all. */
  readonly onMissing: (watchId: string) => void;
  readonly onPolled: (poll: Poll, outcome: PollOutcome | undefined, error: unknown) => void;
}

export interface EngineWatch {
  readonly watch: Watch;
  readonly type: WatchType<any>;
  readonly state: WatchState;
}

export interface Engine {
  /** Puts a set of watches in force, at start and at every reload: memory and due times of what stays are kept. */
  setWatches(watches: readonly EngineWatch[]): Promise<void>;
  setPaused(watchId: string, paused: boolean): Promise<void>;
  start(): void;
  stop(): Promise<void>;
  readonly polls: readonly Poll[];
  /** When a watch is polled next, epoch ms; undefined while nothing of it is planned. */
  nextPollAt(watchId: string): number | undefined;
  /** Why the last run of a poll failed; "" when it did not. */
  problemOf(pollKey: string): string;
  /** Makes everything due that waited for something: a recovered store, a new key. */
  hastenAll(): void;
  readonly loop: Pick<PollLoop, "lastTurnMs" | "running" | "overdueMs">;
}

const ANSWER_GRACE_MS = 3_000;
const RESOLVE_AGAIN_MS = 60_000;
const RESOLVE_MISSING_MS = 3_600_000;

export function createEngine(deps: EngineDeps): Engine {
  const { clock, store } = deps;
  let planned: readonly PlannedWatch<WatchType<any>>[] = [];
  let polls: readonly Poll[] = [];
  let cancelResolve: Cancel | undefined;
  let isStopped = false;
  const lastPolledAtMs = new Map<string, number>();
  const problems = new Map<string, string>();
  const trouble = createTargetTrouble({ ...deps, onSourceChanged: (targets) => replaceTargets(targets) });
  const loop = createPollLoop({
    ...deps,
    runPoll: (poll) => runPoll(poll),
    stretch: (priority) => deps.quotaWatch.status.factors[priority],
  });

  const replan = async (): Promise<void> => {
    const next = planPolls(planned, { hash: deps.hash, timetable: deps.timetable, nowMs: clock.now() });
    const unknown = next.filter(({ key }) => !lastPolledAtMs.has(key)).map(({ key }) => key);
    for (const source of unknown.length === 0 ? [] : await store.loadSources(unknown)) {
      if (source.lastPollAtMs !== null) lastPolledAtMs.set(source.fingerprint, source.lastPollAtMs);
    }
    polls = next;
    loop.setPolls(polls, lastPolledAtMs);
    deps.meter.set("chirpwatch_watches", planned.filter(({ paused }) => !paused).length, { state: "active" });
    deps.meter.set("chirpwatch_watches", planned.filter(({ paused }) => paused).length, { state: "paused" });
  };

  /** Plans again when targets got an id or another source. A survivor of two targets with one id replaces both. */
  const replaceTargets = (targets: readonly TargetState[]) => {
    planned = planned.map((watch) => {
      const own = targets.filter(({ watchKey }) => watchKey === watch.watchKey);
      if (own.length === 0) return watch;
      const userIds = new Set(own.map(({ userId }) => userId));
      const names = new Set(own.map(({ name }) => name));
      const kept = watch.targets.filter((target) => !names.has(target.name) && (target.userId === null || !userIds.has(target.userId)));
      return { ...watch, targets: [...kept, ...new Map(own.map((target) => [target.key, target])).values()] };
    });
    replan().catch((error: unknown) => deps.log.error("planning failed", { error }));
  };

  const unresolvedTargets = (): readonly UnresolvedTarget[] =>
    planned.flatMap(({ watch, paused, targets }) =>
      paused
        ? []
        : targets
            .filter(({ key, userId }) => userId === null && key.startsWith("@"))
            .map((target) => ({ watchId: watch.id, target, handle: target.key.slice(1) })),
    );

  const resolve = async (): Promise<void> => {
    cancelResolve?.();
    const unresolved = unresolvedTargets();
    if (unresolved.length === 0 || isStopped) return;
    const watchIds = new Map(unresolved.map(({ watchId, target }) => [target.watchKey, watchId]));
    const onMissing = async (missing: readonly TargetState[]) => {
      for (const target of missing) {
        const watchId = watchIds.get(target.watchKey) ?? "";
        if (target.status !== "unavailable") deps.onMissing(watchId);
        await trouble.takeMissing(watchId, target);
      }
    };
    let isFailed = false;
    try {
      await resolveTargets(unresolved, { ...deps, onResolved: replaceTargets, onMissing });
    } catch (error) {
      isFailed = true;
      deps.storeWatch.takeError(error);
      deps.log.warn("handles could not be resolved, trying again", { error: errorText(error) });
    }
    if (!isStopped) cancelResolve = clock.after(isFailed ? retryDelayMs() : RESOLVE_MISSING_MS, () => void resolve());
  };

  const retryDelayMs = (): number => (deps.pacer.status(clock.monotonic()).kind === "stopped" ? RESOLVE_AGAIN_MS : 5_000);

  const runPoll = async (poll: Poll): Promise<PollAftermath> => {
    if (deps.storeWatch.trouble !== undefined) return { retryAtMs: clock.now() + STORE_RETRY_MS };
    const type = poll.subscribers[0]?.watch.type ?? "";
    try {
      const outcome = await deps.runner.run(poll);
      lastPolledAtMs.set(poll.key, clock.now());
      problems.delete(poll.key);
      deps.meter.count("chirpwatch_polls_total", { type, outcome: outcome.error === undefined ? "ok" : "cut" });
      deps.onPolled(poll, outcome, outcome.error);
      await tellLosses(poll, outcome);
      return outcome.error === undefined ? {} : await afterFailure(poll, outcome.error);
    } catch (error) {
      deps.meter.count("chirpwatch_polls_total", { type, outcome: "failed" });
      deps.onPolled(poll, undefined, error);
      return afterFailure(poll, error).catch((second: unknown) => {
        deps.storeWatch.takeError(second);
        return { retryAtMs: clock.now() + STORE_RETRY_MS };
      });
    }
  };

  const tellLosses = async (poll: Poll, outcome: PollOutcome): Promise<void> => {
    for (const [watch, count] of outcome.tooOld) {
      const message = `${watch}: ${count} items older than max_age not sent; chirpwatch explain says which`;
      await deps.notices.tell({ type: "watch.gap", subject: watch, watch, severity: "warning", message, facts: { items: count } });
    }
    for (const watch of outcome.lostHoles === 0 ? [] : new Set(poll.subscribers.map((subscriber) => subscriber.watch.id))) {
      const message = `${watch}: the service would not give ${outcome.lostHoles} stretch(es) of its history; items in them may be missing`;
      await deps.notices.tell({ type: "watch.gap", subject: watch, watch, severity: "warning", message });
    }
  };

  const afterFailure = async (poll: Poll, error: unknown): Promise<PollAftermath> => {
    const nowMs = clock.now();
    problems.set(poll.key, errorText(error));
    if (deps.storeWatch.takeError(error)) return { retryAtMs: nowMs + STORE_RETRY_MS };
    if (error instanceof RequestHeld) {
      if (error.retryAtMs !== undefined) return { retryAtMs: nowMs + Math.max(0, error.retryAtMs - clock.monotonic()) };
      return { notBeforeMs: nowMs + RESOLVE_AGAIN_MS };
    }
    if (!(error instanceof UpstreamError)) {
      deps.log.error("poll failed", { watch: poll.subscribers[0]?.watch.id, error });
      return { notBeforeMs: nowMs + RESOLVE_AGAIN_MS };
    }
    deps.log.warn("poll failed", {
      watch: poll.subscribers[0]?.watch.id,
      endpoint: poll.source.endpoint,
      kind: error.kind,
      status: error.status,
      error: error.message,
    });
    // The gate knows how long this source has to wait, and answers with the time.
    if (error.kind === "transient" || error.kind === "rate_limited") return { retryAtMs: nowMs + 1_000 };
    if (error.kind === "billing" || error.kind === "unauthorized") return { notBeforeMs: nowMs + RESOLVE_AGAIN_MS };
    return trouble.take(poll, error);
  };

  return {
    async setWatches(watches) {
      planned = watches.map(({ watch, type, state }) => ({
        watch,
        type,
        watchKey: state.key,
        paused: state.paused,
        targets: state.targets,
      }));
      await replan();
      void resolve();
    },
    async setPaused(watchId, paused) {
      planned = planned.map((one) => (one.watch.id === watchId ? { ...one, paused } : one));
      await replan();
      void resolve();
    },
    start: () => loop.start(),
    async stop() {
      isStopped = true;
      cancelResolve?.();
      deps.gate.close();
      // Answers that are paid for are worth a moment; one that hangs is not.
      const cancelAbort = clock.after(ANSWER_GRACE_MS, () => deps.gate.abort());
      await loop.stop();
      cancelAbort();
    },
    get polls() {
      return polls;
    },
    nextPollAt(watchId) {
      const own = polls.filter(({ subscribers }) => subscribers.some(({ watch }) => watch.id === watchId));
      const times = own.map(({ key }) => loop.nextDueAt(key)).filter((time) => time !== undefined);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    problemOf: (pollKey) => problems.get(pollKey) ?? "",
    hastenAll() {
      for (const { key } of polls) loop.hasten(key);
      void resolve();
    },
    loop,
  };
}
