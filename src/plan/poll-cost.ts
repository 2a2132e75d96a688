/** The cost of a poll per day. Each kind of group computes it. */
import type { Range } from "./range.ts";

/**
 * The assumptions on which the range of a poll's cost rests.
 * - `posts`: how much the accounts of the poll post.
 * - `moves`: how often its member lists gain and lose members.
 * - `listed`: whether the public list through which accounts are read contains all of them.
 * - `pages`: no poll of its feeds finds more than a page.
 * - `lengths`: each of its member lists fits on one page.
 * - `pace`: how often its feed is read for the requested freshness.
 */
export type Assumption = "posts" | "moves" | "listed" | "pages" | "lengths" | "pace";

export interface PollCost {
  /** How the poll's targets are read. `single` means that each is read with requests of its own. */
  readonly strategy: string;
  readonly pollsPerDay: number;
  /** The requests per day for late-arrival rescans and full polls. */
  readonly sweepsPerDay: number;
  /** The range of all requests per day. */
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
