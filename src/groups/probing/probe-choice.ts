/**
 * Decides which accounts a probe requests, and when it is worth its request. Pure. Every check
 * costs the same, so the delay over all posts is smallest if an account's interval is proportional
 * to sqrt(cost / rate): then rate x age² is the same for all accounts when they are requested. That
 * is the rule here, and it follows rates as they change.
 */
import { BATCH_SIZE } from "../../model/batch.ts";
import { pagesBeyondFirst } from "../../plan/polls/feed-pages.ts";
import { sum } from "../../plan/sum.ts";

const DAY_MS = 86_400_000;

export interface Candidate {
  readonly id: string;
  /** The number of posts per day expected now. */
  readonly rate: number;
  /** The time since the account was last checked, in ms. */
  readonly ageMs: number;
}

/**
 * Returns the accounts to request now, at most `size`: first those that have waited for `maxMs`,
 * then by rate x age².
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

/** Returns the index after everything with the same score or a higher one. */
function placeOf(best: readonly { readonly score: number }[], score: number): number {
  let [low, high] = [0, best.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((best[middle]?.score ?? 0) >= score) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The weight of a post in the computed chance that a probe finds something. It is below 1, because
 * posts come in clusters, and a probe finds a whole cluster.
 */
const APART = 0.88;

/**
 * The number of known posts that a search returns for each new one, from accounts that share the
 * search and need not be read that far back.
 */
const KNOWN_BESIDE = 0.5;

/**
 * Returns how many requests a probe is expected to take if `posts` posts are expected: one for the
 * probe, and those of a search if the probe finds a change.
 */
const requestsOf = (posts: number): number =>
  2 - Math.exp(-APART * posts) + pagesBeyondFirst(posts * (1 + KNOWN_BESIDE));

/**
 * The posts expected for the requested accounts, and the sum of the times that they have waited.
 */
export interface Awaited {
  readonly posts: number;
  /** The unit is posts x ms. */
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
 * Returns the expected waiting, in posts x ms, that a probe of these accounts would end for each
 * request that it takes.
 */
export function worthOf(chosen: readonly Candidate[]): number {
  const { posts, waitedMs } = awaitedOf(chosen);
  return waitedMs / requestsOf(posts);
}

/**
 * The cost of a probe grows with the wait before it, because a search becomes more likely. So the
 * wait is computed this many times, each time with the cost after the wait computed before.
 */
const ROUNDS = 6;

/**
 * Returns the milliseconds until a probe of these accounts is worth `worth` posts x ms per request,
 * or until the first of them has waited for `maxMs`.
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
    // The wait is the x for which perMs / 2 * x² + posts * x = missing.
    waitMs = Math.max(
      0,
      (Math.sqrt(Math.max(0, posts * posts + 2 * perMs * missing)) - posts) / perMs,
    );
  }
  return Math.min(waitMs, untilMax);
}
