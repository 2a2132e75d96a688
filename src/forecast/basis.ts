/**
 * What a forecast rests on: schedules alone, requests that were counted, rates that were learned, or what is usual. Owns which of them holds
 * for a watch and what it assumes where something is not known yet; the arithmetic itself is cost.ts's. Pure.
 */
import type { Watch } from "../model/watch.ts";
import { shareKey } from "../groups/single/feed-pace.ts";
import { readsWholeList } from "../plan/polls/full-read.ts";
import type { Learned } from "../plan/rates/learned.ts";
import { type Poll, userIdOf } from "../plan/poll.ts";

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
 * - `looks`: each look at fresh tweets takes one request.
 */
export type Assumption = "posts" | "changes" | "pages" | "lengths" | "moves" | "even" | "looks";

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

/** By watch id. */
export function basisByWatch(polls: readonly Poll[], known: Known): ReadonlyMap<string, WatchBasis> {
  const parts = new Map<string, { readonly bases: Set<Basis>; readonly assumptions: Set<Assumption> }>();
  for (const poll of polls) {
    const { basis, assumptions } = basisOf(poll, known);
    for (const watch of new Set(poll.subscribers.map((subscriber) => subscriber.watch))) {
      const part = parts.get(watch.id) ?? { bases: new Set(), assumptions: new Set() };
      parts.set(watch.id, part);
      part.bases.add(basis);
      for (const one of assumptions) part.assumptions.add(one);
      const looks = looksBasis(watch, known);
      if (looks !== undefined) part.bases.add(looks);
      if (looks === "assumed") part.assumptions.add("looks");
    }
  }
  return new Map(
    [...parts].map(([id, { bases, assumptions }]) => [
      id,
      { basis: BASES.findLast((one) => bases.has(one)) ?? "schedule", assumptions: [...assumptions] },
    ]),
  );
}

const looksBasis = ({ id, recheck }: Watch, { freshOf }: Known): Basis | undefined =>
  recheck === undefined ? undefined : freshOf(id) === undefined ? "assumed" : "learned";

const of = (basis: Basis): WatchBasis => ({ basis, assumptions: [] });
const byKnown = (missing: readonly (Assumption | false)[]): WatchBasis => {
  const assumptions = missing.filter((one) => one !== false);
  return { basis: assumptions.length > 0 ? "assumed" : "learned", assumptions };
};

function basisOf(poll: Poll, known: Known): WatchBasis {
  const { group } = poll;
  if (group?.kind === "accounts") return basisOfAccounts(poll, group.members, known);
  if (group?.kind === "rosters") {
    const isMoving = group.members.every(({ key }) => known.rateOf(key) !== undefined);
    return byKnown([!isMoving && "moves", !group.members.every((one) => hasKnownLength(one, known)) && "lengths"]);
  }
  if (poll.detector === "roster" && readsWholeList(poll)) return byKnown([!hasKnownLength(poll, known) && "lengths"]);
  if (poll.detector !== "feed") return of("schedule");
  const isEven = poll.freshness !== undefined && known.rateOf(shareKey(poll.key)) === undefined;
  const isPage = group === undefined && known.itemsPerDay(poll) === undefined;
  if (group !== undefined && poll.freshness === undefined) return of("schedule");
  return byKnown([isEven && "even", isPage && "pages"]);
}

function basisOfAccounts({ key, freshness, group }: Poll, members: readonly Poll[], { rateOf, countOf, changesOf }: Known): WatchBasis {
  const counted = countOf(key, members.length);
  const isCounted = counted?.reads !== undefined && (freshness === undefined || counted.probes !== undefined);
  if (isCounted && counted.strategy === group?.cost.strategy) return of("counted");
  if (group?.cost.strategy === "single") return of("schedule");
  const isProbed = group?.cost.strategy === "probe";
  return byKnown([
    !members.every((one) => rateOf(userIdOf(one)) !== undefined) && "posts",
    isProbed && changesOf(key) === undefined && "changes",
  ]);
}

const hasKnownLength = (poll: Poll, { isLengthKnown }: Known): boolean => !readsWholeList(poll) || isLengthKnown(poll);
