/**
 * Which accounts share a search: a query reaches as far back as its deepest member needs, for all of them, and every twenty posts that lie
 * above that take a request, known ones too. Pure; how a query is written is merge.ts's.
 */
import { pagesOf } from "../../plan/polls/feed-pages.ts";
import { handlesPerQuery, type MergeLimits, type MergeMember, roomOf, sizeOf, sizeOfBatch } from "../../query/merging/merge.ts";
import { type Candidate, chooseProbe } from "../probing/probe-choice.ts";
import { sum } from "../../plan/sum.ts";

/** A member of a search, with what the answer is expected to hold of it. */
export interface Part {
  readonly member: MergeMember;
  /** How far back its part goes; service time. */
  readonly floorMs: number;
  /** Its posts since then. */
  readonly itemsSince: (floorMs: number) => number;
}

/** Requests that a search for all of them is expected to take. */
export const pagesOfBatch = (parts: readonly Part[], floorMs = floorOf(parts)): number =>
  pagesOf(sum(parts, ({ itemsSince }) => itemsSince(floorMs)));

/** Whether one query holds them all. */
function isOneQuery(parts: readonly Part[], limits: MergeLimits): boolean {
  const room = roomOf(limits);
  const { members, characters } = sizeOfBatch(parts.map(({ member }) => member));
  return members <= room.operators && characters <= room.characters;
}

export const floorOf = (parts: readonly Part[]): number => Math.min(...parts.map((part) => part.floorMs));

/** Longer answers are cut by their readers sooner or later, and then nothing of them counts. */
const MOST_PAGES = 8;

/** Splits members, ordered from the shallow to the deep, into searches that take the fewest requests together. One that fits in with nobody is alone. */
export function batchQueries<P extends Part>(parts: readonly P[], limits: MergeLimits): readonly (readonly P[])[] {
  // By how many of the first parts: the fewest requests for them, and where the last of their searches begins.
  const requests = [0];
  const begins = [0];
  for (const [index, deepest] of parts.entries()) {
    let room = roomOf(limits);
    let items = 0;
    let least = Number.POSITIVE_INFINITY;
    let begin = index;
    for (let from = index; from >= 0; from -= 1) {
      const part = parts[from] as P;
      const size = sizeOf(part.member);
      room = { operators: room.operators - size.operators, characters: room.characters - size.characters };
      items += part.itemsSince(deepest.floorMs);
      if (from < index && (room.operators < 0 || room.characters < 0 || pagesOf(items) > MOST_PAGES)) break;
      const all = (requests[from] ?? 0) + pagesOf(items);
      // Of equal ones the longest: its room is no use to anybody else.
      if (all <= least) [least, begin] = [all, from];
    }
    requests.push(least);
    begins.push(begin);
  }
  const batches: (readonly P[])[] = [];
  for (let end = parts.length; end > 0; end = begins[end] ?? 0) batches.unshift(parts.slice(begins[end], end));
  return batches;
}

/** Candidates for each place that is left: some have posted too much to fit in. */
const TRIED_PER_PLACE = 3;

/** Of `candidates`, asked for only where there is room: those next in turn whose parts fill the query of a batch, and take no page more. */
export function piggybackedFor<C extends Candidate>(
  batch: readonly Part[],
  candidates: () => Iterable<C>,
  partOf: (candidate: C) => Part,
  limits: MergeLimits,
): readonly C[] {
  const places = handlesPerQuery(limits) - batch.length;
  if (places <= 0) return [];
  const piggybacked: C[] = [];
  let filled = batch;
  for (const one of chooseProbe(candidates(), Number.POSITIVE_INFINITY, places * TRIED_PER_PLACE)) {
    const more = [...filled, partOf(one)];
    if (!isOneQuery(more, limits) || pagesOfBatch(more) > pagesOfBatch(batch)) continue;
    filled = more;
    piggybacked.push(one);
  }
  return piggybacked;
}

/** As many of these, in their order, as there are places beside a batch, of those that take no page more. */
export function fillersOf<P extends Part>(batch: readonly Part[], candidates: readonly P[], places: number): readonly P[] {
  const pages = pagesOfBatch(batch);
  const fillers: P[] = [];
  for (const one of candidates) {
    if (fillers.length === places) break;
    if (pagesOfBatch([...batch, ...fillers, one]) <= pages) fillers.push(one);
  }
  return fillers;
}
