/**
 * The outbox pump: delivers due alerts, with one worker per sink, through the stages group, seal,
 * pace, send and record. It owns start and stop. The workers own their loops, the stages own the
 * steps, and the store decides which deliveries are due.
 */
import type { Clock } from "../model/clock.ts";
import type { CrosspostStore } from "../model/crosspost.ts";
import type { EditStore } from "../model/edit.ts";
import type { ChirpEvent } from "../model/event.ts";
import type { FooterStore } from "../model/footer.ts";
import type { Log } from "../model/log.ts";
import type { NeutralMessage } from "../model/message.ts";
import type { Meter } from "../model/meter.ts";
import type { MovedSink, NewMessage, Outbox } from "../model/outbox.ts";
import type { Random } from "../model/random.ts";
import type { SilenceStore } from "../model/silence.ts";
import type { MissedReceiver, OutboxEvent } from "../model/sink.ts";
import type { Trace } from "../model/trace.ts";
import type { WaitsStore } from "../model/waits.ts";
import type { Throttle } from "../route/route.ts";
import type { SinkDigest } from "../route/scheduled-digest.ts";
import { type AttemptLog, createAttemptLog } from "./logs/attempt-log.ts";
import { type Breaker, createBreaker } from "./outcome/breaker.ts";
import { createDispatcher } from "./dispatch.ts";
import { emptyDigestsOf } from "./empty-digests.ts";
import { Crossposter, type UnpublishedReport } from "./crosspost.ts";
import { FooterEditor } from "./edit-footers.ts";
import { createEditPace } from "./edit-pace.ts";
import { Editor } from "./edit.ts";
import { createDelays } from "./logs/delays.ts";
import { giveUpExpired } from "./outcome/expire.ts";
import { createGroupStage } from "./stages/group.ts";
import { createHalve } from "./stages/halve.ts";
import { InFlight } from "./in-flight.ts";
import {
  createSinkQueue,
  probeAtOnce,
  setBack,
  rejectWaiting,
  type PumpSink,
  type SinkQueue,
} from "./queue/sink-queue.ts";
import { pauseMs } from "./queue/sink-waits.ts";
import { createHeldQueues } from "./held-queues.ts";
import { probeInState } from "./outcome/resume-in-state.ts";
import { resumeQueue } from "./take-over.ts";
import type { LoopTurn } from "./queue/loop.ts";
import { createMessageLog } from "./logs/message-log.ts";
import { createMutes, type WaitRules } from "./stages/mute.ts";
import { createPaceStage } from "./stages/pace.ts";
import { createRecordStage, type RecordStage } from "./stages/record-outcomes.ts";
import { createSealStage } from "./stages/seal.ts";
import { createSendStage } from "./stages/send.ts";
import { createWordEvents, type Templates, type WordEvents } from "./stages/word-events.ts";
import { createSinkReports, type SinkTrouble } from "./logs/sink-reports.ts";
import { Worker, type WorkerDeps } from "./worker.ts";

export interface PumpDeps {
  readonly store: Outbox &
    WaitsStore &
    CrosspostStore &
    EditStore &
    FooterStore &
    Pick<SilenceStore, "silenceDeliveries">;
  /** The sinks by name. Deliveries to a sink that is not in the map wait. */
  readonly sinks: ReadonlyMap<string, PumpSink>;
  /** Whether this process delivers to the sink. If not, another replica does. */
  holds(sink: PumpSink): boolean;
  /**
   * Resolves to whether this process may still send. It is called before each attempt, and resolves
   * to false if other processes may have taken over this process's deliveries.
   */
  mayAct(): Promise<boolean>;
  /** Sinks that were renamed and keep their queues. */
  readonly movedSinks?: readonly MovedSink[];
  /** The throttles by the key that deliveries carry, from `throttlesByKey` of route/. */
  readonly throttles: ReadonlyMap<string, Throttle>;
  /**
   * The scheduled digests by the name that their groups' keys contain, from `digestsByName` of
   * route/.
   */
  readonly digests?: ReadonlyMap<string, SinkDigest>;
  /** The sinks whose alerts may be escalated. Absent if there is none. */
  readonly escalating?: ReadonlySet<string> | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
  /**
   * The rules of the configuration for waiting deliveries. If absent, deliveries wait until the
   * stored times.
   */
  readonly waitRules?: WaitRules;
  /** Finds the polls that events came from, for the log. */
  readonly trace?: Pick<Trace, "ofEvents">;
  /** Returns the id of the silence that holds the event back at a sink now; undefined if none does. */
  silenceOf(event: Pick<ChirpEvent, "watchType" | "labels">, sink: string): string | undefined;
  /** Turns an event into a message for a sink, by the event's watch type. */
  readEvent(event: OutboxEvent, sink: string): NeutralMessage;
  /** The configured templates. Absent if no template is configured. */
  readonly templates?: Templates | undefined;
  /** Returns where a person can read these events: a web address or a command. */
  listedAt(events: readonly OutboxEvent[]): string;
  /**
   * Called when the sink's breaker has been open for some time. At most one failure and one
   * recovery are reported in 15 minutes.
   */
  onSinkFailing(trouble: SinkTrouble): void | Promise<void>;
  onSinkRecovered(sink: string, reportedAtMs: number): void | Promise<void>;
  /** Called after the store has recorded that messages were given up. */
  onDead(): void;
  /** Called for every message that some of its receivers will never get. */
  onPart(sink: string, missed: readonly MissedReceiver[]): void | Promise<void>;
  /**
   * Called at most once a day per sink, with a report about messages that were not published to
   * followers.
   */
  onUnpublished(report: UnpublishedReport): void | Promise<void>;
  /**
   * The longest time for which a worker does not read the outbox. Infinite if no other process uses
   * the state, and `wake` is called after each commit.
   */
  readonly maxPauseMs?: number | undefined;
}

export interface Pump {
  /**
   * Loads the stored health of the sinks, then delivers until stopped. Breakers that were open are
   * probed without waiting. Never rejects: a worker loads the health of its sink again if that
   * failed here.
   */
  start(): Promise<void>;
  /**
   * Returns how many turns each loop of a sink has made, by the sink's name. A healthy loop makes
   * at least one turn every 30 seconds.
   */
  turns(): ReadonlyMap<string, readonly number[]>;
  /**
   * Returns the end of the pause of each sink that asked for one, in epoch ms, by the sink's name.
   */
  pauses(): ReadonlyMap<string, number>;
  /**
   * Makes a probe of each open breaker due now, because an operator may have repaired the sink.
   * Other replicas do the same for their sinks when they read the state.
   */
  probe(): Promise<void>;
  /**
   * Tries a failing sink now, even a disabled one. Returns undefined if there is no sink of that
   * name.
   */
  resume(sink: string): Promise<{ readonly wasDisabled: boolean } | undefined>;
  /**
   * Moves the remembered times of sinks to earlier ones. Called after the clock and the times in
   * the outbox were set back.
   */
  setTimesBack(byMs: number): void;
  /** Lets the workers read the outbox now. Called when something was committed. */
  wake(): void;
  /** Updates which sinks this process delivers to, and loads the stored health of new ones. */
  takeShare(): Promise<void>;
  /**
   * Stops claiming messages. Attempts under way may finish within `graceMs`; messages that were not
   * sent stay in the outbox.
   */
  stop(graceMs: number): Promise<void>;
}

export function createPump(deps: PumpDeps): Pump {
  const { store, clock, log } = deps;
  const queues = [...deps.sinks].map(([name, target]) => createSinkQueue(name, target));
  const inFlight = new InFlight();
  const held = createHeldQueues(deps, queues);
  const { admit } = held;
  let state: "new" | "running" | "stopping" = "new";
  const isStopping = () => state === "stopping";
  const attemptLog = createAttemptLog(deps);
  const record = createRecordStage({ store, clock, log, isStopping, escalating: deps.escalating });
  const breaker = createBreaker(deps);
  const { group, seal, dispatch, wordEvents } = createPipeline(deps, {
    queues,
    inFlight,
    attemptLog,
    record,
    breaker,
    isStopping,
  });
  const report = createSinkReports(deps);
  const reportSink = async (queue: SinkQueue) =>
    earlier(await breaker.openAfterWaits(queue), await report(queue));
  const workerDeps = {
    store,
    clock,
    log,
    inFlight,
    group,
    seal,
    dispatch,
    reportSink,
    giveUpExpired: (queue: SinkQueue) => giveUpExpired(deps, queue),
    admit,
    isStopping,
    maxPauseMs: deps.maxPauseMs,
  };
  const workers: Worker[] = [];
  const wake = () => {
    if (state === "running") for (const worker of workers) worker.wake();
  };
  const beside = { inFlight, wordEvents, wake };
  workers.push(
    ...queues.map((queue) => new Worker(queue, turnsBeside(deps, beside, queue), workerDeps)),
  );
  const takeShare = async () => {
    await held.takeShare();
    wake();
  };
  return {
    async start() {
      state = "running";
      await takeShare().catch((error: unknown) => {
        log.warn("the stored state of the sinks could not be read yet", { error });
        wake();
      });
    },
    takeShare,
    turns: () => new Map(queues.map(({ name }, at) => [name, workers[at]?.turns() ?? []])),
    async stop(graceMs) {
      state = "stopping";
      for (const worker of workers) worker.end();
      queues.forEach(rejectWaiting);
      record.flush();
      await inFlight.drain(clock, graceMs);
      attemptLog.end();
    },
    pauses: () => pausesOf(queues, clock),
    probe: () => probeAll(deps, queues, { has: held.has, wake }),
    async resume(name) {
      const queue = queues.find((one) => one.name === name);
      const resumed = queue && { wasDisabled: await resumeQueue(deps, queue, held.has(queue)) };
      wake();
      return resumed;
    },
    setTimesBack(byMs) {
      for (const queue of queues) queue.health = setBack(queue.health, byMs);
    },
    wake,
  };
}

async function probeAll(
  { store, clock }: Pick<PumpDeps, "store" | "clock">,
  queues: readonly SinkQueue[],
  { has, wake }: { has(queue: SinkQueue): boolean; wake(): void },
): Promise<void> {
  for (const queue of queues) probeAtOnce(queue, clock.now());
  wake();
  const elsewhere = new Set(queues.flatMap((queue) => (has(queue) ? [] : [queue.name])));
  if (elsewhere.size > 0) await probeInState(store, (sink) => elsewhere.has(sink), clock.now());
}

function pausesOf(queues: readonly SinkQueue[], clock: Clock): ReadonlyMap<string, number> {
  const nowMs = clock.now();
  return new Map(
    queues.flatMap((queue) =>
      pauseMs(queue, clock) > 0 ? [[queue.name, nowMs + pauseMs(queue, clock)]] : [],
    ),
  );
}

const earlier = (...timesMs: readonly (number | undefined)[]): number | undefined => {
  const firstMs = Math.min(...timesMs.filter((timeMs) => timeMs !== undefined));
  return Number.isFinite(firstMs) ? firstMs : undefined;
};

/** The parts of a running pump that its stages share. */
interface Running {
  readonly queues: readonly SinkQueue[];
  readonly inFlight: InFlight;
  readonly attemptLog: AttemptLog;
  readonly record: RecordStage;
  readonly breaker: Breaker;
  isStopping(): boolean;
}

/**
 * Creates the stages, in the order in which a message passes them. `dispatch` runs the last three:
 * pace, send and record.
 */
function createPipeline(
  deps: PumpDeps,
  running: Running,
): Pick<WorkerDeps, "group" | "seal" | "dispatch"> & { readonly wordEvents: WordEvents } {
  const { store, clock, random, log, meter } = deps;
  const { queues, inFlight, attemptLog, record, breaker, isStopping } = running;
  const delays = createDelays(meter);
  const messageLog = createMessageLog(log, deps.trace);
  const onSealed = (message: NewMessage, events: readonly OutboxEvent[]) => {
    delays.remember(message.id, events);
    messageLog.sealed(message, events);
  };
  const read = (event: OutboxEvent, sink: string) => deps.readEvent(event, sink);
  const wordEvents = createWordEvents({
    clock,
    read,
    templates: deps.templates,
  });
  const layOut = { log, clock, digests: digestsOf(deps), read, listedAt: deps.listedAt };
  const mutes = createMutes(deps);
  const dispatch = createDispatcher({
    queues,
    mutes,
    pace: createPaceStage({ clock, isStopping }),
    send: createSendStage({
      clock,
      underWay: inFlight.attempts,
      mayAct: () => deps.mayAct(),
      mutes,
    }),
    record,
    breaker,
    delays,
    attemptLog,
    messageLog,
    clock,
    random,
    log,
    meter,
    halve: createHalve({ store, random, log, layOut, wordEvents }),
    giveUpExpired: (queue) => giveUpExpired(deps, queue),
    onDead: () => deps.onDead(),
    onPart: (sink, missed) => deps.onPart(sink, missed),
  });
  return {
    group: createGroupStage({
      store,
      clock,
      throttles: deps.throttles,
      mutes,
      silenceOf: (event, sink) => deps.silenceOf(event, sink),
    }),
    seal: createSealStage({ store, clock, random, layOut, wordEvents, mutes, onSealed }),
    dispatch,
    wordEvents,
  };
}

const digestsOf = ({ digests }: PumpDeps): ReadonlyMap<string, SinkDigest> =>
  digests ?? new Map<string, SinkDigest>();

/**
 * Returns the turns of the additional loops of a sink: one for empty digests, one that publishes
 * messages if the destination has followers, and one that edits messages if the sink can.
 */
function turnsBeside(
  deps: PumpDeps,
  {
    inFlight: { attempts },
    wordEvents,
    wake,
  }: { readonly inFlight: InFlight; readonly wordEvents: WordEvents; wake(): void },
  queue: SinkQueue,
): readonly LoopTurn[] {
  const { store, clock, random, log, meter } = deps;
  const { name, sink } = queue;
  const turns: LoopTurn[] = [];
  const empty = emptyDigestsOf({ store, clock, random, digests: digestsOf(deps), wake }, queue);
  if (empty !== undefined) turns.push(empty);
  if (sink.crosspost !== undefined) {
    const onUnpublished = (report: UnpublishedReport) => deps.onUnpublished(report);
    const crossposter = new Crossposter(
      { store, clock, random, log, meter, underWay: attempts, onUnpublished },
      name,
      sink.crosspost,
    );
    turns.push(() => crossposter.turn());
  }
  const { updates, footer } = sink;
  const pace = createEditPace(queue, clock);
  const editing = { store, clock, log, meter, underWay: attempts };
  if (updates !== undefined) {
    const readEvent = (event: OutboxEvent) => deps.readEvent(event, name);
    const editor = new Editor({ ...editing, readEvent, wordEvents }, queue, { updates, pace });
    turns.push(() => editor.turn());
  }
  if (footer?.edit !== undefined) {
    const { edit } = footer;
    const editor = new FooterEditor(editing, queue, { edit, pace });
    turns.push(() => editor.turn());
  }
  return turns;
}
