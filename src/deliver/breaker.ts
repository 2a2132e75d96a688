/** Opens and closes the way to a sink, persists it, and tells the operator once. Which attempts say so is judged elsewhere. */
import type { Clock } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { Log } from "../model/log.ts";
import type { Meter } from "../model/meter.ts";
import type { SinkError } from "../model/sink.ts";
import type { Outbox, SinkHealth } from "../model/outbox.ts";
import { closedBreaker, turnAway, type Lane } from "./lane.ts";

/** Why nothing, or nothing since some time, reaches a sink. */
export interface SinkTrouble {
  readonly sink: string;
  readonly reason: string;
  /** What the operator can do; may be empty. */
  readonly hint: string;
  /** True: nobody can post there until someone changes something. False: it fails again and again. */
  readonly blocked: boolean;
  readonly sinceMs: number;
}

export interface BreakerDeps {
  readonly store: Pick<Outbox, "saveSinkHealth" | "wakeSink">;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  onSinkFailing(trouble: SinkTrouble): void | Promise<void>;
  onSinkRecovered(sink: string): void | Promise<void>;
}

export interface Breaker {
  /** The destination refuses everyone. */
  block(lane: Lane, error: SinkError): Promise<void>;
  /** One attempt failed for reasons that may pass. */
  stumble(lane: Lane, error: SinkError): Promise<void>;
  /** The destination answered: a message was taken, or refused for its own sake. */
  reached(lane: Lane): Promise<void>;
}

const MINUTE_MS = 60_000;
/** After 1, 5, 15 minutes, then every hour. */
const PROBE_WAITS_MS = [1, 5, 15].map((count) => count * MINUTE_MS);
const LAST_PROBE_WAIT_MS = 60 * MINUTE_MS;
/** Failures without any success for so long are worth a word, although each may pass. */
const TELL_AFTER_MS = 10 * MINUTE_MS;

/** The next wait follows from how long it has been open, so that it survives a restart. */
export function nextProbeWaitMs(openForMs: number): number {
  let spentMs = 0;
  for (const waitMs of PROBE_WAITS_MS) {
    if (openForMs < spentMs + waitMs) return waitMs;
    spentMs += waitMs;
  }
  return LAST_PROBE_WAIT_MS;
}

export function createBreaker(deps: BreakerDeps): Breaker {
  /** A notice or a note that fails must not stop the deliveries. */
  const attempt = async (what: string, lane: Lane, act: () => void | Promise<void>) => {
    try {
      await act();
    } catch (error) {
      deps.log.error("a note about a sink failed", { sink: lane.name, note: what, error: errorText(error) });
    }
  };
  const change = async (lane: Lane, health: SinkHealth) => {
    lane.health = health;
    deps.meter.set("chirpwatch_breaker_open", health.breaker === "open" ? 1 : 0, { sink: lane.name });
    await attempt("the state of a sink could not be stored", lane, () => deps.store.saveSinkHealth(health));
  };
  const tell = async (lane: Lane, error: SinkError, blocked: boolean, sinceMs: number) => {
    if (lane.told) return;
    lane.told = true;
    const trouble: SinkTrouble = { sink: lane.name, reason: error.message, hint: error.hint, blocked, sinceMs };
    deps.log.error("a sink takes no messages", { ...trouble });
    await attempt("a failing sink could not be reported", lane, () => deps.onSinkFailing(trouble));
  };
  return {
    async block(lane, error) {
      const nowMs = deps.clock.now();
      const { breaker, openedAtMs, probeAtMs } = lane.health;
      // Attempts that were under way when it opened say nothing new.
      if (breaker === "open" && (probeAtMs ?? 0) > nowMs) return;
      const sinceMs = breaker === "open" ? (openedAtMs ?? nowMs) : nowMs;
      const next = nowMs + nextProbeWaitMs(nowMs - sinceMs);
      const opened = change(lane, { sink: lane.name, breaker: "open", reason: error.message, openedAtMs: sinceMs, probeAtMs: next });
      turnAway(lane);
      await tell(lane, error, true, sinceMs);
      await opened;
    },
    async stumble(lane, error) {
      const nowMs = deps.clock.now();
      lane.failingSinceMs ??= nowMs;
      const { breaker, openedAtMs, probeAtMs } = lane.health;
      if (breaker === "open" && (probeAtMs ?? 0) <= nowMs) {
        const next = nowMs + nextProbeWaitMs(nowMs - (openedAtMs ?? nowMs));
        await change(lane, { ...lane.health, probeAtMs: next });
      }
      if (nowMs - lane.failingSinceMs >= TELL_AFTER_MS) await tell(lane, error, false, lane.failingSinceMs);
    },
    async reached(lane) {
      lane.failingSinceMs = undefined;
      const wasTold = lane.told;
      lane.told = false;
      if (lane.health.breaker === "open") {
        await change(lane, closedBreaker(lane.name));
        await attempt("the backlog of a sink could not be woken", lane, () => deps.store.wakeSink(lane.name, deps.clock.now()));
      }
      if (!wasTold) return;
      deps.log.info("a sink takes messages again", { sink: lane.name });
      await attempt("a recovered sink could not be reported", lane, () => deps.onSinkRecovered(lane.name));
    },
  };
}
