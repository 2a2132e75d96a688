/**
 * The outbox pump: takes what is due to its sinks, one lane per sink, through the stages group, seal, pace, send, record. Owns the
 * lanes' loops and timers; the stages own the steps, the store owns what is due.
 */
import type { Clock } from "../model/clock.ts";
import { sleep } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { Log } from "../model/log.ts";
import type { NeutralMessage } from "../model/message.ts";
import type { Meter } from "../model/meter.ts";
import type { Random } from "../model/random.ts";
import type { CrosspostStore } from "../model/crosspost.ts";
import type { OutboxEvent } from "../model/sink.ts";
import type { NewMessage, Outbox } from "../model/outbox.ts";
import type { Trace } from "../model/trace.ts";
import type { Throttle } from "../route/route.ts";
import { createAttemptLog } from "./attempt-log.ts";
import { createCarrier } from "./carry.ts";
import { createCrossposter, type UnpublishedReport } from "./crosspost.ts";
import { createDelays } from "./delays.ts";
import { createGroupStage } from "./group.ts";
import { createLane, isBeforeProbe, pauseMs, roomInMs, roomOf, setBack, turnAway, type Lane, type PumpSink } from "./lane.ts";
import { createLoop, type Loop } from "./loop.ts";
import { createMessageLog } from "./message-log.ts";
import { createPaceStage } from "./pace.ts";
import { createRecordStage } from "./record.ts";
import { createSealStage } from "./seal.ts";
import { createSendStage, STOPPING } from "./send.ts";
import { createSinkReports, type SinkTrouble } from "./sink-reports.ts";

export interface PumpDeps {
  readonly store: Outbox & CrosspostStore;
  /** By name. Deliveries to a sink that is not here wait. */
  readonly sinks: ReadonlyMap<string, PumpSink>;
  /** By the key that deliveries carry: `throttlesByKey` of route/. */
  readonly throttles: ReadonlyMap<string, Throttle>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
  /** Which polls events came from, for the log. */
  readonly trace?: Pick<Trace, "ofEvents">;
  /** How an event reads, by its watch type. */
  readEvent(event: OutboxEvent): NeutralMessage;
  /** Where a person finds these events: a web address or a command. */
  listedAt(events: readonly OutboxEvent[]): string;
  /** Its breaker has been open for some time; one pair of these in a quarter of an hour. */
  onSinkFailing(trouble: SinkTrouble): void | Promise<void>;
  onSinkRecovered(sink: string): void | Promise<void>;
  /** Messages were given up, and that is stored. */
  onDead(): void;
  /** At most once a day and sink. */
  onUnpublished(report: UnpublishedReport): void | Promise<void>;
}

export interface Pump {
  /** Reads what is known of the sinks' health, then delivers until stopped. Breakers that were open are probed at once. */
  start(): Promise<void>;
  /** Until when sinks asked to be left alone: those that did. */
  pauses(): ReadonlyMap<string, number>;
  /** Breakers that are open try at once: someone acts who has perhaps just mended their sinks. */
  probe(): void;
  /** The clock was set back, and the times in the outbox with it. */
  setTimesBack(byMs: number): void;
  /** Something was committed: look now. */
  wake(): void;
  /** Claims nothing more; attempts under way may finish within `graceMs`, the rest stays in the outbox. */
  stop(graceMs: number): Promise<void>;
}

const STORE_RETRY_MS = 5_000;

export function createPump(deps: PumpDeps): Pump {
  const lanes = [...deps.sinks].map(([name, target]) => createLane(name, target));
  const underWay = new Set<AbortController>();
  const tasks = new Set<Promise<unknown>>();
  let state: "new" | "running" | "stopping" = "new";
  const isStopping = () => state === "stopping";

  const delays = createDelays(deps.meter);
  const group = createGroupStage(deps);
  const messageLog = createMessageLog(deps.log, deps.trace);
  const onSealed = (message: NewMessage, events: readonly OutboxEvent[]) => {
    delays.remember(message.id, events);
    messageLog.sealed(message, events);
  };
  const seal = createSealStage({ ...deps, read: deps.readEvent, onSealed });
  const pace = createPaceStage({ clock: deps.clock, isStopping });
  const send = createSendStage({ clock: deps.clock, underWay });
  const record = createRecordStage({ ...deps, isStopping });
  const attemptLog = createAttemptLog(deps);
  const reportSink = createSinkReports(deps);
  const carry = createCarrier({ ...deps, lanes, pace, send, record, delays, attemptLog, messageLog });

  const track = (task: Promise<unknown>) => {
    tasks.add(task);
    void task.finally(() => tasks.delete(task));
  };
  /** One look at the outbox. Answers in how many milliseconds the next is due; undefined: when something happens. */
  const deliverDue = async (lane: Lane): Promise<number | undefined> => {
    if (roomOf(lane, deps.clock) === 0) return roomInMs(lane, deps.clock);
    const claim = await group.run(lane);
    const parcels = await seal.run(claim);
    for (const parcel of parcels) track(carry(parcel).then(() => look(lane)));
    if (claim.more) return parcels.length > 0 || lane.inHand === 0 ? 0 : undefined;
    if (isBeforeProbe(lane, deps.clock.now())) return roomInMs(lane, deps.clock);
    const dueAtMs = await deps.store.nextDueAt([lane.name]);
    if (dueAtMs === null) return undefined;
    const waitMs = dueAtMs - deps.clock.now();
    if (waitMs > 0) return waitMs;
    // Due, yet not given: it is in hand, or behind something that is. Its end looks again.
    return lane.inHand > 0 ? undefined : 1_000;
  };
  const turn = async (lane: Lane): Promise<number | undefined> => {
    const reportInMs = await reportSink(lane);
    const workInMs = await deliverDue(lane);
    return reportInMs === undefined ? workInMs : Math.min(reportInMs, workInMs ?? reportInMs);
  };
  const onTurnFailed = (lane: Lane, error: unknown) => {
    deps.log.error("the outbox could not be read or written", { sink: lane.name, error: errorText(error) });
    return STORE_RETRY_MS;
  };

  const loopOf = (lane: Lane) =>
    createLoop({ clock: deps.clock, turn: () => turn(lane), onFailed: (error) => onTurnFailed(lane, error), track, isStopping });
  const crosspostLoopsOf = (lane: Lane): readonly Loop[] => {
    if (lane.sink.crosspost === undefined) return [];
    const turnOf = createCrossposter({ ...deps, underWay }, lane.name, lane.sink.crosspost);
    return [createLoop({ clock: deps.clock, turn: turnOf, onFailed: (error) => onTurnFailed(lane, error), track, isStopping })];
  };
  const loops = new Map(lanes.map((lane) => [lane, [loopOf(lane), ...crosspostLoopsOf(lane)]]));
  const look = (lane: Lane) => loops.get(lane)?.forEach((loop) => loop.look());

  const start = async () => {
    const known = new Map((await deps.store.loadSinkHealth()).map((health) => [health.sink, health]));
    state = "running";
    for (const lane of lanes) {
      const health = known.get(lane.name);
      // Whoever restarts or reloads has perhaps just mended it.
      if (health !== undefined) lane.health = health.breaker === "open" ? { ...health, probeAtMs: deps.clock.now() } : health;
      deps.meter.set("chirpwatch_breaker_open", lane.health.breaker === "open" ? 1 : 0, { sink: lane.name });
      look(lane);
    }
  };
  const stop = async (graceMs: number) => {
    state = "stopping";
    for (const loop of [...loops.values()].flat()) loop.end();
    lanes.forEach(turnAway);
    record.flush();
    const over = new AbortController();
    const idle = (async () => {
      while (tasks.size > 0) await Promise.allSettled(tasks);
    })();
    await Promise.race([idle, sleep(deps.clock, graceMs, over.signal)]);
    over.abort();
    for (const controller of underWay) controller.abort(STOPPING);
    await idle;
    attemptLog.end();
  };
  const pauses = () => {
    const nowMs = deps.clock.now();
    return new Map(lanes.flatMap((lane) => (pauseMs(lane, deps.clock) > 0 ? [[lane.name, nowMs + pauseMs(lane, deps.clock)]] : [])));
  };
  const wake = () => (state === "running" ? lanes.forEach(look) : undefined);
  const probe = () => {
    for (const lane of lanes) if (lane.health.breaker === "open") lane.health = { ...lane.health, probeAtMs: deps.clock.now() };
    wake();
  };
  const setTimesBack = (byMs: number) => {
    for (const lane of lanes) lane.health = setBack(lane.health, byMs);
  };
  return { start, stop, pauses, probe, setTimesBack, wake };
}
