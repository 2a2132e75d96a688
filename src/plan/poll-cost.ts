/** The cost of a poll per day. Each kind of group computes it. */
import type { Range } from "./range.ts";

/**
 * The assumptions behind a range.
 * - `posts`: how much its accounts post.
 * - `moves`: how often its lists gain and lose members.
 * - `listed`: whether the public list through which it is read contains all its accounts.
 * - `pages`: no poll of its feeds finds more than a page.
 * - `lengths`: each of its lists fits on one page.
 * - `pace`: how often its feed is read for its freshness.
 */
export type Assumption = "posts" | "moves" | "listed" | "pages" | "lengths" | "pace";

export interface PollCost {
  /** How it is read. `single` is a request of its own each time. */
  readonly strategy: string;
  readonly pollsPerDay: number;
  /** The requests of late-arrival rescans and full polls. */
  readonly sweepsPerDay: number;
  /** The requests per day. */
  readonly range: Range;
  readonly assumptions: readonly Assumption[];
}

export const pollCost = (
  cost: Omit<PollCost, "assumptions">,
  assumptions: readonly (Assumption | false)[],
): PollCost => ({
  ...cost,
  assumptions: assumptions.filter((one) => one !== false),
});
