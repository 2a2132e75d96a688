/**
 * What a search of several accounts takes, and who fits in at no cost: a query reaches as far back
 * as its deepest member needs, for all of them, and every twenty posts that lie above that take a
 * request, known ones too. Pure; how a query is written is merge.ts's.
 */
import { marginMs, type Reach } from "../../detect/feed-poll.ts";
import { pagesOf } from "../../plan/polls/feed-pages.ts";
import { baseRate } from "../../plan/rates/rates.ts";
import { sum } from "../../plan/sum.ts";
import {
  handlesPerQuery,
  type MergeLimits,
  type MergeMember,
  roomOf,
  sizeOfBatch,
} from "../../query/merging/merge.ts";
import type { AccountMemory } from "../probing/probe-states.ts";

const DAY_MS = 86_400_000;

/** An account in a search, with what the answer is expected to hold of it. */
export interface Part {
  readonly member: MergeMember;
  /** How far back its part goes; service time. */
  readonly floorMs: number;
  /** Its posts since then. */
  readonly itemsSince: (floorMs: number) => number;
}

/**
 * `floorMs`: service time. What its counter promises, and what it posts on average, known or not.
 */
export function partOf(
  userId: string,
  account: AccountMemory,
  floorMs: number,
  nowMs: number,
): Part {
  const perDay = baseRate(account.rate, nowMs);
  const owed = Math.max(0, account.probe.open?.owed ?? 0);
  return {
    member: { kind: "from", userId, handle: account.handle },
    floorMs,
    itemsSince: (sinceMs) => owed + (perDay * Math.max(0, nowMs - sinceMs)) / DAY_MS,
  };
}

/** What is read, and through which endpoint. */
interface Reading {
  readonly member: { readonly userId: string };
  readonly endpoint: "search" | "timeline";
  /** Undefined: as deep as its feed's own memory says, which may be anything. */
  readonly reach?: Reach;
}

interface PartsQuery {
  readonly accountOf: (userId: string) => AccountMemory | undefined;
  readonly intervalMs: number;
  readonly nowMs: number;
}

/** Of the searches whose depth is known, the shallow first. */
export const partsOfSearches = (
  readings: readonly Reading[],
  { accountOf, intervalMs, nowMs }: PartsQuery,
): readonly Part[] =>
  readings
    .flatMap(({ endpoint, reach, member: { userId } }) => {
      const account = accountOf(userId);
      if (endpoint !== "search" || reach === undefined || account === undefined) return [];
      return [partOf(userId, account, reach.sinceMs - marginMs(intervalMs), nowMs)];
    })
    .sort((a, b) => b.floorMs - a.floorMs);

export const floorOf = (parts: readonly Part[]): number =>
  Math.min(...parts.map((part) => part.floorMs));

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

/**
 * Members, ordered from the shallow to the deep, in searches that hold the next one as long as they
 * take no page more for it.
 */
export function batchParts<P extends Part>(
  parts: readonly P[],
  limits: MergeLimits,
): readonly (readonly P[])[] {
  const batches: P[][] = [];
  for (const part of parts) {
    const last = batches.at(-1) ?? [];
    const more = [...last, part];
    if (last.length > 0 && isOneQuery(more, limits) && pagesOfBatch(more) <= pagesOfBatch(last))
      last.push(part);
    else batches.push([part]);
  }
  return batches;
}

/** Candidates for each place that is left: some have posted too much to fit in. */
const TRIED_PER_PLACE = 3;

/** How many candidates are worth trying to fill the query of a batch with. */
export const triedFor = (batch: readonly Part[], limits: MergeLimits): number =>
  Math.max(0, handlesPerQuery(limits) - batch.length) * TRIED_PER_PLACE;

/**
 * Those of the candidates, in their order, that fill the query of a batch, and take no page more.
 */
export function fillersOf<P extends Part>(
  batch: readonly Part[],
  candidates: readonly P[],
  limits: MergeLimits,
): readonly P[] {
  const pages = pagesOfBatch(batch);
  const fillers: P[] = [];
  for (const one of candidates) {
    if (batch.length + fillers.length >= roomOf(limits).operators) break;
    const more = [...batch, ...fillers, one];
    if (isOneQuery(more, limits) && pagesOfBatch(more) <= pages) fillers.push(one);
  }
  return fillers;
}
