/**
 * How long a poll that the service refused is left alone: little at first, as a service can be
 * wrong for a moment.
 */
import { type Backoff, backoffAfter } from "../model/backoff.ts";
import type { Clock } from "../model/clock.ts";

/** What is asked again and again, at an interval of its own. */
interface Repeated {
  readonly key: string;
  readonly intervalMs: number;
}

export interface RefusalBackoff {
  /**
   * Leaves it alone from now on; for so long. `steadyMs`: the longest, once it was refused often
   * enough in a row.
   */
  holdMs(poll: Repeated, steadyMs?: number): number;
  isCoolingDown(poll: Pick<Repeated, "key">): boolean;
  /** In a row so far, without the one that is being dealt with. */
  refusals(poll: Repeated): number;
}

/**
 * Each a few times what came before: trouble of the service's own costs some times its length, and
 * not a day.
 */
const BACKOFF: Backoff = {
  stepsMs: [60_000, 300_000, 900_000, 3_600_000, 14_400_000, Number.POSITIVE_INFINITY],
};
/**
 * A refusal so soon after the last one's hold is the next of a row, however long it waited for its
 * turn.
 */
const MIN_ROW_MS = 300_000;
/**
 * What was shown before is believed to be gone when that is said so often again: within some
 * minutes.
 */
export const REFUSALS_BEFORE_BELIEF = 2;
const FORGET_MS = 86_400_000;
/** Of a request that many accounts share, which costs little to try. */
const SHARED_AGAIN_MS = 900_000;

export function createRefusalBackoff(clock: Pick<Clock, "monotonic">): RefusalBackoff {
  /** By poll: how often in a row it was refused, and until when it was left alone for that. */
  const refusals = new Map<string, { readonly count: number; readonly untilMs: number }>();
  const countOf = ({ key, intervalMs }: Repeated): number => {
    const before = refusals.get(key);
    const isInRow =
      before !== undefined &&
      clock.monotonic() - before.untilMs < Math.max(MIN_ROW_MS, 2 * intervalMs);
    return isInRow ? before.count : 0;
  };
  return {
    holdMs(poll, steadyMs = SHARED_AGAIN_MS) {
      const nowMs = clock.monotonic();
      for (const [other, { untilMs }] of refusals)
        if (nowMs - untilMs > FORGET_MS + 2 * poll.intervalMs) refusals.delete(other);
      const count = countOf(poll);
      const holdMs = backoffAfter({ ...BACKOFF, capMs: steadyMs }, count + 1);
      refusals.set(poll.key, { count: count + 1, untilMs: nowMs + holdMs });
      return holdMs;
    },
    isCoolingDown: ({ key }) =>
      (refusals.get(key)?.untilMs ?? Number.NEGATIVE_INFINITY) > clock.monotonic(),
    refusals: countOf,
  };
}
