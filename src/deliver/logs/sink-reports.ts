/**
 * Decides when the operator is alerted that a sink fails or works again. Short failures are not
 * reported, and each sink is reported at most once in 15 minutes.
 */
import type { Clock } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import type { Outbox, SinkHealth } from "../../model/outbox.ts";
import type { SinkQueue } from "../queue/sink-queue.ts";

/** Why nothing reaches a sink. */
export interface SinkTrouble {
  readonly sink: string;
  readonly reason: string;
  /** What the operator can do about the failure; may be empty. */
  readonly hint: string;
  readonly sinceMs: number;
  readonly retryForMs: number;
}

export interface SinkReportsDeps {
  readonly store: Pick<Outbox, "saveSinkHealth">;
  readonly clock: Clock;
  readonly log: Log;
  onSinkFailing(trouble: SinkTrouble): void | Promise<void>;
  /** Called with the time at which the sink's failure was reported. */
  onSinkRecovered(sink: string, reportedAtMs: number): void | Promise<void>;
}

const MINUTE_MS = 60_000;
/**
 * The delay before a failure is reported. A transient failure may end within this time. A
 * destination that is gone stays gone until an operator acts, so it is reported immediately.
 */
const REPORT_AFTER_MS: Readonly<Record<SinkHealth["cause"], number>> = {
  transient: 2 * MINUTE_MS,
  destination: 0,
};
const ONCE_IN_MS = 15 * MINUTE_MS;

/** Returns when a failing sink is to be reported; undefined if it works or was reported already. */
function failingDueAt(health: SinkHealth): number | undefined {
  if (health.breaker === "closed" || health.isReported) return undefined;
  const reportFromMs = (health.openedAtMs ?? 0) + REPORT_AFTER_MS[health.cause];
  return health.reportedAtMs === null
    ? reportFromMs
    : Math.max(reportFromMs, health.reportedAtMs + ONCE_IN_MS);
}

/**
 * Creates the function that sends the reports that are due for one sink. The function returns in
 * how many milliseconds the next report is due, or undefined if none is. It never rejects.
 */
export function createSinkReports(
  deps: SinkReportsDeps,
): (queue: SinkQueue) => Promise<number | undefined> {
  const report = async (
    queue: SinkQueue,
    next: Partial<SinkHealth>,
    notify: () => void | Promise<void>,
  ) => {
    queue.health = { ...queue.health, ...next };
    try {
      await notify();
      await deps.store.saveSinkHealth(queue.health);
    } catch (error) {
      deps.log.error("the report about a sink could not be stored", { sink: queue.name, error });
    }
  };
  return async (queue) => {
    const { health } = queue;
    if (health.breaker === "closed" && health.isReported)
      await report(queue, { isReported: false }, () =>
        deps.onSinkRecovered(queue.name, health.reportedAtMs ?? 0),
      );
    const nowMs = deps.clock.now();
    const dueAtMs = failingDueAt(queue.health);
    if (dueAtMs === undefined || dueAtMs > nowMs)
      return dueAtMs === undefined ? undefined : dueAtMs - nowMs;
    const { reason, hint, openedAtMs } = queue.health;
    const trouble: SinkTrouble = {
      sink: queue.name,
      reason,
      hint,
      sinceMs: openedAtMs ?? nowMs,
      retryForMs: queue.retryForMs,
    };
    await report(queue, { isReported: true, reportedAtMs: nowMs }, () =>
      deps.onSinkFailing(trouble),
    );
    return undefined;
  };
}
