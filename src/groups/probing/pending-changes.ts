/**
 * The memory of a probed account: the fields of its profile as last seen, and the change that no
 * read has explained yet. Every change counts, also a counter that fell and an account that is
 * missing from the answer. Other modules decide when and how accounts are read. Pure.
 */
import type { JsonObject } from "../../model/json.ts";

/** A change that a probe has seen and no read has explained yet. */
export interface OpenChange {
  /**
   * The time of the last probe before the change. The post that caused the change is hardly older.
   */
  readonly sinceMs: number;
  /**
   * The time of the last probe before the counter last changed. Probes that are more frequent would
   * not have found posts from before this time any sooner.
   */
  readonly calmMs?: number;
  /**
   * The number of posts that the counter has shown and no read has found yet; null if the change
   * was not a growth of the counter, so that it says nothing about posts.
   */
  readonly owed: number | null;
  /** The number of reads that were made because of this change. */
  readonly reads: number;
  /** When the account is read again because of this change, at the earliest (epoch ms). */
  readonly dueMs: number;
}

export interface ProbeMemory {
  /** The fields as last seen; null if the account was missing from the last answer. */
  readonly fields: JsonObject | null;
  /**
   * For a missing account, its counter when it was last seen. When the account returns, the growth
   * of the counter shows how many posts were made meanwhile.
   */
  readonly lastCounter?: number;
  readonly probedAtMs: number;
  readonly open?: OpenChange;
  /**
   * The time of the last full poll (epoch ms). A full poll finds posts that a probe cannot show.
   */
  readonly fullAtMs: number;
  /**
   * The time (epoch ms) of a later full poll whose answer was suspiciously empty, because it lacked
   * even the known posts; absent if there was none since `fullAtMs`.
   */
  readonly blindAtMs?: number;
  /**
   * The number of posts that the counter has shown and that no read had found when the retry
   * schedule ended, for example because the service showed none for hours.
   */
  readonly unfound?: number;
  /**
   * Set if the counters are unreliable: reads have found posts that the counter never showed, so
   * probes say nothing about this account.
   */
  readonly isBlind?: true;
  /**
   * How often the counter has changed since it became unreliable, while no further post was missing
   * from it.
   */
  readonly moves?: number;
  /**
   * The number of posts that were found before the counter showed them. The next probe is expected
   * to show them.
   */
  readonly ahead?: number;
  /**
   * The number of reads in a row for which the timeline showed posts that the search did not, or
   * for which the search was not used any more.
   */
  readonly hidden?: number;
  /** For the probe of a list: the index of the retry schedule in `list-reads.ts`. */
  readonly patience?: number;
  /**
   * For the probe of a list: the number of full polls in a row that found something that the
   * counter did not show.
   */
  readonly strikes?: number;
}

/** The counter whose growth shows how many new posts there are. */
const TWEETS = "tweets_count";
/**
 * After its first read, a change is read again at the next ticks, this many times, and then after
 * each of the waits in `LATER_MS`.
 */
const NEXT_TICKS = 3;
const LATER_MS = [60_000, 300_000, 900_000] as const;
/** The number of reads of a change that no post explains. */
const READS_OF_A_CHANGE = 1 + NEXT_TICKS + LATER_MS.length;
const REFUSED_FOR_MS = 86_400_000;
/**
 * The number of reads in a row after which the search counts as hiding the account's posts. About
 * one post in fifty is not in the search yet when its account is read; three times in a row is not
 * a coincidence.
 */
const HIDDEN_AFTER = 3;
/**
 * The number of changes after which an unreliable counter is trusted again. It may have seemed to
 * miss a post only because another post was deleted between the same two probes.
 */
const MOVES_TO_SEE = 3;

/**
 * Returns the fields of a profile that this type of watch probes; null if the account is missing.
 */
export const probedFields = (
  profile: JsonObject | undefined,
  names: readonly string[],
): JsonObject | null =>
  profile === undefined ? null : Object.fromEntries(names.map((name) => [name, profile[name]]));

/**
 * Returns the memory of an account at its first probe, if the account was read just before. There
 * is nothing to read until the next probe shows a change.
 */
export const firstProbe = (fields: JsonObject | null, atMs: number): ProbeMemory => ({
  fields,
  probedAtMs: atMs,
  fullAtMs: atMs,
});

/**
 * Returns the memory of an account that was never probed before. Its timeline is then read once, to
 * find everything since its last read.
 */
export const neverProbed = (fields: JsonObject | null, atMs: number): ProbeMemory => ({
  ...firstProbe(fields, atMs),
  // Only one read of this change remains, so the account is read once and not repeatedly.
  open: { sinceMs: 0, owed: null, reads: READS_OF_A_CHANGE - 1, dueMs: atMs },
});

/**
 * Updates the memory with the answer of a probe. `counter` is the field whose growth shows how many
 * new items there are. If another change is pending, the two become one, and its reads begin anew.
 * Posts that were found before the counter showed them are not expected again. The change is read
 * once all the same, because such posts may have been deleted and others posted.
 */
export function applyProbe(
  { ahead = 0, lastCounter, ...known }: ProbeMemory,
  fields: JsonObject | null,
  atMs: number,
  counter = TWEETS,
): ProbeMemory {
  // Limit the times to now, so that a clock that was set back does not delay full polls.
  const { blindAtMs } = known;
  const tried = blindAtMs === undefined ? {} : { blindAtMs: Math.min(blindAtMs, atMs) };
  const from = numberIn(known.fields, counter) ?? lastCounter;
  const missing = fields === null && from !== undefined ? { lastCounter: from } : {};
  const memory = { ...known, ...tried, ...missing, fullAtMs: Math.min(known.fullAtMs, atMs) };
  // Both objects have their fields in the same order, so equal fields have equal JSON.
  if (JSON.stringify(fields) === JSON.stringify(memory.fields))
    return { ...memory, probedAtMs: atMs };
  const before = memory.open;
  const grown = growthOf(from, numberIn(fields, counter));
  const promised = grown === null ? null : grown - ahead;
  const pendingBefore = before?.owed ?? null;
  const owed = promised === null ? pendingBefore : promised + Math.max(pendingBefore ?? 0, 0);
  const open = {
    sinceMs: before?.sinceMs ?? memory.probedAtMs,
    calmMs: memory.probedAtMs,
    owed,
    reads: 0,
    dueMs: atMs,
  };
  return { ...memory, fields, probedAtMs: atMs, open };
}

/** Returns by how much the counter grew; null if it did not grow. */
const growthOf = (from: number | undefined, to: number | undefined): number | null =>
  from !== undefined && to !== undefined && to > from ? to - from : null;

function numberIn(fields: JsonObject | null, name: string): number | undefined {
  const value = fields?.[name];
  return typeof value === "number" ? value : undefined;
}

export const isDue = ({ open }: ProbeMemory, nowMs: number): boolean =>
  open !== undefined && open.dueMs <= nowMs;

/** Whether posts that the counter has shown are still missing after at least one read. */
export const isUnexplained = ({ open }: ProbeMemory): boolean =>
  open !== undefined && open.reads > 0 && (open.owed ?? 0) > 0;

/**
 * The search sometimes shows a post this long after it was posted. A post that appears even later
 * was missing for another reason.
 */
export const SEARCH_LAG_MS = 300_000;

/**
 * Returns the endpoint of the next read. A change is read from the search once, and from the
 * timeline after that.
 */
export const endpointToRead = (memory: ProbeMemory): "search" | "timeline" =>
  isUnexplained(memory) || (isHidden(memory) && !isOnTrial(memory)) ? "timeline" : "search";

const isHidden = ({ hidden = 0 }: ProbeMemory): boolean => hidden >= HIDDEN_AFTER;

/**
 * Whether the search is tried again although it has hidden posts. It may only have done so for an
 * hour, so it is tried after four such reads, after eight, sixteen and so on.
 */
const isOnTrial = ({ hidden = 0, open }: ProbeMemory): boolean =>
  open !== undefined && Number.isInteger(Math.log2(hidden));

/**
 * Returns the memory after the service refused to show the timeline of a missing account. The
 * account is read again when a probe shows it, and otherwise once a day.
 */
export const afterRefusal = (memory: ProbeMemory, atMs: number): ProbeMemory =>
  memory.fields !== null || memory.open === undefined
    ? memory
    : { ...memory, fullAtMs: atMs, open: { ...memory.open, dueMs: atMs + REFUSED_FOR_MS } };

/** What a read found that was not known before. */
export interface ReadResult {
  readonly endpoint: "search" | "timeline";
  readonly newPosts: number;
  /**
   * How many of the new posts were posted before the last probe, so that the counter should have
   * shown them.
   */
  readonly newBeforeProbe: number;
  /** Whether the read went back to the last full poll. */
  readonly isFull: boolean;
  /**
   * Whether the answer lacked even the newest known post. Such a read does not show which posts
   * exist.
   */
  readonly isSuspicious?: boolean;
}

/** Returns the memory after a completed read. */
export function afterRead(memory: ProbeMemory, result: ReadResult, atMs: number): ProbeMemory {
  const {
    open,
    hidden: _,
    isBlind: __,
    moves: ___,
    blindAtMs,
    unfound = 0,
    ahead = 0,
    ...rest
  } = memory;
  const isRead = result.isFull && result.isSuspicious !== true;
  const hidden = hiddenAfter(memory, result);
  // The first probe of an account already counted the posts that the following read finds. If they
  // were added to `ahead`, the next posts would not be expected.
  const isFirst = open?.sinceMs === 0;
  const surplus = isFirst
    ? ahead
    : ahead + Math.max(0, result.newPosts - Math.max(open?.owed ?? 0, 0) - unfound);
  const sight = sightAfter(memory, result);
  const next = open === undefined ? undefined : openAfter(open, result, atMs);
  const givenUp =
    open === undefined || next !== undefined ? 0 : Math.max(0, (open.owed ?? 0) - result.newPosts);
  // Posts that a full poll does not show will not appear any more.
  const missing = (isRead ? 0 : Math.max(0, unfound - result.newBeforeProbe)) + givenUp;
  const triedAtMs = result.isFull ? atMs : blindAtMs;
  const kept: ProbeMemory = {
    ...rest,
    fullAtMs: isRead ? atMs : memory.fullAtMs,
    ...(isRead || triedAtMs === undefined ? {} : { blindAtMs: triedAtMs }),
    ...(missing === 0 ? {} : { unfound: missing }),
    ...(hidden === 0 ? {} : { hidden }),
    ...(surplus === 0 ? {} : { ahead: surplus }),
    ...sight,
  };
  return next === undefined ? kept : { ...kept, open: next };
}

/**
 * Returns the memory after the first read of an account, which explains all changes before it.
 * `uncounted` is the number of posts made after the last probe. There may be some, because the
 * first reads of many accounts take minutes.
 */
export function afterFirstRead(
  { open: _, ...memory }: ProbeMemory,
  uncounted: number,
): ProbeMemory {
  return uncounted === 0 ? memory : { ...memory, ahead: (memory.ahead ?? 0) + uncounted };
}

/** Returns, as fields of the memory, whether the counters are unreliable after this read. */
function sightAfter(
  { open, isBlind, moves = 0, unfound = 0 }: ProbeMemory,
  { newBeforeProbe }: ReadResult,
): Pick<ProbeMemory, "isBlind" | "moves"> {
  if (open === undefined && newBeforeProbe > unfound) return { isBlind: true };
  if (isBlind !== true) return {};
  const isMove = open !== undefined && open.owed !== null && open.reads === 0;
  const all = isMove ? moves + 1 : moves;
  if (all >= MOVES_TO_SEE) return {};
  return { isBlind: true, ...(all === 0 ? {} : { moves: all }) };
}

/**
 * Returns the pending change after a read. Undefined if every post that the counter has shown is
 * found, or if this was the last read of the change.
 */
function openAfter(
  open: OpenChange,
  { newPosts }: ReadResult,
  atMs: number,
): OpenChange | undefined {
  const reads = open.reads + 1;
  const owed = open.owed === null ? null : open.owed - newPosts;
  if (owed !== null && owed <= 0) return undefined;
  if (reads <= NEXT_TICKS) return { ...open, owed, reads, dueMs: atMs };
  const laterMs = LATER_MS[reads - NEXT_TICKS - 1];
  return laterMs === undefined ? undefined : { ...open, owed, reads, dueMs: atMs + laterMs };
}

/**
 * Returns for how many reads in a row the search has hidden posts. A timeline that shows posts
 * after the search showed none adds one; a search that shows a post resets the number.
 */
function hiddenAfter(memory: ProbeMemory, { endpoint, newPosts }: ReadResult): number {
  const { hidden = 0, open } = memory;
  if (newPosts === 0) return hidden;
  if (endpoint === "search") return 0;
  // The first read of an account that was never probed uses the timeline directly, so it says
  // nothing about the search.
  const isSilent = open !== undefined && open.sinceMs > 0 && (open.reads > 0 || isHidden(memory));
  return isSilent ? hidden + 1 : hidden;
}
