/** What happened in a ranked list of names: who entered, who left, who moved. Pure. */
import { ownValue } from "../model/own-value.ts";

export interface RankingRule {
  /** The array of the record, e.g. `trends`. */
  readonly list: string;
  /** The field that names an entry, and the name of the entry in the event body. */
  readonly key: string;
  readonly name: string;
  /** Ranks that count; what lies below is not there. */
  readonly top: number;
  /** Event types; those absent raise no event. */
  readonly entered?: string;
  readonly left?: string;
  readonly moved?: string;
  /** Ranks an entry must move by, from the rank of its last event. */
  readonly moveBy: number;
}

/**
 * Ranks as last reported, from 1. An entry that hovers at the edge is reported once per real
 * absence: `gone` counts answers without it.
 */
export interface RankingMemory {
  readonly ranks: Readonly<Record<string, number>>;
  readonly gone?: Readonly<Record<string, number>>;
  /** How many ranks counted. Absent in memories from before it was kept. */
  readonly top?: number;
}

export interface RankingFact {
  readonly event: string;
  readonly key: string;
  /** Null when it left. */
  readonly rank: number | null;
  /** Null when it entered. */
  readonly previousRank: number | null;
}

export interface RankingFinding {
  readonly memory: RankingMemory;
  readonly facts: readonly RankingFact[];
}

/** An entry has left when two answers in a row are without it. */
const ABSENCES_TO_LEAVE = 2;

/**
 * The first list is the baseline, and so is the first of which another number of ranks counts. Keys
 * in the order of the list, each once.
 */
export function detectRanking(
  memory: RankingMemory | undefined,
  keys: readonly string[],
  rule: RankingRule,
): RankingFinding {
  const now = new Map([...new Set(keys)].slice(0, rule.top).map((key, index) => [key, index + 1]));
  const { top } = rule;
  if (memory === undefined || (memory.top ?? top) !== top)
    return { memory: { ranks: Object.fromEntries(now), top }, facts: [] };
  // Without a prototype: names come from strangers.
  const ranks: Record<string, number> = Object.create(null);
  const gone: Record<string, number> = Object.create(null);
  const facts: RankingFact[] = [];
  const emit = (
    event: string | undefined,
    key: string,
    rank: number | null,
    previousRank: number | null,
  ) => {
    if (event !== undefined) facts.push({ event, key, rank, previousRank });
  };
  for (const [key, rank] of now) {
    const before = ownValue(memory.ranks, key);
    const hasMoved = before !== undefined && Math.abs(before - rank) >= rule.moveBy;
    if (before === undefined) emit(rule.entered, key, rank, null);
    else if (hasMoved) emit(rule.moved, key, rank, before);
    ranks[key] = before === undefined || hasMoved ? rank : before;
  }
  for (const [key, before] of Object.entries(memory.ranks)) {
    if (now.has(key)) continue;
    const absences = (ownValue(memory.gone ?? {}, key) ?? 0) + 1;
    if (absences >= ABSENCES_TO_LEAVE) emit(rule.left, key, null, before);
    else {
      ranks[key] = before;
      gone[key] = absences;
    }
  }
  return { memory: { ranks, ...(Object.keys(gone).length === 0 ? {} : { gone }), top }, facts };
}
