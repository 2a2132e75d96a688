/** How fast polls go under a quota, by what is spent and what they cost. Pure. */
import { spendingLimit } from "../../budget/spending-limit.ts";
import { governedFactors, type SlowDownFactors, slowDownFactors, type SlowDownQuery } from "../../budget/slow-down.ts";
import { type Pace, planPace, type PricedPoll } from "../../forecast/pace.ts";
import { PRIORITIES } from "../../model/schedule.ts";

/** What is spent and planned at a moment. */
export interface GovernedQuery extends SlowDownQuery {
  readonly polls: readonly PricedPoll[];
}

export interface GovernedPace {
  readonly factors: SlowDownFactors;
  readonly pace: Pace;
  /** After the head start, if there is one. */
  readonly lastingFactors: SlowDownFactors;
  readonly lasting: Pace;
}

export function governedPace(query: GovernedQuery): GovernedPace {
  const factors = governedFactors(query);
  const lastingFactors = slowDownFactors(query);
  return { factors, pace: planPace(query.polls, factors), lastingFactors, lasting: planPace(query.polls, lastingFactors) };
}

/** Where scheduled polls stop. */
export const softLimit = ({ limit, reserve }: GovernedQuery): number | undefined =>
  spendingLimit({ monthly: limit, reserve, purpose: "poll" });

export const isSlowedDown = (factors: SlowDownFactors): boolean => PRIORITIES.some((priority) => factors[priority] > 1);
