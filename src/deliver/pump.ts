/**
 * The outbox pump: takes what is due to its sinks, one lane per sink, through the stages group, seal, pace, send, record. Owns the
 * lanes' loops and timers; the stages own the steps, the store owns what is due.
 */
import type { Cancel, Clock } from "../model/clock.ts";
import { sleep } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { Log } from "../model/log.ts";
import type { NeutralMessage } from "../model/message.ts";
import type { Meter } from "../model/meter.ts";
import type { Random } from "../model/random.ts";
import type { OutboxEvent } from "../model/sink.ts";
import type { Outbox } from "../model/store.ts";
import type { Throttle } from "../route/route.ts";
import { createBreaker, type SinkTrouble } from "./breaker.ts";
import { createDelays } from "./delays.ts";
import { buryExpired } from "./expire.ts";
import { createGroupStage } from "./group.ts";
import { judge, type Judgement } from "./judge.ts";
import { createLane, opensAt, roomOf, turnAway, type Lane, type Parcel, type PumpSink } from "./lane.ts";
import { createPaceStage, freeAttempt } from "./pace.ts";
import { createRecordStage } from "./record.ts";
import { createSealStage, letGo } from "./seal.ts";
import { createSendStage, STOPPING, type Attempt } from "./send.ts";

export interface PumpDeps {
  readonly store: Outbox;
  /** By name. Deliveries to a sink that is not here wait. */
  readonly sinks: ReadonlyMap<string, PumpSink>;
  /** By the key that deliveries carry: `throttlesByKey` of route/. */
  readonly throttles: ReadonlyMap<string, Throttle>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
  /** How an event reads, by its watch type. */
  readEvent(event: OutboxEvent): NeutralMessage;
  /** Once per trouble: it opened the breaker, or failed for ten minutes without a success. */
  onSinkFailing(trouble: SinkTrouble): void | Promise<void>;
  onSinkRecovered(sink: string): void | Promise<void>;
}

export interface Pump {
  /** Reads what is known of the sinks' health, then delivers until stopped. Breakers that were open are probed at once. */
  start(): Promise<void>;
  /** Something was committed: look now. */
  wake(): void;
  /** Claims nothing more; attempts under way may finish within `graceMs`, the rest stays in the outbox. */
  stop(graceMs: number): Promise<void>;
}

/** At least so often a lane looks by itself: another process may have left something, or the wall clock jumped. */
const LOOK_EVERY_MS = 30_000;
const STORE_RETRY_MS = 5_000;

export function createPump(deps: PumpDeps): Pump {
  const lanes = [...deps.sinks].map(([name, target]) => createLane(name, target));
  const underWay = new Set<AbortController>();
  const tasks = new Set<Promise<unknown>>();
  let state: "new" | "running" | "stopping" = "new";
  const isStopping = () => state === "stopping";

  const delays = createDelays(deps.meter);
  const breaker = createBreaker(deps);
  const group = createGroupStage(deps);
  const seal = createSealStage({ ...deps, onSealed: delays.remember });
  const pace = createPaceStage({ clock: deps.clock, isStopping });
  const send = createSendStage({ clock: deps.clock, underWay });
  const record = createRecordStage({ ...deps, isStopping });

  const track = (task: Promise<unknown>) => {
    tasks.add(task);
    void task.finally(() => tasks.delete(task));
  };
  const loops = new Map(lanes.map((lane) => [lane, createLoop(deps.clock, () => turn(lane), onTurnFailed(lane), track, isStopping)]));
  const look = (lane: Lane) => loops.get(lane)?.look();

  /** One look at the outbox. Answers in how many milliseconds the next is due; undefined: when something happens. */
  const turn = async (lane: Lane): Promise<number | undefined> => {
    const nowMs = deps.clock.now();
    if (opensAt(lane) > nowMs) return opensAt(lane) - nowMs;
    if (roomOf(lane, nowMs) === 0) return undefined;
    const claim = await group.run(lane);
    const parcels = await seal.run(claim);
    for (const parcel of parcels) track(carry(parcel));
    if (claim.more) return parcels.length > 0 || lane.inHand === 0 ? 0 : undefined;
    const dueAtMs = await deps.store.nextDueAt([lane.name]);
    if (dueAtMs === null) return undefined;
    const waitMs = dueAtMs - deps.clock.now();
    if (waitMs > 0) return waitMs;
    // Due, yet not given: it is in hand, or behind something that is. Its end looks again.
    return lane.inHand > 0 ? undefined : 1_000;
  };
  const onTurnFailed = (lane: Lane) => (error: unknown) => {
    deps.log.error("the outbox could not be read or written", { sink: lane.name, error: errorText(error) });
    return STORE_RETRY_MS;
  };

  const carry = async (parcel: Parcel): Promise<void> => {
    if (await pace.run(parcel)) {
      const attempt = await send.run(parcel);
      if (attempt.kind !== "cut") await settle(parcel, attempt);
      else freeAttempt(parcel);
    }
    letGo(parcel);
    look(parcel.lane);
  };
  const settle = async (parcel: Parcel, attempt: Exclude<Attempt, { kind: "cut" }>) => {
    const { lane } = parcel;
    const { result, way } = judge(attempt, deps.random);
    // The way closes before the next parcel may take it.
    if (typeof way === "object") for (const paused of alsoPaused(lane, attempt)) pause(paused, attempt.atMs + way.pauseMs);
    const blocked = way === "destination" && attempt.kind === "failed" ? breaker.block(lane, attempt.error) : undefined;
    freeAttempt(parcel);
    if (result.kind === "dead" || result.kind === "retry") report(parcel, result);
    await record.run(result);
    await blocked;
    delays.settled(parcel, result);
    await mind(lane, attempt, way);
  };
  const mind = async (lane: Lane, attempt: Attempt, way: Judgement["way"]) => {
    if (way === "taken" || way === "refused") await breaker.reached(lane);
    else if (attempt.kind === "failed" && way !== "destination") await breaker.stumble(lane, attempt.error);
    if (lane.health.breaker === "open") await buryExpired(deps, lane).catch(onTurnFailed(lane));
  };
  const alsoPaused = (lane: Lane, attempt: Attempt): readonly Lane[] => {
    const isGlobal = attempt.kind === "failed" && attempt.error.fields["global"] === true;
    return isGlobal ? lanes.filter((other) => other.type === lane.type) : [lane];
  };
  const pause = (lane: Lane, untilMs: number) => {
    lane.pausedUntilMs = Math.max(lane.pausedUntilMs, untilMs);
    turnAway(lane);
  };
  const report = ({ lane, message }: Parcel, result: Exclude<Judgement["result"], { kind: "sent" }>) => {
    const fields = { sink: lane.name, messageId: message.id, attempt: message.attempts + 1, error: result.error };
    if (result.kind === "dead") deps.log.error("a message was given up", fields);
    else deps.log.warn("a delivery failed and will be repeated", { ...fields, nextAttemptAtMs: result.nextAttemptAtMs });
  };

  const start = async () => {
    const known = new Map((await deps.store.loadSinkHealth()).map((health) => [health.sink, health]));
    state = "running";
    for (const lane of lanes) {
      const health = known.get(lane.name);
      if (health?.breaker === "open") {
        // Whoever restarts or reloads has perhaps just mended it.
        lane.health = { ...health, probeAtMs: deps.clock.now() };
        lane.told = true;
      }
      deps.meter.set("chirpwatch_breaker_open", lane.health.breaker === "open" ? 1 : 0, { sink: lane.name });
      look(lane);
    }
  };
  const stop = async (graceMs: number) => {
    state = "stopping";
    for (const loop of loops.values()) loop.end();
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
  };
  return { start, stop, wake: () => (state === "running" ? lanes.forEach(look) : undefined) };
}

interface Loop {
  look(): void;
  end(): void;
}

/** Runs `turn` one at a time: on every look, and by itself when the last turn asked for it or nothing happened for long. */
function createLoop(
  clock: Clock,
  turn: () => Promise<number | undefined>,
  onFailed: (error: unknown) => number,
  track: (task: Promise<unknown>) => void,
  isStopping: () => boolean,
): Loop {
  let running = false;
  let again = false;
  let timer: Cancel | undefined;
  const run = async () => {
    running = true;
    let waitMs: number | undefined;
    do {
      again = false;
      waitMs = await turn().catch(onFailed);
    } while ((again || waitMs === 0) && !isStopping());
    running = false;
    if (!isStopping()) timer = clock.after(Math.min(waitMs ?? LOOK_EVERY_MS, LOOK_EVERY_MS), look);
  };
  const look = () => {
    timer?.();
    timer = undefined;
    if (isStopping()) return;
    if (running) again = true;
    else track(run());
  };
  return { look, end: () => timer?.() };
}
