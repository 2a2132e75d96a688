/**
 * The circuit breaker of a sink. It opens after failures that concern the sink and not only a
 * single message, and closes after a successful probe. Its state is stored. sink-reports.ts decides
 * when the operator is alerted.
 */
import { failsInMs } from "../../model/asked-wait.ts";
import { type Backoff, backoffSince } from "../../model/backoff.ts";
import type { Clock } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import type { Meter } from "../../model/meter.ts";
import type { SinkError } from "../../model/sink.ts";
import type { Outbox, SinkHealth } from "../../model/outbox.ts";
import {
  closedBreaker,
  isBeforeProbe,
  OPEN_AFTER,
  rejectWaiting,
  type ClaimedMessage,
  type SinkQueue,
} from "../queue/sink-queue.ts";
import { forgetWaits, pauseMs } from "../queue/sink-waits.ts";

export interface BreakerDeps {
  readonly store: Pick<Outbox, "nextDueAt" | "saveSinkHealth" | "wakeSink">;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

export interface Breaker {
  /**
   * Records a failure of kind `destination` or `transient`. The queue's state is changed when this
   * returns; the promise resolves when the change is stored.
   */
  recordFailure(claimed: ClaimedMessage, error: SinkError): Promise<void>;
  /**
   * Records that the sink asked to wait; `queue.waits` has the length of the wait. Changes nothing
   * unless the breaker is open.
   */
  recordWait(queue: SinkQueue, error: SinkError): Promise<void>;
  /**
   * Opens the breaker if messages are due and the sink has answered only with requests to wait for
   * too long. Returns in how many milliseconds to check again; undefined if the sink does not ask
   * to wait.
   */
  openAfterWaits(queue: SinkQueue): Promise<number | undefined>;
  /**
   * Records that the sink answered: it accepted the message, or refused it because of its content.
   */
  recordSuccess(queue: SinkQueue): Promise<void>;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** The pauses between probes. The last one repeats. */
const PROBES: Readonly<Record<SinkHealth["cause"], Backoff>> = {
  transient: {
    stepsMs: [
      5 * SECOND_MS,
      15 * SECOND_MS,
      30 * SECOND_MS,
      MINUTE_MS,
      2 * MINUTE_MS,
      5 * MINUTE_MS,
    ],
  },
  destination: { stepsMs: [1, 5, 15, 60].map((count) => count * MINUTE_MS) },
};

/**
 * Returns the pause before the next probe, in ms. It is computed from the time for which the
 * breaker has been open, so it continues after a restart.
 */
export const nextProbeWaitMs = (cause: SinkHealth["cause"], openForMs: number): number =>
  backoffSince(PROBES[cause], openForMs);

export function createBreaker(deps: BreakerDeps): Breaker {
  const { store, clock, log } = deps;
  /**
   * Logs a store error and does not throw it, because deliveries continue if the state cannot be
   * written.
   */
  const onNotStored = (queue: SinkQueue) => (error: unknown) =>
    log.error("the state of a sink could not be stored", { sink: queue.name, error });
  const change = (queue: SinkQueue, health: SinkHealth): Promise<void> => {
    queue.health = health;
    deps.meter.set("chirpwatch_breaker_open", health.breaker === "open" ? 1 : 0, {
      sink: queue.name,
    });
    return store.saveSinkHealth(health).catch(onNotStored(queue));
  };
  const open = (queue: SinkQueue, error: SinkError): Promise<void> => {
    const nowMs = clock.now();
    const { health } = queue;
    const wasOpen = health.breaker === "open";
    const openedAtMs = wasOpen ? (health.openedAtMs ?? nowMs) : nowMs;
    const cause = error.kind === "destination" ? "destination" : "transient";
    const isGone = error.fields["gone"] === true;
    const waitMs = Math.max(nextProbeWaitMs(cause, nowMs - openedAtMs), pauseMs(queue, clock));
    const times = { openedAtMs, probeAtMs: isGone ? null : nowMs + waitMs };
    const goneFrom = isGone ? queue.place : null;
    const stored = change(queue, {
      ...health,
      breaker: "open",
      cause,
      reason: error.message,
      hint: error.hint,
      ...times,
      goneFrom,
    });
    rejectWaiting(queue);
    logOpened(log, queue, error, { isGone, wasOpen });
    return stored;
  };
  return {
    async recordFailure({ queue, busyKeys, isProbe }, error) {
      queue.failures += 1;
      for (const key of busyKeys) {
        queue.probedGroups.add(key);
        if (queue.failedGroups.size < OPEN_AFTER) queue.failedGroups.add(key);
      }
      if (
        error.kind !== "destination" &&
        queue.health.breaker === "closed" &&
        queue.failures < OPEN_AFTER
      )
        return;
      // An attempt that was under way when the breaker opened shows nothing new. The first attempt
      // of another group before the next probe is due shows nothing new either.
      if (isBeforeProbe(queue, clock.now()) && !(isProbe && error.kind === "destination")) return;
      await open(queue, error);
    },
    async recordWait(queue, { message: reason, hint }) {
      if (queue.health.breaker === "closed") return;
      const probeAtMs = clock.now() + pauseMs(queue, clock);
      await change(queue, {
        ...queue.health,
        cause: "transient",
        reason,
        hint,
        probeAtMs,
        goneFrom: null,
      });
    },
    openAfterWaits: (queue) => openAfterWaits(deps, queue, change),
    async recordSuccess(queue) {
      forgetWaits(queue);
      queue.failures = 0;
      queue.failedGroups.clear();
      queue.probedGroups.clear();
      if (queue.health.breaker === "closed") return;
      log.info("a sink takes messages again", { sink: queue.name });
      const { isReported, reportedAtMs } = queue.health;
      await change(queue, { ...closedBreaker(queue.name, reportedAtMs), isReported });
      await store.wakeSink(queue.name, clock.now()).catch(onNotStored(queue));
    },
  };
}

function logOpened(
  log: Log,
  { name: sink, failures }: SinkQueue,
  { message: error, hint }: SinkError,
  { isGone, wasOpen }: { readonly isGone: boolean; readonly wasOpen: boolean },
): void {
  if (isGone) log.error("a sink is disabled", { sink, error, hint });
  else if (!wasOpen) log.error("a sink takes no messages", { sink, error, hint, failures });
}

type Change = (queue: SinkQueue, health: SinkHealth) => Promise<void>;

async function openAfterWaits(
  { store, clock, log }: BreakerDeps,
  queue: SinkQueue,
  change: Change,
): Promise<number | undefined> {
  const { row, reason, hint } = queue.waits;
  if (row === undefined || row.count === 0 || queue.health.breaker === "open") return undefined;
  const inMs = failsInMs(row, clock.monotonic());
  if (inMs > 0) return inMs;
  const nowMs = clock.now();
  if (((await store.nextDueAt([queue.name])) ?? Number.POSITIVE_INFINITY) > nowMs) {
    // No message is due any more, so no attempt will show whether the sink still asks to wait.
    if (pauseMs(queue, clock) === 0) forgetWaits(queue);
    return undefined;
  }
  log.error("a sink takes no messages", {
    sink: queue.name,
    error: reason,
    hint,
    failures: row.count,
  });
  const times = {
    openedAtMs: nowMs - (clock.monotonic() - row.sinceMs),
    probeAtMs: nowMs + pauseMs(queue, clock),
  };
  await change(queue, {
    ...queue.health,
    breaker: "open",
    cause: "transient",
    reason,
    hint,
    ...times,
    goneFrom: null,
  });
  return undefined;
}
