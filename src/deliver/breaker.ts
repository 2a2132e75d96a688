/**
 * The circuit breaker of a sink: failures that speak of the sink and not of one message open it, a probe that gets through closes it.
 * Persists its state; when the operator hears of it is sink-reports.ts.
 */
import type { Clock } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { Log } from "../model/log.ts";
import type { Meter } from "../model/meter.ts";
import type { SinkError } from "../model/sink.ts";
import type { Outbox, SinkHealth } from "../model/outbox.ts";
import { closedBreaker, isBeforeProbe, OPEN_AFTER, turnAway, type Lane, type Parcel } from "./lane.ts";

export interface BreakerDeps {
  readonly store: Pick<Outbox, "saveSinkHealth" | "wakeSink">;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

export interface Breaker {
  /** A failure of kind `destination` or `transient`. The lane's state changes at once; resolves when it is stored. */
  recordFailure(parcel: Parcel, error: SinkError): Promise<void>;
  /** The sink answered: it took the message, or refused this one for its content. */
  recordSuccess(lane: Lane): Promise<void>;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** Pauses between probes; the last one again and again. */
const PROBE_WAITS_MS: Readonly<Record<SinkHealth["cause"], readonly number[]>> = {
  transient: [5 * SECOND_MS, 15 * SECOND_MS, 30 * SECOND_MS, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS],
  destination: [1, 5, 15, 60].map((count) => count * MINUTE_MS),
};

/** The next pause follows from how long the breaker has been open, so that it survives a restart. */
export function nextProbeWaitMs(cause: SinkHealth["cause"], openForMs: number): number {
  const waits = PROBE_WAITS_MS[cause];
  let spentMs = 0;
  for (const waitMs of waits) {
    if (openForMs < spentMs + waitMs) return waitMs;
    spentMs += waitMs;
  }
  return waits.at(-1) ?? MINUTE_MS;
}

export function createBreaker(deps: BreakerDeps): Breaker {
  const { store, clock, log } = deps;
  /** A store that cannot write must not stop the deliveries. */
  const onNotStored = (lane: Lane) => (error: unknown) =>
    log.error("the state of a sink could not be stored", { sink: lane.name, error: errorText(error) });
  const change = (lane: Lane, health: SinkHealth): Promise<void> => {
    lane.health = health;
    deps.meter.set("chirpwatch_breaker_open", health.breaker === "open" ? 1 : 0, { sink: lane.name });
    return store.saveSinkHealth(health).catch(onNotStored(lane));
  };
  const open = (lane: Lane, error: SinkError): Promise<void> => {
    const nowMs = clock.now();
    const { health } = lane;
    const wasOpen = health.breaker === "open";
    const openedAtMs = wasOpen ? (health.openedAtMs ?? nowMs) : nowMs;
    const cause = error.kind === "destination" ? "destination" : "transient";
    const probeAtMs = nowMs + nextProbeWaitMs(cause, nowMs - openedAtMs);
    const stored = change(lane, { ...health, breaker: "open", cause, reason: error.message, hint: error.hint, openedAtMs, probeAtMs });
    turnAway(lane);
    if (!wasOpen)
      log.error("a sink takes no messages", { sink: lane.name, error: error.message, hint: error.hint, failures: lane.failures });
    return stored;
  };
  return {
    async recordFailure({ lane, busyKeys, isProbe }, error) {
      lane.failures += 1;
      for (const key of busyKeys) {
        lane.probedGroups.add(key);
        if (lane.failedGroups.size < OPEN_AFTER) lane.failedGroups.add(key);
      }
      if (error.kind !== "destination" && lane.health.breaker === "closed" && lane.failures < OPEN_AFTER) return;
      // Attempts that were under way when it opened say nothing new, nor do first attempts of other groups ahead of the next probe.
      if (isBeforeProbe(lane, clock.now()) && !(isProbe && error.kind === "destination")) return;
      await open(lane, error);
    },
    async recordSuccess(lane) {
      lane.failures = 0;
      lane.failedGroups.clear();
      lane.probedGroups.clear();
      if (lane.health.breaker === "closed") return;
      log.info("a sink takes messages again", { sink: lane.name });
      const { isReported, reportedAtMs } = lane.health;
      await change(lane, { ...closedBreaker(lane.name, reportedAtMs), isReported });
      await store.wakeSink(lane.name, clock.now()).catch(onNotStored(lane));
    },
  };
}
