/**
 * Counts an author's posts and media as the profile shows them. The sum over the days that can no
 * longer change is cached; the last few days, on which posts may still be deleted, are counted
 * anew.
 */
import { DAY_MS } from "../chance/daily.ts";
import { REGRET_MS, type PlannedPost, type PlannedPosts } from "../chance/planned-posts.ts";

export interface Counts {
  readonly posts: number;
  readonly media: number;
}

/** A time after all deletions. */
const LATER = Number.MAX_SAFE_INTEGER;

interface Memory {
  /** The first day that the cached sum does not include. */
  day: number;
  posts: number;
  media: number;
  recent: readonly PlannedPost[];
  /** The last day that `recent` includes. */
  recentTo: number;
}

/**
 * Creates the counters. A tweet counts from its creation on, which is a moment before it becomes
 * visible, until it is deleted. Days before `firstDay` do not count.
 */
export function createPostCounts(
  planned: PlannedPosts,
  firstDay: number,
): (author: number, nowMs: number) => Counts {
  const memories = new Map<number, Memory>();

  function memoryAt(author: number, today: number): Memory {
    const settledTo = Math.max(firstDay, today - Math.ceil(REGRET_MS / DAY_MS));
    let memory = memories.get(author);
    if (memory?.recentTo === today) return memory;
    if (memory === undefined || memory.day > settledTo)
      memory = { day: firstDay, posts: 0, media: 0, recent: [], recentTo: -1 };
    for (; memory.day < settledTo; memory.day += 1)
      add(memory, planned.on(author, memory.day), LATER);
    const recent: PlannedPost[] = [];
    for (let day = settledTo; day <= today; day += 1) recent.push(...planned.on(author, day));
    memory.recent = recent;
    memory.recentTo = today;
    memories.set(author, memory);
    return memory;
  }

  return (author, nowMs) => {
    const today = Math.floor(nowMs / DAY_MS);
    if (today < firstDay) return { posts: 0, media: 0 };
    const { posts, media, recent } = memoryAt(author, today);
    const counts = { posts, media };
    add(counts, recent, nowMs);
    return counts;
  };
}

function add(
  counts: { posts: number; media: number },
  planned: readonly PlannedPost[],
  nowMs: number,
): void {
  for (const { atMs, deletedMs, hasMedia } of planned) {
    if (atMs > nowMs || (deletedMs ?? Number.POSITIVE_INFINITY) <= nowMs) continue;
    counts.posts += 1;
    if (hasMedia) counts.media += 1;
  }
}
