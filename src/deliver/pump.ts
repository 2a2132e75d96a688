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
import type { OutboxEvent } from "../model/sink.ts";
import type { Outbox } from "../model/outbox.ts";
import type { Throttle } from "../route/route.ts";
import type { SinkTrouble } from "./breaker.ts";
import { createCarrier } from "./carry.ts";
import { createDelays } from "./delays.ts";
import { createGroupStage } from "./group.ts";
import { createLane, opensAt, roomOf, turnAway, type Lane, type PumpSink } from "./lane.ts";
import { createLoop } from "./loop.ts";
import { createPaceStage } from "./pace.ts";
import { createRecordStage } from "./record.ts";
import { createSealStage } from "./seal.ts";
import { createSendStage, STOPPING } from "./send.ts";

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

const STORE_RETRY_MS = 5_000;

export function createPump(deps: PumpDeps): Pump {
  const lanes = [...deps.sinks].map(([name, target]) => createLane(name, target));
  const underWay = new Set<AbortController>();
  const tasks = new Set<Promise<unknown>>();
  let state: "new" | "running" | "stopping" = "new";
  const isStopping = () => state === "stopping";

  const delays = createDelays(deps.meter);
  const group = createGroupStage(deps);
  const seal = createSealStage({ ...deps, onSealed: delays.remember });
  const pace = createPaceStage({ clock: deps.clock, isStopping });
  const send = createSendStage({ clock: deps.clock, underWay });
  const record = createRecordStage({ ...deps, isStopping });
  const carry = createCarrier({ ...deps, lanes, pace, send, record, delays });

  const track = (task: Promise<unknown>) => {
    tasks.add(task);
    void task.finally(() => tasks.delete(task));
  };
  /** One look at the outbox. Answers in how many milliseconds the next is due; undefined: when something happens. */
  const turn = async (lane: Lane): Promise<number | undefined> => {
    const nowMs = deps.clock.now();
    if (opensAt(lane) > nowMs) return opensAt(lane) - nowMs;
    if (roomOf(lane, nowMs) === 0) return undefined;
    const claim = await group.run(lane);
    const parcels = await seal.run(claim);
    for (const parcel of parcels) track(carry(parcel).then(() => look(lane)));
    if (claim.more) return parcels.length > 0 || lane.inHand === 0 ? 0 : undefined;
    const dueAtMs = await deps.store.nextDueAt([lane.name]);
    if (dueAtMs === null) return undefined;
    const waitMs = dueAtMs - deps.clock.now();
    if (waitMs > 0) return waitMs;
    // Due, yet not given: it is in hand, or behind something that is. Its end looks again.
    return lane.inHand > 0 ? undefined : 1_000;
  };
  const onTurnFailed = (lane: Lane, error: unknown) => {
    deps.log.error("the outbox could not be read or written", { sink: lane.name, error: errorText(error) });
    return STORE_RETRY_MS;
  };

  const loopOf = (lane: Lane) =>
    createLoop({ clock: deps.clock, turn: () => turn(lane), onFailed: (error) => onTurnFailed(lane, error), track, isStopping });
  const loops = new Map(lanes.map((lane) => [lane, loopOf(lane)]));
  const look = (lane: Lane) => loops.get(lane)?.look();

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
