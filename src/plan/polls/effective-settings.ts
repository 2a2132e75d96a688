/** What the subscribers of a poll ask of how it is read, joined into one setting. Pure. */
import type { Freshness, Schedule, StrategyOverride } from "../../model/schedule.ts";
import type { Poll, PollTiming, Subscriber } from "../poll.ts";
import { scheduleOf } from "../timing.ts";

/** One that insists wins over those that leave it open. */
export function strategyOf({ subscribers }: Pick<Poll, "subscribers">): StrategyOverride {
  const overrides = new Set(subscribers.map(({ watch }) => watch.strategy ?? "auto"));
  return (["single", "merge", "probe"] as const).find((one) => overrides.has(one)) ?? "auto";
}

/** The shortest; undefined where nobody says. */
export function fullPollEveryOf({ subscribers }: Pick<Poll, "subscribers">): number | undefined {
  const all = subscribers
    .map(({ watch }) => watch.fullPollEveryMs)
    .filter((one) => one !== undefined);
  return all.length === 0 ? undefined : Math.min(...all);
}

/** The shortest. */
export const maxAgeOf = ({ subscribers }: Pick<Poll, "subscribers">): number =>
  subscribers.reduce(
    (least, { watch }) => Math.min(least, watch.maxAgeMs),
    Number.POSITIVE_INFINITY,
  );

/**
 * The strictest freshness of its subscribers; a schedule is the user's word, so that one subscriber
 * who has one decides.
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
 * Each once, and of intervals the shortest alone: they count from the last run, of which a longer
 * one is never the first to end.
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
