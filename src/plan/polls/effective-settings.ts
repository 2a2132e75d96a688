/** Combines what the subscribers of a poll configure into one setting. Pure. */
import type { Freshness, Schedule, StrategyOverride } from "../../model/schedule.ts";
import type { Poll, PollTiming, Subscriber } from "../poll.ts";
import { scheduleOf } from "../timing.ts";

/**
 * Returns the strategy of a poll. A strategy that one subscriber configures also applies to those
 * that leave it open.
 */
export function strategyOf({ subscribers }: Pick<Poll, "subscribers">): StrategyOverride {
  const overrides = new Set(subscribers.map(({ watch }) => watch.strategy ?? "auto"));
  return (["single", "merge", "probe"] as const).find((one) => overrides.has(one)) ?? "auto";
}

/**
 * Returns the shortest interval of full polls that a subscriber configures; undefined if none does.
 */
export function fullPollEveryOf({ subscribers }: Pick<Poll, "subscribers">): number | undefined {
  const all = subscribers
    .map(({ watch }) => watch.fullPollEveryMs)
    .filter((one) => one !== undefined);
  return all.length === 0 ? undefined : Math.min(...all);
}

/** Returns the shortest `max_age`. */
export const maxAgeOf = ({ subscribers }: Pick<Poll, "subscribers">): number =>
  subscribers.reduce(
    (least, { watch }) => Math.min(least, watch.maxAgeMs),
    Number.POSITIVE_INFINITY,
  );

/**
 * Returns the strictest freshness of the subscribers. If any of them has a schedule, the schedules
 * decide, because a user asked for them.
 */
export function timingOf(subscribers: readonly Subscriber[]): PollTiming {
  const all = subscribers.flatMap(({ watch: { timing } }) =>
    timing.kind === "freshness" ? [timing.freshness] : [],
  );
  const [first, ...others] = all;
  if (first === undefined || all.length < subscribers.length)
    return { kind: "schedule", schedules: schedulesWanted(subscribers) };
  return {
    kind: "freshness",
    freshness: others.reduce(
      (best, one) => (strictness(one) < strictness(best) ? one : best),
      first,
    ),
  };
}

const strictness = (freshness: Freshness): number =>
  freshness.kind === "mean" ? freshness.meanMs * 3 : freshness.p95Ms;

/**
 * Returns the schedules, each once. Of intervals only the shortest is kept: they count from the
 * last run, so a longer one never ends first.
 */
export function schedulesWanted(subscribers: readonly Subscriber[]): readonly Schedule[] {
  const schedules = subscribers.map(({ watch }) => scheduleOf(watch.timing));
  if (schedules.length === 1) return schedules;
  const shortestMs = Math.min(
    ...schedules.map((one) => (one.kind === "every" ? one.intervalMs : Number.POSITIVE_INFINITY)),
  );
  const first = schedules.filter((one) => one.kind !== "every" || one.intervalMs === shortestMs);
  return [...new Map(first.map((schedule) => [JSON.stringify(schedule), schedule])).values()];
}
