/** What the sharers of a poll want of how it is read, joined into one wish. Pure. */
import type { Freshness, StrategyOverride } from "../../model/schedule.ts";
import type { Poll } from "../poll.ts";

/** One that insists wins over those that leave it open. */
export function strategyOf({ subscribers }: Pick<Poll, "subscribers">): StrategyOverride {
  const wishes = new Set(subscribers.map(({ watch }) => watch.strategy ?? "auto"));
  return (["single", "merge", "probe"] as const).find((wish) => wishes.has(wish)) ?? "auto";
}

/** The shortest; undefined where nobody says. */
export function fullPollEveryOf({ subscribers }: Pick<Poll, "subscribers">): number | undefined {
  const all = subscribers.map(({ watch }) => watch.fullPollEveryMs).filter((one) => one !== undefined);
  return all.length === 0 ? undefined : Math.min(...all);
}

/** The shortest. */
export const maxAgeOf = ({ subscribers }: Pick<Poll, "subscribers">): number =>
  subscribers.reduce((least, { watch }) => Math.min(least, watch.maxAgeMs), Number.POSITIVE_INFINITY);

/** The strictest of its sharers; a schedule is the user's word, so that one sharer without freshness decides. */
export function freshnessOf({ subscribers }: Pick<Poll, "subscribers">): Freshness | undefined {
  const all: Freshness[] = [];
  for (const { watch } of subscribers) {
    if (watch.timing.kind === "schedule") return undefined;
    all.push(watch.timing.freshness);
  }
  return all.reduce((strictest, one) => (strictness(one) < strictness(strictest) ? one : strictest));
}

const strictness = (freshness: Freshness): number => (freshness.kind === "mean" ? freshness.meanMs * 3 : freshness.p95Ms);
