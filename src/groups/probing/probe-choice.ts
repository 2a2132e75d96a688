/**
 * Which accounts a probe asks for, and when it is worth its request. Pure. A check costs the same
 * for every account, so that the delay over all posts is least when an account's interval is
 * proportional to sqrt(cost / rate): rate x age² is then the same for all when they are asked,
 * which is the rule here, and it follows rates as they move.
 */
import { BATCH_SIZE } from "../../model/batch.ts";
import { pagesBeyondFirst } from "../../plan/polls/feed-pages.ts";
import { sum } from "../../plan/sum.ts";

const DAY_MS = 86_400_000;

export interface Candidate {
  readonly id: string;
  /** Posts a day expected now. */
  readonly rate: number;
  /** Since it was last checked. */
  readonly ageMs: number;
}

/**
 * The accounts to ask for now, at most `size`: those that waited for `maxMs` first, then by rate x
 * age².
 */
export function chooseProbe<C extends Candidate>(
  candidates: Iterable<C>,
  maxMs: number,
  size = BATCH_SIZE,
): readonly C[] {
  const best: { readonly one: C; readonly score: number }[] = [];
  for (const one of candidates) {
    const { rate, ageMs } = one;
    const score = ageMs >= maxMs ? Number.MAX_SAFE_INTEGER + ageMs : rate * ageMs * ageMs;
    const last = best[size - 1];
    if (last !== undefined && last.score >= score) continue;
    best.splice(placeOf(best, score), 0, { one, score });
    if (best.length > size) best.pop();
  }
  return best.map(({ one }) => one);
}

/** Behind everything that scores as much. */
function placeOf(best: readonly { readonly score: number }[], score: number): number {
  let [low, high] = [0, best.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((best[middle]?.score ?? 0) >= score) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Posts come in clusters: this share of them makes a probe find something. */
const APART = 0.88;

/**
 * Of what a search holds beside each new post: known ones of accounts that share it and need not
 * reach so far back.
 */
const KNOWN_BESIDE = 0.5;

/**
 * What a probe costs in which so many posts are expected: itself, and a search where it finds
 * something.
 */
const requestsOf = (posts: number): number =>
  2 - Math.exp(-APART * posts) + pagesBeyondFirst(posts * (1 + KNOWN_BESIDE));

/**
 * What is expected behind accounts that are asked for: how many posts, and how long they have
 * waited together.
 */
export interface Awaited {
  readonly posts: number;
  /** Posts x ms. */
  readonly waitedMs: number;
}

export function awaitedOf(chosen: readonly Candidate[]): Awaited {
  let [posts, waitedMs] = [0, 0];
  for (const { rate, ageMs } of chosen) {
    posts += (rate / DAY_MS) * ageMs;
    waitedMs += ((rate / DAY_MS) * ageMs * ageMs) / 2;
  }
  return { posts, waitedMs };
}

/**
 * Posts x ms that a probe of these accounts would put an end to, by expectation, for each request
 * it takes.
 */
export function worthOf(chosen: readonly Candidate[]): number {
  const { posts, waitedMs } = awaitedOf(chosen);
  return waitedMs / requestsOf(posts);
}

/** The longer the wait, the surer the search: so often the wait is worked out again. */
const ROUNDS = 6;

/**
 * Until a probe of these accounts is worth `worth` posts x ms a request, or the first of them has
 * waited for `maxMs`.
 */
export function waitBeforeProbe(
  chosen: readonly Candidate[],
  worth: number,
  maxMs: number,
): number {
  if (worthOf(chosen) >= worth) return 0;
  const perMs = sum(chosen, ({ rate }) => rate / DAY_MS);
  const { posts, waitedMs } = awaitedOf(chosen);
  const untilMax = Math.max(0, maxMs - Math.max(0, ...chosen.map(({ ageMs }) => ageMs)));
  if (perMs <= 0) return untilMax;
  let waitMs = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const missing = worth * requestsOf(posts + perMs * waitMs) - waitedMs;
    // perMs / 2 x² + posts x = missing
    waitMs = Math.max(
      0,
      (Math.sqrt(Math.max(0, posts * posts + 2 * perMs * missing)) - posts) / perMs,
    );
  }
  return Math.min(waitMs, untilMax);
}
