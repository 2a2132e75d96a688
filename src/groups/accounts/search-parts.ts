/**
 * Computes how many requests a search for several accounts takes, and which accounts can be added
 * to a search without another request. A query reads all of its accounts as far back as the account
 * that needs to be read furthest. Every twenty posts since then take a request, including posts
 * that are already known. merge.ts writes the queries. Pure.
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

/** An account in a search, and the number of posts that its answer is expected to contain. */
export interface Part {
  readonly member: MergeMember;
  /** How far back the account must be read, in service time. */
  readonly floorMs: number;
  /**
   * Returns how many posts of the account since `floorMs` (service time) the answer is expected to
   * contain.
   */
  readonly itemsSince: (floorMs: number) => number;
}

/**
 * Creates the part of a search for an account. The expected posts are those that the counter has
 * shown and no read has found, plus those that the account posts on average since `floorMs`
 * (service time), known ones included.
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

/** A read of an account, and the endpoint through which it is made. */
interface Reading {
  readonly member: { readonly userId: string };
  readonly endpoint: "search" | "timeline";
  /**
   * How far back the read goes. Undefined to read back to the account's last poll, so that the
   * depth is not known here.
   */
  readonly reach?: Reach | undefined;
}

interface PartsQuery {
  readonly accountOf: (userId: string) => AccountMemory | undefined;
  readonly intervalMs: number;
  readonly nowMs: number;
}

/** Returns the parts of all searches whose depth is known, the least deep first. */
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

/** Returns how many requests a search for all of these accounts is expected to take. */
export function pagesOfBatch(parts: readonly Part[]): number {
  const floorMs = floorOf(parts);
  return pagesOf(sum(parts, ({ itemsSince }) => itemsSince(floorMs)));
}

/** Whether one query can contain all of these accounts. */
function isOneQuery(parts: readonly Part[], limits: MergeLimits): boolean {
  const room = roomOf(limits);
  const { members, characters } = sizeOfBatch(parts.map(({ member }) => member));
  return members <= room.operators && characters <= room.characters;
}

/**
 * Divides accounts, given with the least deep first, into searches. An account joins the search of
 * the account before it if the search then needs no further page. Accounts that are read equally
 * far back, as those that a probe showed to have posted are, also share a search that takes no more
 * pages than two would. In a burst the last page of each is then filled.
 */
export function batchParts<P extends Part>(
  parts: readonly P[],
  limits: MergeLimits,
): readonly (readonly P[])[] {
  const batches: P[][] = [];
  for (const part of parts) {
    const last = batches.at(-1) ?? [];
    const more = [...last, part];
    if (last.length > 0 && isOneQuery(more, limits) && pagesOfBatch(more) <= maxPages(last, part))
      last.push(part);
    else batches.push([part]);
  }
  return batches;
}

/** Returns how many pages a search may take if an account joins it. */
const maxPages = (batch: readonly Part[], part: Part): number =>
  pagesOfBatch(batch) + (part.floorMs === floorOf(batch) ? pagesOfBatch([part]) : 0);

/**
 * The number of candidates that are tried for each free place in a search. Some candidates do not
 * fit because they have posted too much.
 */
const TRIED_PER_PLACE = 3;

/** Returns how many candidates are worth trying to fill a search. */
export const triedFor = (batch: readonly Part[], limits: MergeLimits): number =>
  Math.max(0, handlesPerQuery(limits) - batch.length) * TRIED_PER_PLACE;

/** Returns the candidates that can be added to a search without another page, in their order. */
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
