/**
 * Decides on the waits that sinks and the data service ask for: which part of a wait is kept, how
 * waits grow while every request is refused, and when waiting counts as a failure. Pure. Times are
 * monotonic ms.
 */

/** The maximum wait that a sink can ask for. A longer one is shortened to this. */
export const MAX_SINK_WAIT_MS = 3_600_000;
/** The maximum wait that the data service can ask for. A longer one is shortened to this. */
export const MAX_SERVICE_WAIT_MS = 300_000;
/**
 * If every answer of a sink or the service for this long asks to wait, that counts as a failure and
 * is reported.
 */
export const WAITS_FAIL_AFTER_MS = 120_000;

/** The wait if the requested one is missing, zero or negative, or a date in the past. */
const UNSAID_WAIT_MS = 1_000;
/**
 * The number of refusals in a row from which on waits grow. Until then, each wait is as long as
 * requested.
 */
export const WAITS_GROW_FROM = 3;

/** Refusals in a row, with nothing accepted in between. */
export interface RefusalRow {
  /**
   * The number of refusals. It is 0 if only another sink was refused and this one shares that
   * sink's wait.
   */
  readonly count: number;
  /** When the first refusal arrived; infinite if there was none. */
  readonly sinceMs: number;
  /** Nothing is sent before this time. */
  readonly untilMs: number;
}

export interface WaitRefusal {
  /** The requested wait in milliseconds, unbounded. Undefined if none was requested. */
  readonly askedMs: number | undefined;
  /** When the refused request was sent. */
  readonly sentAtMs: number;
  readonly nowMs: number;
}

/** Returns the requested wait within bounds, rounded up to whole milliseconds. */
export function boundedWaitMs(askedMs: number | undefined, maxMs: number): number {
  const isSaid = askedMs !== undefined && askedMs > 0;
  return Math.min(isSaid ? Math.ceil(askedMs) : UNSAID_WAIT_MS, maxMs);
}

/**
 * Adds a refusal to its row. From the third in a row on, each refusal doubles the requested wait
 * once more, up to `maxMs`. A request that was sent before the last wait ended does not count as a
 * further refusal.
 */
export function addRefusal(
  row: RefusalRow | undefined,
  { askedMs, sentAtMs, nowMs }: WaitRefusal,
  maxMs: number,
): RefusalRow {
  const waitMs = boundedWaitMs(askedMs, maxMs);
  if (row !== undefined && row.count > 0 && sentAtMs < row.untilMs)
    return askedMs === undefined ? row : { ...row, untilMs: Math.max(row.untilMs, nowMs + waitMs) };
  const count = (row?.count ?? 0) + 1;
  const growth = 2 ** Math.max(0, count - WAITS_GROW_FROM + 1);
  return {
    count,
    sinceMs: Math.min(row?.sinceMs ?? nowMs, nowMs),
    untilMs: nowMs + Math.min(waitMs * growth, maxMs),
  };
}

/**
 * Adds a wait that was requested of another sink and also applies to this one, although none of its
 * own requests was refused.
 */
export const addWaitOfOther = (row: RefusalRow | undefined, untilMs: number): RefusalRow => ({
  count: row?.count ?? 0,
  sinceMs: row?.sinceMs ?? Number.POSITIVE_INFINITY,
  untilMs: Math.max(row?.untilMs ?? untilMs, untilMs),
});

/** Returns for how many milliseconds nothing is sent. */
export const waitOfRow = (row: RefusalRow | undefined, nowMs: number): number =>
  Math.max(0, (row?.untilMs ?? nowMs) - nowMs);

/** Returns in how many milliseconds the row counts as a failure; 0 or less if it already does. */
export const failsInMs = (row: RefusalRow, nowMs: number): number =>
  row.sinceMs + WAITS_FAIL_AFTER_MS - nowMs;

/**
 * Ends the wait and keeps the row of refusals. Called when an operator may have repaired the other
 * side, so that the next request is sent without waiting.
 */
export const withoutWait = (row: RefusalRow, nowMs: number): RefusalRow => ({
  ...row,
  untilMs: Math.min(row.untilMs, nowMs),
});

/**
 * Reads a Retry-After header (RFC 9110, seconds or a date) in milliseconds, negative for a date in
 * the past. Undefined if it is absent or unreadable.
 */
export function readRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  if (text === "") return undefined;
  const waitMs = /^[+-]?\d+(\.\d+)?$/.test(text)
    ? Math.ceil(Number(text) * 1_000)
    : Date.parse(text) - nowMs;
  return Number.isNaN(waitMs) ? undefined : waitMs;
}

/** Returns a sentence about the requested wait. */
export function asksToWait(name: string, askedMs: number | undefined): string {
  if (askedMs === undefined || askedMs <= 0)
    return `${name} asks to wait and does not say how long`;
  return `${name} asks to wait ${askedMs < 1_000 ? `${Math.ceil(askedMs)} ms` : `${Math.ceil(askedMs / 1_000)} s`}`;
}
