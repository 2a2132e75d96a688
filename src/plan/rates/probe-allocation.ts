/**
 * How often accounts are asked for the mean delay that is wanted, where probes ask for a hundred of many, and each account shows different
 * rates over time: what freshness will cost. Pure; whom a probe asks for is probe-choice.ts's.
 */
import { BURST_INTENSITY, BURST_FADE_MS } from "./rates.ts";

const DAY_MS = 86_400_000;
const STEPS = 50;

/** A rate that an account shows for a share of the time; posts a day. */
export interface RateLevel {
  readonly rate: number;
  readonly share: number;
}

/** Bounds of the time since the last post, in times of fading; after that it draws nothing after it any more. */
const SINCE_POST = [0, 0.5, 1, 2, 4] as const;

/**
 * What an account that posts so often on average shows over time, to one who finds its posts after `delayMs`: a lower rate most of the
 * time, higher ones after each post that was found. The average stays what it is.
 */
export function levelsOf(rate: number, delayMs: number): readonly RateLevel[] {
  const drawn = ((BURST_INTENSITY * DAY_MS) / BURST_FADE_MS) * Math.exp(-delayMs / BURST_FADE_MS);
  const perFade = (rate * BURST_FADE_MS) / DAY_MS;
  // Over an exponential time since the last post: what is left of the burst intensity, added up from a moment on.
  const leftFrom = (since: number): number => (perFade / (perFade + 1)) * Math.exp(-(perFade + 1) * since);
  const silentFor = (since: number): number => (since === Number.POSITIVE_INFINITY ? 0 : Math.exp(-perFade * since));
  const calm = Math.max(0, rate - drawn * leftFrom(0));
  return SINCE_POST.map((from, index) => {
    const to = SINCE_POST[index + 1] ?? Number.POSITIVE_INFINITY;
    const share = silentFor(from) - silentFor(to);
    return { rate: share > 0 ? calm + (drawn * (leftFrom(from) - leftFrom(to))) / share : calm, share };
  });
}

/** Sums over the first levels, the busiest first, so that each question costs as much for ten thousand accounts as for a hundred. */
export interface LevelSums {
  /** Posts a millisecond of each level. */
  readonly rates: readonly number[];
  readonly shares: readonly number[];
  readonly roots: readonly number[];
  readonly posts: readonly number[];
  /** Of all. */
  readonly share: number;
  readonly post: number;
}

/** Levels of all accounts: the shares of one account add up to 1. */
export function sumLevels(levels: readonly RateLevel[]): LevelSums {
  const sorted = levels.filter(({ share }) => share > 0).sort((a, b) => b.rate - a.rate);
  const [shares, roots, posts] = [[0], [0], [0]];
  for (const { rate, share } of sorted) {
    const perMs = rate / DAY_MS;
    shares.push(last(shares) + share);
    roots.push(last(roots) + share * Math.sqrt(perMs));
    posts.push(last(posts) + share * perMs);
  }
  return { rates: sorted.map(({ rate }) => rate / DAY_MS), shares, roots, posts, share: last(shares), post: last(posts) };
}

export interface AllocationQuery {
  readonly sums: LevelSums;
  readonly meanMs: number;
  /** Nobody waits longer. */
  readonly maxMs: number;
  /** Accounts that are read with each probe; fewer than there are. */
  readonly batch: number;
}

/**
 * Probes a day. Intervals are proportional to 1/sqrt(rate), which has the least delay for the checks it takes; but nobody is asked for
 * twice by one probe, so that no interval is shorter than that of probes.
 */
export function probesPerDay({ sums, meanMs, maxMs, batch }: AllocationQuery): number {
  const firstBelow = (rate: number): number => placeOf(sums.rates, rate);
  /** By `k`, what intervals are times the root of the rate, and the interval of probes: accounts asked for in that time, and the mean delay. */
  const outcomeOf = (k: number, probeMs: number) => {
    const [busy, calm] = [firstBelow((k / probeMs) ** 2), firstBelow((k / maxMs) ** 2)];
    const roots = at(sums.roots, calm) - at(sums.roots, busy);
    const checked = at(sums.shares, busy) + probeMs * (roots / k + (sums.share - at(sums.shares, calm)) / maxMs);
    const waited = probeMs * at(sums.posts, busy) + k * roots + maxMs * (sums.post - at(sums.posts, calm));
    return { checked, delayMs: waited / (2 * sums.post) };
  };
  const probeMsOf = (k: number): number => bisect(0, maxMs, (probeMs) => outcomeOf(k, probeMs).checked > batch);
  if (sums.post === 0) return (sums.share * DAY_MS) / (batch * maxMs);
  const k = bisect(0, maxMs * Math.sqrt(sums.rates[0] ?? 0), (tried) => outcomeOf(tried, probeMsOf(tried)).delayMs > meanMs);
  return DAY_MS / probeMsOf(k);
}

/** Where `isTooMuch` begins. */
function bisect(from: number, to: number, isTooMuch: (value: number) => boolean): number {
  let [low, high] = [from, to];
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (low + high) / 2;
    if (isTooMuch(middle)) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}

const last = (values: readonly number[]): number => values.at(-1) ?? 0;
const at = (values: readonly number[], index: number): number => values[index] ?? 0;

/** How many of these, descending, are above `limit`. */
function placeOf(descending: readonly number[], limit: number): number {
  let [low, high] = [0, descending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at(descending, middle) > limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
