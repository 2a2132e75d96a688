/** What a demo adds to the quiet natural world: something to see every few seconds, in fixed slots after the start. */

export type Pace = "natural" | "demo";

export interface DemoPost {
  readonly atMs: number;
  readonly slot: number;
  readonly role: "mention" | "timeline" | "community";
}

const POST_EVERY_MS = 2_000;
const FOLLOW_EVERY_MS = 3_000;
const SCORE_EVERY_MS = 3_000;
const ROLES = ["mention", "timeline", "community"] as const;

/** Posts with `fromMs <= atMs < toMs`. */
export function demoPosts(startMs: number, fromMs: number, toMs: number): readonly DemoPost[] {
  const posts: DemoPost[] = [];
  const first = Math.max(1, Math.ceil((fromMs - startMs) / POST_EVERY_MS));
  for (let slot = first; startMs + slot * POST_EVERY_MS < toMs; slot += 1) {
    posts.push({ atMs: startMs + slot * POST_EVERY_MS, slot, role: ROLES[slot % 3] as DemoPost["role"] });
  }
  return posts;
}

/** When acme (and rival, every other time) gained a follower since the start. */
export const demoFollowTimes = (startMs: number, nowMs: number): readonly number[] =>
  Array.from({ length: Math.max(0, Math.floor((nowMs - startMs) / FOLLOW_EVERY_MS)) }, (_, slot) => startMs + (slot + 1) * FOLLOW_EVERY_MS);

/** Each row crosses `week_delta >= 25` or `month_delta <= -60` once and returns below the line that re-arms it. */
const SCORE_STEPS = [
  { week: 9, month: -12 },
  { week: 14, month: -30 },
  { week: 41, month: -38 },
  { week: 47, month: -71 },
  { week: 18, month: -82 },
  { week: 6, month: -40 },
] as const;

/** Score changes of acme and rival in a demo; the two are half a round apart. */
export function demoScore(startMs: number, nowMs: number, account: number): { readonly week: number; readonly month: number } {
  const step = Math.max(0, Math.floor((nowMs - startMs) / SCORE_EVERY_MS));
  return SCORE_STEPS[(step + account * 3) % SCORE_STEPS.length] as (typeof SCORE_STEPS)[number];
}
