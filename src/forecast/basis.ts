/**
 * What a forecast rests on: schedules alone, requests that were counted, rates that were learned, or what is usual. Owns which of them holds
 * for a watch and what it assumes where something is not known yet; the arithmetic itself is cost.ts's. Pure.
 */
import { BASES, type Basis, type Assumption, type WatchBasis, type Known } from "../plan/rates/basis.ts";
import { groupKindOf } from "../groups/registry.ts";
import type { Watch } from "../model/watch.ts";
import type { Poll } from "../plan/poll.ts";

/** By watch id. */
export function basisByWatch(polls: readonly Poll[], known: Known): ReadonlyMap<string, WatchBasis> {
  const parts = new Map<string, { readonly bases: Set<Basis>; readonly assumptions: Set<Assumption> }>();
  for (const poll of polls) {
    const { basis, assumptions } = groupKindOf(poll).basisOf(poll, known);
    for (const watch of new Set(poll.subscribers.map((subscriber) => subscriber.watch))) {
      const part = parts.get(watch.id) ?? { bases: new Set(), assumptions: new Set() };
      parts.set(watch.id, part);
      part.bases.add(basis);
      for (const one of assumptions) part.assumptions.add(one);
      const rechecks = recheckBasis(watch, known);
      if (rechecks !== undefined) part.bases.add(rechecks);
      if (rechecks === "assumed") part.assumptions.add("rechecks");
    }
  }
  return new Map(
    [...parts].map(([id, { bases, assumptions }]) => [
      id,
      { basis: BASES.findLast((one) => bases.has(one)) ?? "schedule", assumptions: [...assumptions] },
    ]),
  );
}

const recheckBasis = ({ id, recheck }: Watch, { freshOf }: Known): Basis | undefined =>
  recheck === undefined ? undefined : freshOf(id) === undefined ? "assumed" : "learned";
