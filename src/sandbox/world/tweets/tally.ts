/**
 * How many posts and media an author's counters show: a sum of settled days that is remembered, and
 * the few days that can still change.
 */
import { DAY_MS } from "../chance/daily.ts";
import { REGRET_MS, type Sketch, type Sketches } from "../chance/sketches.ts";

export interface Counts {
  readonly posts: number;
  readonly media: number;
}

/** When everything that is taken back has been. */
const LATER = Number.MAX_SAFE_INTEGER;

interface Memory {
  /** First day that `settled` does not hold. */
  day: number;
  posts: number;
  media: number;
  recent: readonly Sketch[];
  /** Day up to which `recent` reaches, itself included. */
  recentTo: number;
}

/**
 * Counters move when a tweet is created, a moment before anyone can see it, and back when it is
 * deleted. Nothing counts before `firstDay`.
 */
export function createTally(
  sketches: Sketches,
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
      add(memory, sketches.on(author, memory.day), LATER);
    const recent: Sketch[] = [];
    for (let day = settledTo; day <= today; day += 1) recent.push(...sketches.on(author, day));
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
  sketches: readonly Sketch[],
  nowMs: number,
): void {
  for (const { atMs, deletedMs, hasMedia } of sketches) {
    if (atMs > nowMs || (deletedMs ?? Number.POSITIVE_INFINITY) <= nowMs) continue;
    counts.posts += 1;
    if (hasMedia) counts.media += 1;
  }
}
