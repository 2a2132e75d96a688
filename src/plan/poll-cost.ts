/** What a poll costs a day. Owns the figure alone; what makes it up is the business of each kind of group. */
import type { Range } from "./range.ts";

/**
 * What a range rests on:
 * - `posts`: how much its accounts post.
 * - `moves`: how often its lists gain and lose members.
 * - `pages`: no poll of its feeds finds more than a page.
 * - `lengths`: each of its lists fits on one page.
 * - `pace`: how often its feed is read for the freshness that was asked for.
 */
export type Assumption = "posts" | "moves" | "pages" | "lengths" | "pace";

export interface PollCost {
  /** How it is read: `single` is a request of its own each time. */
  readonly strategy: string;
  readonly pollsPerDay: number;
  /** Requests of late-arrival rescans and full polls. */
  readonly sweepsPerDay: number;
  /** Requests a day. */
  readonly range: Range;
  readonly assumptions: readonly Assumption[];
}

export const pollCost = (cost: Omit<PollCost, "assumptions">, assumptions: readonly (Assumption | false)[]): PollCost => ({
  ...cost,
  assumptions: assumptions.filter((one) => one !== false),
});
