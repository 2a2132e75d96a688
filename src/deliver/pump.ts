/**
 * The outbox pump: takes what is due to its sinks, one worker per sink, through the stages group,
 * seal, pace, send, record. Owns the start and the stop; the workers own their loops, the stages
 * own the steps, the store owns what is due.
 */
import type { Clock } from "../model/clock.ts";
import type { CrosspostStore } from "../model/crosspost.ts";
import type { EditStore } from "../model/edit.ts";
import type { ChirpEvent } from "../model/event.ts";
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
    Pick<SilenceStore, "silenceDeliveries">;
  /** By name. Deliveries to a sink that is not here wait. */
  readonly sinks: ReadonlyMap<string, PumpSink>;
  /** Whether this process delivers to it; another one does where not. */
  holds(sink: PumpSink): boolean;
  /** Asked before each attempt. False: other processes may have taken over. */
  mayAct(): Promise<boolean>;
  /** Sinks that have another name than before: they keep their queues. */
  readonly movedSinks?: readonly MovedSink[];
  /** By the key that deliveries carry: `throttlesByKey` of route/. */
  readonly throttles: ReadonlyMap<string, Throttle>;
  /** By the name in their groups' keys: `digestsByName` of route/. */
  readonly digests?: ReadonlyMap<string, SinkDigest>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
  /** What the configuration says of deliveries that wait; absent: they wait as they are stored. */
  readonly waitRules?: WaitRules;
  /** Which polls events came from, for the log. */
  readonly trace?: Pick<Trace, "ofEvents">;
  /** The id of the silence that holds such an event back now; undefined when none does. */
  silenceOf(event: Pick<ChirpEvent, "watchType" | "labels">): string | undefined;
  /** How an event reads at that sink, by its watch type. */
  readEvent(event: OutboxEvent, sink: string): NeutralMessage;
  /** Undefined where none is configured. */
  readonly templates?: Templates;
  /** Where a person finds these events: a web address or a command. */
  listedAt(events: readonly OutboxEvent[]): string;
  /** Its breaker has been open for some time; one pair of these in a quarter of an hour. */
  onSinkFailing(trouble: SinkTrouble): void | Promise<void>;
  onSinkRecovered(sink: string, reportedAtMs: number): void | Promise<void>;
  /** Messages were given up, and that is stored. */
  onDead(): void;
  /** Some of several receivers of a message will never have it. At every such message. */
  onPart(sink: string, missed: readonly MissedReceiver[]): void | Promise<void>;
  /** At most once a day and sink. */
  onUnpublished(report: UnpublishedReport): void | Promise<void>;
}

export interface Pump {
  /**
   * Reads what is known of the sinks' health, then delivers until stopped. Breakers that were open
   * are probed at once. Never rejects: what could not be read is read again by the sinks' workers.
   */
  start(): Promise<void>;
  /**
   * How many turns the loops of each sink have made, by its name. Each loop makes one at least
   * every 30 seconds.
   */
  turns(): ReadonlyMap<string, readonly number[]>;
  /** Until when sinks asked to be left alone: those that did. */
  pauses(): ReadonlyMap<string, number>;
  /**
   * Breakers that are open try at once, those of other replicas once these take their share:
   * someone acts who has perhaps just mended their sinks.
   */
  probe(): Promise<void>;
  /**
   * A sink that fails is tried now, one that is disabled too. Undefined when there is none of that
   * name.
   */
  resume(sink: string): Promise<{ readonly wasDisabled: boolean } | undefined>;
  /** The clock was set back, and the times in the outbox with it. */
  setTimesBack(byMs: number): void;
  /** Something was committed: reads the outbox now. */
  wake(): void;
  /** It may deliver to other sinks than before: reads what is known of the health of new ones. */
  takeShare(): Promise<void>;
  /**
   * Claims nothing more; attempts under way may finish within `graceMs`, the rest stays in the
   * outbox.
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
  const record = createRecordStage({ store, clock, log, isStopping });
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
        log.warn("what is known of the sinks could not be read yet", { error });
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

/** What the stages share while the pump runs. */
interface Running {
  readonly queues: readonly SinkQueue[];
  readonly inFlight: InFlight;
  readonly attemptLog: AttemptLog;
  readonly record: RecordStage;
  readonly breaker: Breaker;
  isStopping(): boolean;
}

/** The stages, in the order in which a message passes them; `dispatch` is the last three. */
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
    ...(deps.templates === undefined ? {} : { templates: deps.templates }),
  });
  const layOut = { log, digests: digestsOf(deps), read, listedAt: deps.listedAt };
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
      silenceOf: (event) => deps.silenceOf(event),
    }),
    seal: createSealStage({ store, clock, random, layOut, wordEvents, onSealed }),
    dispatch,
    wordEvents,
  };
}

const digestsOf = ({ digests }: PumpDeps): ReadonlyMap<string, SinkDigest> =>
  digests ?? new Map<string, SinkDigest>();

/** Publishing is for sinks whose destination has followers, editing for those that are to edit. */
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
  if (sink.updates !== undefined) {
    const readEvent = (event: OutboxEvent) => deps.readEvent(event, name);
    const editor = new Editor(
      { store, clock, log, meter, underWay: attempts, readEvent, wordEvents },
      queue,
      sink.updates,
    );
    turns.push(() => editor.turn());
  }
  return turns;
}
