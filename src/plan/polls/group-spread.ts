/**
 * Makes groups with common ticks due at the same instant, so that their probes fit into the same
 * requests. Pure.
 */
import { canonicalJson } from "../../model/hash.ts";
import { spreadMs } from "../../schedule/spread.ts";
import type { Poll } from "../poll.ts";
import { schedulesOf } from "../timing.ts";

/** Returns a key that is the same for polls with the same schedules, in any order. */
export const schedulesKey = ({ timing }: Pick<Poll, "timing">): string =>
  canonicalJson(
    schedulesOf(timing)
      .map((schedule) => canonicalJson({ ...schedule }))
      .sort(),
  );

/**
 * Groups with intervals of this length or more get an offset from their ticks. The offset that
 * suits the shortest of these intervals suits all of them.
 */
export const MIN_SPREAD_MS = 10_000;

/**
 * Returns the offset, which is less than a second. It is the same for all such intervals, such as
 * one minute, two minutes or an hour.
 */
export const groupSpreadMs = ({ intervalMs }: Pick<Poll, "intervalMs">): number =>
  intervalMs < MIN_SPREAD_MS ? 0 : spreadMs("probes", MIN_SPREAD_MS);
