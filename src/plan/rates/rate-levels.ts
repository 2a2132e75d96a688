/** Which rates an account shows over time, and for how long each. Pure. */
import { BURST_INTENSITY, BURST_FADE_MS } from "./rates.ts";

const DAY_MS = 86_400_000;

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
