/**
 * Escalates alerts that nobody acknowledged in time, or that their sinks do not take. One timer, in
 * the replica that leads, reads what is due from the state. Each step is committed with its
 * event, so it is sent once whatever happens in between.
 */
import type { Config, SinkConfig } from "../../config/config.ts";
import type { Cancel, Clock } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type {
  DueEscalation,
  EscalationChange,
  EscalationStore,
  PlannedStep,
  TakenStep,
} from "../../model/escalation.ts";
import type { ChirpEvent } from "../../model/event.ts";
import { groupBy } from "../../model/group-by.ts";
import type { Hash } from "../../model/hash.ts";
import type { Log } from "../../model/log.ts";
import type { NewDelivery } from "../../model/poll-store.ts";
import {
  decideEscalation,
  type Decision,
  escalatingSinks,
  shortestAfterMs,
} from "../../route/escalate.ts";
import type { ActiveWatches } from "./active-watches.ts";
import { sinkFactsOf } from "./create-sink.ts";
import { escalationEvent } from "./escalation-event.ts";
import type { Routing } from "./routing.ts";
import type { ActiveSilences } from "./silences.ts";

export interface EscalationsDeps {
  readonly store: EscalationStore;
  readonly clock: Clock;
  readonly hash: Hash;
  readonly log: Log;
  readonly config: () => Config;
  readonly routing: () => Pick<Routing, "escalationOf" | "escalationDelivery">;
  readonly active: Pick<ActiveWatches, "watchOf">;
  readonly silences: Pick<ActiveSilences, "isHeld">;
  /** Called after escalations were committed. */
  wakeDelivery(): void;
  /** Whether `wake` is called after each change of an escalation, so that none is looked for. */
  readonly isWoken?: boolean | undefined;
}

/** Returns the sinks whose alerts may be escalated; undefined if there is none. */
export function escalatingOf(config: Config): ReadonlySet<string> | undefined {
  const names = escalatingSinks(config.route, sinkFactsOf(config.sinks));
  return names.size === 0 ? undefined : names;
}

export interface Escalations {
  /** Escalates now what is due. With `replan`, every alert is planned by the configuration of now. */
  wake(replan?: "replan"): void;
  stop(): Promise<void>;
}

/** Alerts of other replicas are seen after this time at the latest, or sooner. */
const MAX_PAUSE_MS = 5_000;
const MIN_PAUSE_MS = 250;
const RETRY_MS = 1_000;

/** Starts the timer. What is due since before a start or a takeover is escalated at once. */
export function startEscalations(deps: EscalationsDeps): Escalations {
  const { clock, log } = deps;
  let cancel: Cancel | undefined;
  let running: Promise<void> = Promise.resolve();
  let [isStopped, mustReplan, isRunning, isAskedAgain] = [false, true, false, false];
  const arm = (ms: number) => {
    cancel?.();
    cancel = isStopped ? undefined : clock.after(ms, start);
  };
  const start = () => {
    isAskedAgain = isRunning;
    if (isRunning || isStopped) return;
    cancel?.();
    isRunning = true;
    running = turn();
  };
  const turn = async () => {
    let pauseMs: number | undefined = RETRY_MS;
    try {
      if (mustReplan) await deps.store.replanEscalations(clock.now());
      mustReplan = false;
      pauseMs = await escalateDue(deps);
    } catch (error) {
      log.error("alerts could not be escalated", { error: errorText(error) });
    }
    isRunning = false;
    if (isAskedAgain) start();
    else if (pauseMs !== undefined) arm(pauseMs);
  };
  start();
  return {
    wake(replan) {
      if (replan !== undefined) mustReplan = true;
      start();
    },
    stop() {
      isStopped = true;
      cancel?.();
      return running;
    },
  };
}

/**
 * Escalates what is due. Returns how long to wait until it is called again; undefined if it
 * need not be called before something changes.
 */
async function escalateDue(deps: EscalationsDeps): Promise<number | undefined> {
  const { store, clock, config } = deps;
  const facts = sinkFactsOf(config().sinks);
  const shortestMs = shortestAfterMs(config().route, facts);
  if (shortestMs !== undefined)
    await store.trackFailing([...escalatingSinks(config().route, facts)], clock.now());
  for (;;) {
    const due = await store.dueEscalations(clock.now());
    if (due.length === 0) break;
    await escalate(deps, due);
  }
  const nextAtMs = await store.nextEscalationAt();
  const untilNextMs = nextAtMs === null ? undefined : Math.max(0, nextAtMs - clock.now());
  if (shortestMs === undefined || deps.isWoken === true) return untilNextMs;
  const pauseMs = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, shortestMs / 4));
  return Math.min(pauseMs, untilNextMs ?? pauseMs);
}

interface Decided {
  readonly due: DueEscalation;
  readonly decision: Decision;
}

/** Decides about all that is due and commits it. What was changed meanwhile is read again. */
async function escalate(deps: EscalationsDeps, all: readonly DueEscalation[]): Promise<void> {
  const { store, clock, log, wakeDelivery } = deps;
  const nowMs = clock.now();
  const work = new Work();
  const renamed = all.map(withNewNames(deps.config().sinks));
  for (const group of groupBy(renamed, messageOf).values()) sendGroup(deps, work, group, nowMs);
  const { changes, forgottenIds, events, deliveries } = work;
  const isCommitted = await store.commitEscalations({
    atMs: nowMs,
    ...{ changes, forgottenIds, events, deliveries },
  });
  if (!isCommitted || events.length === 0) return;
  for (const { id, subject } of events) log.info("alert escalated", { event: id, alert: subject });
  wakeDelivery();
}

/**
 * Returns a function that renames the sinks of an escalation as the configuration does. The rows in
 * the state are renamed later, by the replica that delivers to the sink.
 */
function withNewNames(
  sinks: readonly Pick<SinkConfig, "name" | "movedFrom">[],
): (due: DueEscalation) => DueEscalation {
  const newNames = new Map(
    sinks.flatMap(({ name, movedFrom }) => (movedFrom === undefined ? [] : [[movedFrom, name]])),
  );
  if (newNames.size === 0) return (due) => due;
  const renamed = <S extends { readonly sink: string }>(one: S): S => ({
    ...one,
    sink: newNames.get(one.sink) ?? one.sink,
  });
  return (due) => ({
    ...renamed(due),
    plan: due.plan?.map(renamed),
    taken: due.taken.map(renamed),
    sentElsewhere: due.sentElsewhere.map(renamed),
  });
}

const messageOf = ({ deliveryId, message }: DueEscalation): string =>
  message?.id ?? `delivery ${deliveryId}`;

/** What one commit collects. */
class Work {
  readonly changes: EscalationChange[] = [];
  readonly forgottenIds: string[] = [];
  readonly events: ChirpEvent[] = [];
  readonly deliveries: NewDelivery[] = [];
  /** The steps that are sent in this commit, by the id of the alert. */
  readonly sent = new Map<string, TakenStep[]>();
}

/** Decides about the alerts of one message. Those that fall due together are one escalation. */
function sendGroup(
  deps: EscalationsDeps,
  work: Work,
  group: readonly DueEscalation[],
  nowMs: number,
): void {
  const { routing, active, silences } = deps;
  const sending = new Map<string, (Decided & { readonly decision: { kind: "send" } })[]>();
  for (const due of group) {
    const decision = decideEscalation(due, {
      steps: routing().escalationOf({ ...due, watch: active.watchOf(due.event.watchKey) }, nowMs),
      isSilenced: silences.isHeld(due.event, due.sink),
      sentNow: work.sent.get(due.event.id) ?? [],
      nowMs,
    });
    if (decision.kind === "forget") work.forgottenIds.push(due.deliveryId);
    else if (decision.kind === "wait") work.changes.push(changeOf(due, decision.progress));
    else {
      const key = `${decision.step.sink}\n${decision.step.nth}`;
      sending.set(key, [...(sending.get(key) ?? []), { due, decision }]);
    }
  }
  for (const together of sending.values()) sendStep(deps, work, together, nowMs);
}

function sendStep(
  deps: EscalationsDeps,
  work: Work,
  together: readonly (Decided & { readonly decision: { kind: "send" } })[],
  nowMs: number,
): void {
  const step = together[0]?.decision.step;
  if (step === undefined) return;
  const event = escalationEvent(
    together.map(({ due }) => due),
    step,
    { config: deps.config(), hash: deps.hash, nowMs },
  );
  const delivery = deps.routing().escalationDelivery(event, step.sink, nowMs);
  if (delivery !== undefined) {
    work.events.push(event);
    work.deliveries.push(delivery);
  }
  for (const { due, decision } of together) {
    const taken = takenBy(step, event, nowMs);
    work.sent.set(due.event.id, [...(work.sent.get(due.event.id) ?? []), taken]);
    const { progress } = decision;
    work.changes.push({
      ...changeOf(due, { ...progress, taken: [...progress.taken, taken] }),
      unlessAcknowledged: due.event.id,
    });
  }
}

const takenBy = (step: PlannedStep, { id }: ChirpEvent, atMs: number): TakenStep => ({
  ...step,
  ...{ kind: "sent", atMs, eventId: id },
});

const changeOf = (
  { deliveryId, revision }: DueEscalation,
  progress: Exclude<Decision, { kind: "forget" }>["progress"],
): EscalationChange => ({ deliveryId, revision, ...progress });
