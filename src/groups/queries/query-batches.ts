/**
 * What a search takes, and who fits in at no cost: a query reaches as far back as its deepest member needs, for all of them, and every twenty
 * posts that lie above that take a request, known ones too. Pure; how a query is written is merge.ts's.
 */
import { pagesOf } from "../../plan/polls/feed-pages.ts";
import { handlesPerQuery, type MergeLimits, type MergeMember, roomOf, sizeOfBatch } from "../../query/merging/merge.ts";
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
export function pagesOfBatch(parts: readonly Part[]): number {
  const floorMs = floorOf(parts);
  return pagesOf(sum(parts, ({ itemsSince }) => itemsSince(floorMs)));
}

/** Whether one query holds them all. */
function isOneQuery(parts: readonly Part[], limits: MergeLimits): boolean {
  const room = roomOf(limits);
  const { members, characters } = sizeOfBatch(parts.map(({ member }) => member));
  return members <= room.operators && characters <= room.characters;
}

export const floorOf = (parts: readonly Part[]): number => Math.min(...parts.map((part) => part.floorMs));

/** Members, ordered from the shallow to the deep, in searches that hold the next one as long as they take no page more for it. */
export function batchParts<P extends Part>(parts: readonly P[], limits: MergeLimits): readonly (readonly P[])[] {
  const batches: P[][] = [];
  for (const part of parts) {
    const last = batches.at(-1) ?? [];
    const more = [...last, part];
    if (last.length > 0 && isOneQuery(more, limits) && pagesOfBatch(more) <= pagesOfBatch(last)) last.push(part);
    else batches.push([part]);
  }
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
