/** Assigns work to replicas: evenly by cost, with as few changes as possible. Pure. */
import type { WorkClaim, Work } from "../model/replicas.ts";

/** A replica hands work over if its load is more than this multiple of an even load. */
const UNEVEN = 1.05;

export interface SharedOut {
  /** Claims that are new, or whose current or next replica has changed. */
  readonly changed: readonly WorkClaim[];
  readonly removed: readonly WorkClaim[];
}

/**
 * Assigns all work of one kind. `claims` are the claims of that kind. `replicas` are the replicas
 * that get a share, at least one.
 */
export function shareOut(
  work: readonly Work[],
  claims: readonly WorkClaim[],
  replicas: readonly string[],
): SharedOut {
  const known = new Map(claims.map((claim) => [claim.key, claim]));
  const loads = new Map(replicas.map((id) => [id, 0]));
  const kept = keepEven(work, known, loads);
  const free = work
    .filter(({ key }) => !kept.has(key))
    .sort((a, b) => b.cost - a.cost || (a.key < b.key ? -1 : 1));
  const wanted = new Map(kept);
  for (const one of free) {
    const [least] = [...loads].reduce((a, b) => (b[1] < a[1] ? b : a));
    loads.set(least, (loads.get(least) ?? 0) + one.cost);
    wanted.set(one.key, least);
  }
  const changed = work.flatMap((one): readonly WorkClaim[] => {
    const before = known.get(one.key);
    const next = wanted.get(one.key) ?? "";
    const replica = before?.replica ?? next;
    return before !== undefined && before.wanted === next && before.replica === replica
      ? []
      : [{ ...one, replica, wanted: next }];
  });
  const keys = new Set(work.map(({ key }) => key));
  return { changed, removed: claims.filter(({ key }) => !keys.has(key)) };
}

/**
 * Returns the work that stays at its replica, by key, and sets `loads` to the cost that each
 * replica keeps. A replica with too much hands over its largest pieces first, except those that
 * would leave it with less than an even load.
 */
function keepEven(
  work: readonly Work[],
  known: ReadonlyMap<string, WorkClaim>,
  loads: Map<string, number>,
): ReadonlyMap<string, string> {
  const kept = new Map<string, string>();
  const held = new Map<string, Work[]>([...loads.keys()].map((id) => [id, []]));
  for (const one of work) {
    const holder = known.get(one.key)?.wanted ?? "";
    held.get(holder)?.push(one);
  }
  const even = work.reduce((sum, { cost }) => sum + cost, 0) / loads.size;
  for (const [id, own] of held) {
    let load = own.reduce((sum, { cost }) => sum + cost, 0);
    const largestFirst = own.toSorted((a, b) => b.cost - a.cost || (a.key < b.key ? -1 : 1));
    for (const one of largestFirst) {
      if (load > even * UNEVEN && one.cost <= load - even) load -= one.cost;
      else kept.set(one.key, id);
    }
    loads.set(id, load);
  }
  return kept;
}
