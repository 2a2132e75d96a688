/**
 * Decides how long a poll waits after the service has refused its request. The first waits are
 * short, because the refusal may be a short fault of the service.
 */
import { type Backoff, backoffAfter } from "../model/backoff.ts";
import type { Clock } from "../model/clock.ts";

/** A poll or another request that is repeated at an interval. `key` identifies it. */
interface Repeated {
  readonly key: string;
  readonly intervalMs: number;
}

export interface RefusalBackoff {
  /**
   * Records a refusal and returns how many ms the poll must wait now. `maxMs` is the maximum wait,
   * which is reached after several refusals in a row.
   */
  recordRefusal(poll: Repeated, maxMs?: number): number;
  isCoolingDown(poll: Pick<Repeated, "key">): boolean;
  /**
   * Returns how many refusals in a row have been recorded. A refusal that is being handled is not
   * recorded yet, so it does not count.
   */
  refusalsInRow(poll: Repeated): number;
}

/**
 * The waits grow step by step, so that after a short fault of the service a poll waits only a few
 * times as long as the fault lasted, not for a day.
 */
const BACKOFF: Backoff = {
  stepsMs: [60_000, 300_000, 900_000, 3_600_000, 14_400_000, Number.POSITIVE_INFINITY],
};
/**
 * A refusal continues the row if it comes within this time after the end of the last wait, or
 * within two intervals if they are longer. This time allows for a request that waits some minutes
 * for its turn.
 */
const MIN_ROW_MS = 300_000;
/**
 * A target or a list that could be read before is taken to be gone only if at least this many
 * refusals in a row preceded the current one. Because of the waits, that takes some minutes.
 */
export const REFUSALS_BEFORE_BELIEF = 2;
const FORGET_MS = 86_400_000;
/**
 * The maximum wait unless the caller sets one. It suits requests that serve many accounts at once.
 */
const DEFAULT_MAX_MS = 900_000;

export function createRefusalBackoff(clock: Pick<Clock, "monotonic">): RefusalBackoff {
  /**
   * The refused polls: the number of refusals in a row, and when the current wait ends (monotonic).
   */
  const refusals = new Map<string, { readonly count: number; readonly untilMs: number }>();
  const countOf = ({ key, intervalMs }: Repeated): number => {
    const before = refusals.get(key);
    const isInRow =
      before !== undefined &&
      clock.monotonic() - before.untilMs < Math.max(MIN_ROW_MS, 2 * intervalMs);
    return isInRow ? before.count : 0;
  };
  return {
    recordRefusal(poll, maxMs = DEFAULT_MAX_MS) {
      const nowMs = clock.monotonic();
      for (const [other, { untilMs }] of refusals)
        if (nowMs - untilMs > FORGET_MS + 2 * poll.intervalMs) refusals.delete(other);
      const count = countOf(poll);
      const waitMs = backoffAfter({ ...BACKOFF, capMs: maxMs }, count + 1);
      refusals.set(poll.key, { count: count + 1, untilMs: nowMs + waitMs });
      return waitMs;
    },
    isCoolingDown: ({ key }) =>
      (refusals.get(key)?.untilMs ?? Number.NEGATIVE_INFINITY) > clock.monotonic(),
    refusalsInRow: countOf,
  };
}
