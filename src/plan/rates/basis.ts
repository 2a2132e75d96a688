/** What a forecast can rest on. Owns the terms; which of them holds, each kind of group says. */
import type { Learned } from "./learned.ts";
import type { Poll } from "../poll.ts";

/** The surest first. */
export const BASES = ["schedule", "counted", "learned", "assumed"] as const;

export type Basis = (typeof BASES)[number];

/**
 * - `posts`: its accounts post as often as is usual.
 * - `changes`: its accounts change without a post as often as is usual.
 * - `pages`: no poll of its feeds finds more than a page.
 * - `lengths`: each of its lists fits on one page.
 * - `moves`: its lists gain and lose members as often as is usual.
 * - `even`: its feed is read at even intervals.
 * - `rechecks`: each recheck of fresh tweets takes one request.
 */
export type Assumption = "posts" | "changes" | "pages" | "lengths" | "moves" | "even" | "rechecks";

export interface WatchBasis {
  readonly basis: Basis;
  readonly assumptions: readonly Assumption[];
}

/** Undefined, or false, where nothing was learned. */
export interface Known extends Learned {
  readonly itemsPerDay: (poll: Poll) => number | undefined;
  readonly isLengthKnown: (poll: Poll) => boolean;
  readonly freshOf: (watchId: string) => number | undefined;
}

export const restsOn = (basis: Basis): WatchBasis => ({ basis, assumptions: [] });

/** Learned, or assumed where something is missing. */
export const restsOnKnown = (missing: readonly (Assumption | false)[]): WatchBasis => {
  const assumptions = missing.filter((one) => one !== false);
  return { basis: assumptions.length > 0 ? "assumed" : "learned", assumptions };
};
