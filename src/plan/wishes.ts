/** What the sharers of a poll want of how it is read, joined into one wish. Pure. */
import type { StrategyWish } from "../model/schedule.ts";
import type { Poll } from "./poll.ts";

/** One that insists wins over those that leave it open. */
export function strategyOf({ subscribers }: Pick<Poll, "subscribers">): StrategyWish {
  const wishes = new Set(subscribers.map(({ watch }) => watch.strategy ?? "auto"));
  return (["single", "merge", "probe"] as const).find((wish) => wishes.has(wish)) ?? "auto";
}

/** The shortest; undefined where nobody says. */
export function fullPollEveryOf({ subscribers }: Pick<Poll, "subscribers">): number | undefined {
  const all = subscribers.map(({ watch }) => watch.fullPollEveryMs).filter((one) => one !== undefined);
  return all.length === 0 ? undefined : Math.min(...all);
}
