/**
 * The log of a daemon that cannot read or write its state. Many things then fail repeatedly for the
 * same cause. This log writes only one line per cause, with growing pauses and the number of lines
 * that were left out; lines that are left out go to the debug log. The cause is not a bug of the
 * daemon, so its lines are warnings without a stack.
 */
import type { Clock } from "../../model/clock.ts";
import type { Log, LogFields } from "../../model/log.ts";
import { StoreError } from "../../model/store-error.ts";

const FIRST_PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 600_000;

/** What was logged about one cause of trouble, with monotonic times. */
interface Said {
  readonly untilMs: number;
  readonly pauseMs: number;
  leftOut: number;
}

export function createStoreTroubleLog(log: Log, clock: Pick<Clock, "monotonic">): Log {
  const said = new Map<string, Said>();
  const logAt = (level: "warn" | "error") => (message: string, fields?: LogFields) => {
    const error = fields?.["error"];
    if (error instanceof StoreError)
      warn(
        message,
        { ...fields, error: error.message, ...(error.hint === "" ? {} : { hint: error.hint }) },
        error.code,
      );
    else log[level](message, fields);
  };
  const warn = (message: string, fields: LogFields, code: string) => {
    const nowMs = clock.monotonic();
    const before = said.get(code);
    if (before !== undefined && nowMs < before.untilMs) {
      before.leftOut += 1;
      return log.debug(message, fields);
    }
    // After a pause without failures, the next failure counts as a new trouble.
    const isSame = before !== undefined && nowMs < before.untilMs + before.pauseMs;
    const pauseMs = isSame ? Math.min(before.pauseMs * 2, MAX_PAUSE_MS) : FIRST_PAUSE_MS;
    said.set(code, { untilMs: nowMs + pauseMs, pauseMs, leftOut: 0 });
    const { leftOut = 0 } = before ?? {};
    log.warn(message, { ...fields, ...(leftOut === 0 ? {} : { more_like_this: leftOut }) });
  };
  return {
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => log.info(message, fields),
    warn: logAt("warn"),
    error: logAt("error"),
    child: (fields) => createStoreTroubleLog(log.child(fields), clock),
  };
}
