/**
 * Makes groups with common ticks due at the same instant, so that their probes fit into the same
 * requests. Pure.
 */
import { canonicalJson } from "../../model/hash.ts";
import { spreadMs } from "../../schedule/spread.ts";
import type { Poll } from "../poll.ts";
import { schedulesOf } from "../timing.ts";

/** Returns a key for the schedules of a poll, in any order. */
export const schedulesKey = ({ timing }: Pick<Poll, "timing">): string =>
  canonicalJson(
    schedulesOf(timing)
      .map((schedule) => canonicalJson({ ...schedule }))
      .sort(),
  );

/**
 * Intervals of this length or more are moved from their ticks. The offset that is right for the
 * shortest of them is right for all.
 */
export const MIN_SPREAD_MS = 10_000;

/**
 * Returns the offset, which is the same for every minute, every two, every hour: less than a
 * second.
 */
export const groupSpreadMs = ({ intervalMs }: Pick<Poll, "intervalMs">): number =>
  intervalMs < MIN_SPREAD_MS ? 0 : spreadMs("probes", MIN_SPREAD_MS);
