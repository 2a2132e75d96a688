/**
 * What the other side asks to wait, for every sink and for the data service: how much of it is
 * kept, how waits grow while it only refuses, and when nothing but waits is a failure. Pure; times
 * are the monotonic clock's.
 */

/** The longest wait that a sink can ask for. */
export const MAX_SINK_WAIT_MS = 3_600_000;
/** The longest wait that the data service can ask for. */
export const MAX_SERVICE_WAIT_MS = 300_000;
/** Nothing but waits for so long is a failing sink or service: people hear of it. */
export const WAITS_FAIL_AFTER_MS = 120_000;

/** The wait for a missing, zero or negative one, and for a date in the past. */
const UNSAID_WAIT_MS = 1_000;
/** The waits of the first two refusals in a row are kept as they are asked for. */
export const WAITS_GROW_FROM = 3;

/** Refusals in a row, with nothing accepted in between. */
export interface RefusalRow {
  /** 0 where only another one was refused, with a wait that holds for this one too. */
  readonly count: number;
  /** When the first of them was answered; infinite where none was. */
  readonly sinceMs: number;
  /** Nothing is sent before that. */
  readonly untilMs: number;
}

export interface WaitRefusal {
  /** What was asked for, in ms, as it was said. Undefined where nothing was. */
  readonly askedMs: number | undefined;
  /** When the request that was refused was sent. */
  readonly sentAtMs: number;
  readonly nowMs: number;
}

/** Bounds what was asked for. A fraction of a second stays what it is. */
export function boundedWaitMs(askedMs: number | undefined, maxMs: number): number {
  const isSaid = askedMs !== undefined && askedMs > 0;
  return Math.min(isSaid ? Math.ceil(askedMs) : UNSAID_WAIT_MS, maxMs);
}

/**
 * Adds a refusal to its row. From the third in a row on, each doubles what is kept of the wait that
 * it asks for. What was sent before the last wait was over belongs to the refusal that began that
 * wait.
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
 * A wait that was asked of another one and holds for this one too: nothing of its own was refused.
 */
export const addWaitOfOther = (row: RefusalRow | undefined, untilMs: number): RefusalRow => ({
  count: row?.count ?? 0,
  sinceMs: row?.sinceMs ?? Number.POSITIVE_INFINITY,
  untilMs: Math.max(row?.untilMs ?? untilMs, untilMs),
});

/** For how long nothing is sent. */
export const waitOfRow = (row: RefusalRow | undefined, nowMs: number): number =>
  Math.max(0, (row?.untilMs ?? nowMs) - nowMs);

/** In how many ms the row is a failure that people hear of; 0 or less where it is one. */
export const failsInMs = (row: RefusalRow, nowMs: number): number =>
  row.sinceMs + WAITS_FAIL_AFTER_MS - nowMs;

/**
 * Ends the wait and keeps the row: somebody has perhaps mended the other side, which is tried at
 * once.
 */
export const withoutWait = (row: RefusalRow, nowMs: number): RefusalRow => ({
  ...row,
  untilMs: Math.min(row.untilMs, nowMs),
});

/**
 * Reads a Retry-After header (RFC 9110, seconds or a date) as it was sent, in ms; negative for a
 * date in the past. Undefined where it is absent or unreadable.
 */
export function readRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  if (text === "") return undefined;
  const waitMs = /^[+-]?\d+(\.\d+)?$/.test(text)
    ? Math.ceil(Number(text) * 1_000)
    : Date.parse(text) - nowMs;
  return Number.isNaN(waitMs) ? undefined : waitMs;
}

/** Says in a sentence what was asked for. */
export function asksToWait(name: string, askedMs: number | undefined): string {
  if (askedMs === undefined || askedMs <= 0)
    return `${name} asks to wait and does not say how long`;
  return `${name} asks to wait ${askedMs < 1_000 ? `${Math.ceil(askedMs)} ms` : `${Math.ceil(askedMs / 1_000)} s`}`;
}
