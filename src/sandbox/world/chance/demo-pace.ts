/** What a demo adds to the quiet natural world: something to see every few seconds, in fixed slots after the start. */
import { DAY_MS } from "./daily.ts";
import { fraction, hash32 } from "./dice.ts";
import { remember } from "./memory.ts";
import type { Sketch } from "./sketches.ts";

export type Pace = "natural" | "demo";

const POST_EVERY_MS = 2_000;
const FOLLOW_EVERY_MS = 3_000;
const SCORE_EVERY_MS = 3_000;
const ROLES = ["mention", "timeline", "community"] as const;

/** Whose posts the example's timeline watch waits for. */
const TIMELINE = [2, 3] as const;
const STARS = 5;
const NONE: readonly Sketch[] = [];

/** The demo's own posts of each account and day. `count` = accounts of the world. */
export function demoPosts(seed: number, startMs: number, count: number): (author: number, day: number) => readonly Sketch[] {
  const salt = hash32(seed, "demo-author");
  const authorOf = (slot: number): number =>
    ROLES[slot % 3] === "timeline"
      ? (TIMELINE[Math.floor(slot / 3) % 2] as number)
      : STARS + Math.floor(fraction(salt, slot) * Math.max(1, count - STARS));
  const days = remember(2, (day: number) => {
    const byAuthor = new Map<number, Sketch[]>();
    for (let slot = Math.max(1, Math.ceil((day * DAY_MS - startMs) / POST_EVERY_MS)); ; slot += 1) {
      const atMs = startMs + slot * POST_EVERY_MS;
      if (atMs >= (day + 1) * DAY_MS) return byAuthor;
      const author = authorOf(slot) % count;
      const posts = byAuthor.get(author) ?? [];
      posts.push({ atMs, kind: "post", hasMedia: false, role: ROLES[slot % 3] as (typeof ROLES)[number] });
      byAuthor.set(author, posts);
    }
  });
  return (author, day) => days(day).get(author) ?? NONE;
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
