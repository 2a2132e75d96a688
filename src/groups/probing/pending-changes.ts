/**
 * The memory of a probed account: the fields as last seen, and the change that no read has
 * explained yet. Every change counts, also a decrease of a counter, and so does an account that is
 * missing from the answer. Pure. Other modules decide when and how accounts are read.
 */
import type { JsonObject } from "../../model/json.ts";

/** A change that a probe has seen and no read has explained yet. */
export interface OpenChange {
  /** The time of the last probe before the change. What caused the change is hardly older. */
  readonly sinceMs: number;
  /**
   * The time of the last probe before the counter last changed. More frequent probes would not have
   * found posts from before this time any sooner.
   */
  readonly calmMs?: number;
  /**
   * The number of posts that the counter has shown and no read has found; null for a change that no
   * post can account for.
   */
  readonly owed: number | null;
  /** The number of reads that the change has caused so far. */
  readonly reads: number;
  /** The account is not read again for this change before this time (epoch ms). */
  readonly dueMs: number;
}

export interface ProbeMemory {
  /** The fields as last seen; null if the account was missing. */
  readonly fields: JsonObject | null;
  /**
   * For a missing account: its counter when it was last seen. The next value shows how many posts
   * were made until the account returned.
   */
  readonly lastCounter?: number;
  readonly probedAtMs: number;
  readonly open?: OpenChange;
  /** The time of the last full poll, in epoch ms. A full poll finds what a probe cannot show. */
  readonly fullAtMs: number;
  /**
   * The time of a full poll after `fullAtMs` with a suspiciously empty answer, which lacked even
   * the known posts, in epoch ms.
   */
  readonly blindAtMs?: number;
  /**
   * The number of posts that the counter showed and no read found until the reads ended, for
   * example because the service showed none for hours.
   */
  readonly unfound?: number;
  /**
   * Set if the counters are unreliable: posts were found that they never showed, so probes say
   * nothing about this account.
   */
  readonly isBlind?: true;
  /**
   * How often the counter has changed since it became unreliable, without another post that it did
   * not show.
   */
  readonly moves?: number;
  /**
   * The number of posts found that the counter has not shown yet. It will change for them at the
   * next probe.
   */
  readonly ahead?: number;
  /**
   * The number of reads in a row in which the timeline showed what the search did not, or in which
   * the search was not used any more.
   */
  readonly hidden?: number;
  /**
   * The index of the retry schedule for repeated reads, if the account stands for a list of
   * accounts.
   */
  readonly patience?: number;
  /**
   * How many full polls in a row found what the counter did not show, if the account stands for a
   * list of accounts.
   */
  readonly strikes?: number;
}

/** The counter whose growth shows how many posts are to be found. */
const TWEETS = "tweets_count";
/**
 * After its first read, a change is read again at this many ticks, and then after the waits in
 * `LATER_MS`.
 */
const NEXT_TICKS = 3;
const LATER_MS = [60_000, 300_000, 900_000] as const;
/** How often a change is read if no post accounts for it. */
const READS_OF_A_CHANGE = 1 + NEXT_TICKS + LATER_MS.length;
const REFUSED_FOR_MS = 86_400_000;
/**
 * About one post in fifty is not in the search yet when its account is read. Three times in a row
 * is not a coincidence.
 */
const HIDDEN_AFTER = 3;
/**
 * An unreliable counter is trusted again after this many changes: it may have missed a post only
 * because another was deleted between the same two probes.
 */
const MOVES_TO_SEE = 3;

/**
 * Returns the fields of a profile that this kind of watch uses; null for an account that was
 * missing.
 */
export const probedFields = (
  profile: JsonObject | undefined,
  names: readonly string[],
): JsonObject | null =>
  profile === undefined ? null : Object.fromEntries(names.map((name) => [name, profile[name]]));

/**
 * Returns the memory of an account that was just read, so that the next probe has something to
 * compare with.
 */
export const firstProbe = (fields: JsonObject | null, atMs: number): ProbeMemory => ({
  fields,
  probedAtMs: atMs,
  fullAtMs: atMs,
});

/**
 * Returns the memory of an account that was never probed: everything since its last read is checked
 * once, on its timeline.
 */
export const neverProbed = (fields: JsonObject | null, atMs: number): ProbeMemory => ({
  ...firstProbe(fields, atMs),
  // This counts as the last read of a change, so it is not repeated.
  open: { sinceMs: 0, owed: null, reads: READS_OF_A_CHANGE - 1, dueMs: atMs },
});

/**
 * Applies the answer of a probe. `counter` is the field whose growth shows how many new items there
 * are. A change while another one is pending starts the reads again. Posts that were found before
 * the counter showed them are not expected again, but the change is still read once, because they
 * may have been deleted since and others posted.
 */
export function applyProbe(
  { ahead = 0, lastCounter, ...known }: ProbeMemory,
  fields: JsonObject | null,
  atMs: number,
  counter = TWEETS,
): ProbeMemory {
  // Limit the times, so that a clock that was set back does not delay full polls.
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

/** Returns by how much the counter grew; null if it did not, because something else changed. */
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
 * The search sometimes shows a post this long after it was posted. A post that it shows even later
 * was hidden for another reason.
 */
export const SEARCH_LAG_MS = 300_000;

/** Returns the endpoint of the next read: the search once, then the timeline. */
export const endpointToRead = (memory: ProbeMemory): "search" | "timeline" =>
  isUnexplained(memory) || (isHidden(memory) && !isOnTrial(memory)) ? "timeline" : "search";

const isHidden = ({ hidden = 0 }: ProbeMemory): boolean => hidden >= HIDDEN_AFTER;

/**
 * Whether the search is tried again after showing nothing. It may have shown nothing for an hour,
 * so it is tried after four such reads, eight, sixteen and so on.
 */
const isOnTrial = ({ hidden = 0, open }: ProbeMemory): boolean =>
  open !== undefined && Number.isInteger(Math.log2(hidden));

/**
 * Returns the memory after the timeline of a missing account was refused. There is nothing to read
 * before a probe shows the account again, but it is still tried once a day.
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
   * How many of the new posts were posted before the last probe, so that its counters should have
   * shown them.
   */
  readonly newBeforeProbe: number;
  /** Whether the read went back to the last full poll. */
  readonly isFull: boolean;
  /**
   * Whether not even the newest known post was shown. Then the read says nothing about what exists.
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
  // were added to `ahead`, later posts would not be expected.
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
 * Returns the memory after the first read. Earlier changes are part of the baseline. `uncounted` is
 * the number of posts that were made after the last probe, because the first reads of many accounts
 * take minutes.
 */
export function afterFirstRead(
  { open: _, ...memory }: ProbeMemory,
  uncounted: number,
): ProbeMemory {
  return uncounted === 0 ? memory : { ...memory, ahead: (memory.ahead ?? 0) + uncounted };
}

/** Returns whether the counters are unreliable after a read, as fields of the memory. */
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
 * Returns the pending change after a read; undefined if every post that the counter has shown is
 * found, or the last read was made.
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
 * Returns how many reads in a row the search has missed posts. A timeline that was read because the
 * search showed nothing counts against the search; a search that shows something resets the count.
 */
function hiddenAfter(memory: ProbeMemory, { endpoint, newPosts }: ReadResult): number {
  const { hidden = 0, open } = memory;
  if (newPosts === 0) return hidden;
  if (endpoint === "search") return 0;
  // An account that was never probed before is read from its timeline at once, so no search was
  // made.
  const isSilent = open !== undefined && open.sinceMs > 0 && (open.reads > 0 || isHidden(memory));
  return isSilent ? hidden + 1 : hidden;
}
