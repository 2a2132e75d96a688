/** Finds what changed in a ranked list of names: which entries are new, gone or moved. Pure. */
import { ownValue } from "../model/own-value.ts";

export interface RankingRule {
  /** The field of the record that holds the ranked array, e.g. `trends`. */
  readonly list: string;
  /** The field that identifies an entry of the list. */
  readonly key: string;
  /** The name under which an event's body has the key of the entry. */
  readonly name: string;
  /** The number of ranks that count. Entries below are treated as absent. */
  readonly top: number;
  /** Event types. No event is raised for those that are absent. */
  readonly entered?: string;
  readonly left?: string;
  readonly moved?: string;
  /** The number of ranks by which an entry must move from the rank of its last event. */
  readonly moveBy: number;
}

/**
 * What is remembered of a ranked list. `ranks` holds the last reported rank of each entry, counted
 * from 1. `gone` counts the answers in a row without an entry, because an entry near the last rank
 * may be missing from a single answer without having left.
 */
export interface RankingMemory {
  readonly ranks: Readonly<Record<string, number>>;
  readonly gone?: Readonly<Record<string, number>>;
  /**
   * The `top` of the rule when the ranks were stored. Absent in memories of older releases, which
   * did not store it.
   */
  readonly top?: number;
}

export interface RankingFact {
  readonly event: string;
  readonly key: string;
  /** The rank; null if the entry has left. */
  readonly rank: number | null;
  /** The rank before; null if the entry is new. */
  readonly previousRank: number | null;
}

export interface RankingFinding {
  readonly memory: RankingMemory;
  readonly facts: readonly RankingFact[];
}

/** An entry has left after this many answers in a row without it. */
const ABSENCES_TO_LEAVE = 2;

/**
 * Compares a list with the memory. The first list is the baseline, and so is the first one after
 * `top` has changed. `keys` are in the order of the list; a repeated key counts once.
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
  // The objects have no prototype, because a key may be any text, even `__proto__`.
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
