/**
 * Groups whose ticks fall together are due in the same instant, so that what they probe fits into
 * the same requests. Pure.
 */
import { canonicalJson } from "../../model/hash.ts";
import { spreadMs } from "../../schedule/spread.ts";
import type { Poll } from "../poll.ts";
import { schedulesOf } from "../timing.ts";

/** The schedules of a poll, in any order. */
export const schedulesKey = ({ timing }: Pick<Poll, "timing">): string =>
  canonicalJson(
    schedulesOf(timing)
      .map((schedule) => canonicalJson({ ...schedule }))
      .sort(),
  );

/**
 * Intervals from here on are moved from their ticks: what is right for the shortest of them is so
 * for all.
 */
export const SHORTEST_SPREAD_MS = 10_000;

/** The same for every minute, every two, every hour: less than a second. */
export const groupSpreadMs = ({ intervalMs }: Pick<Poll, "intervalMs">): number =>
  intervalMs < SHORTEST_SPREAD_MS ? 0 : spreadMs("probes", SHORTEST_SPREAD_MS);
