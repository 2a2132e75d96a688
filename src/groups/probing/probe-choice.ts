/**
 * Decides which accounts a probe requests, and when the probe is worth its request. Every check of
 * an account costs the same. The mean delay over all posts is then smallest if the time between two
 * checks of an account is proportional to 1 / sqrt(rate), which means that rate x age² is the same
 * for all accounts at the moment they are requested. The accounts with the highest rate x age² are
 * therefore requested first. Pure.
 */
import { BATCH_SIZE } from "../../model/batch.ts";
import { pagesBeyondFirst } from "../../plan/polls/feed-pages.ts";
import { sum } from "../../plan/sum.ts";

const DAY_MS = 86_400_000;

export interface Candidate {
  readonly id: string;
  /** The number of posts per day that is expected at present. */
  readonly rate: number;
  /** The time since the account was last checked, in ms. */
  readonly ageMs: number;
}

/**
 * Returns at most `size` accounts to request now: first those that have waited for `maxMs`, then
 * those with the highest rate x age².
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

/** Returns the index behind all entries with the same score or a higher one. */
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
 * The weight of an expected post in the chance that a probe finds something. It is below 1 because
 * posts come in clusters and a probe finds a whole cluster at once.
 */
const APART = 0.88;

/**
 * The number of known posts that a search returns for each new one. They are from accounts that
 * share the search although they need not be read that far back.
 */
const KNOWN_BESIDE = 0.5;

/**
 * Returns how many requests a probe is expected to take if it is expected to find this many posts:
 * one for the probe, and those of the search that follows if the probe shows a change.
 */
const requestsOf = (posts: number): number =>
  2 - Math.exp(-APART * posts) + pagesBeyondFirst(posts * (1 + KNOWN_BESIDE));

/**
 * The number of posts that are expected from the requested accounts, and the sum of the times that
 * these posts have waited.
 */
export interface Awaited {
  readonly posts: number;
  /** The sum of the waiting times, in posts x ms. */
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
 * Returns the worth of a probe of these accounts: the waiting time that it is expected to end, in
 * posts x ms, divided by the requests that it is expected to take.
 */
export function worthOf(chosen: readonly Candidate[]): number {
  const { posts, waitedMs } = awaitedOf(chosen);
  return waitedMs / requestsOf(posts);
}

/**
 * The number of iterations with which the wait before a probe is computed. The cost of a probe
 * grows with the wait, because a search after it becomes more likely, so each iteration uses the
 * cost at the wait of the one before.
 */
const ROUNDS = 6;

/**
 * Returns how many ms to wait until a probe of these accounts has the worth `worth`, in posts x ms
 * per request, or until the first of them has waited for `maxMs`.
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
    // Solve perMs / 2 * x² + posts * x = missing for the wait x.
    waitMs = Math.max(
      0,
      (Math.sqrt(Math.max(0, posts * posts + 2 * perMs * missing)) - posts) / perMs,
    );
  }
  return Math.min(waitMs, untilMax);
}
