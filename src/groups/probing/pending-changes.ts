/**
 * What a probe knows of an account: the fields as last seen, and the change that no read has
 * accounted for yet. Any change counts, also downwards, and so does an account that is missing from
 * the answer. Pure; when and how accounts are read is others'.
 */
import type { JsonObject } from "../../model/json.ts";

/** A change that was seen and is not yet accounted for. */
export interface OpenChange {
  /** The last probe before it: what it stands for is hardly older. */
  readonly sinceMs: number;
  /**
   * The last probe before it moved last: what is older could not be found sooner by more probes.
   */
  readonly calmMs?: number;
  /**
   * Posts that the counter promises and nobody has found; null: a change that no post can account
   * for.
   */
  readonly owed: number | null;
  /** Reads so far. */
  readonly reads: number;
  /** Not read again before. */
  readonly dueMs: number;
}

export interface ProbeMemory {
  /** As last seen; null: the account was missing. */
  readonly fields: JsonObject | null;
  /**
   * Of an account that is missing: its counter when it was seen last. What it posted until it is
   * back is owed.
   */
  readonly lastCounter?: number;
  readonly probedAtMs: number;
  readonly open?: OpenChange;
  /** The last full poll, which finds what a probe cannot show. */
  readonly fullAtMs: number;
  /** A later one that was shown nothing, not even what was known. */
  readonly blindAtMs?: number;
  /**
   * Posts that the counter promised and no read found, as when the service showed none for hours.
   */
  readonly unfound?: number;
  /**
   * Unreliable counters: posts were found that they never showed, so that probes say nothing about
   * this account.
   */
  readonly isBlind?: true;
  /** Since then, moves of the counter without another such post in between. */
  readonly moves?: number;
  /** Posts found that the counter has not shown yet: it will move for them at the next probe. */
  readonly ahead?: number;
  /**
   * Reads in a row in which the timeline had what the search did not show, or was not asked for any
   * more.
   */
  readonly hidden?: number;
  /**
   * Of a list of accounts: how far its later reads are cut down, and full polls in a row that found
   * what the counter never showed.
   */
  readonly patience?: number;
  readonly strikes?: number;
}

/** The counter whose growth says how many posts are missing. */
const TWEETS = "tweets_count";
/** After the first read: on the next three ticks, then after these. */
const NEXT_TICKS = 3;
const LATER_MS = [60_000, 300_000, 900_000] as const;
/** Of a change that no post accounts for. */
const READS_OF_A_CHANGE = 1 + NEXT_TICKS + LATER_MS.length;
const REFUSED_FOR_MS = 86_400_000;
/**
 * One post in fifty is not yet in the search when its account is read: three times in a row is no
 * chance.
 */
const HIDDEN_AFTER = 3;
/**
 * A post and a deletion between two probes leave a counter where it was: one that goes on moving is
 * believed again.
 */
const MOVES_TO_SEE = 3;

/** The fields of a profile that this kind of watch reads; null for an account that was missing. */
export const probedFields = (
  profile: JsonObject | undefined,
  names: readonly string[],
): JsonObject | null =>
  profile === undefined ? null : Object.fromEntries(names.map((name) => [name, profile[name]]));

/**
 * An account that was read just now, so that the probe that follows has something to compare with.
 */
export const firstProbe = (fields: JsonObject | null, atMs: number): ProbeMemory => ({
  fields,
  probedAtMs: atMs,
  fullAtMs: atMs,
});

/**
 * An account that was never probed: whatever happened since it was last read is looked for once, on
 * its timeline.
 */
export const neverProbed = (fields: JsonObject | null, atMs: number): ProbeMemory => ({
  ...firstProbe(fields, atMs),
  // The last read of a change: it is not repeated.
  open: { sinceMs: 0, owed: null, reads: READS_OF_A_CHANGE - 1, dueMs: atMs },
});

/**
 * Takes the answer of a probe; `counter` is the field whose growth promises items. A change while
 * another one is open begins the reads anew. Posts that were found before the counter showed them
 * are not owed again, but the change is read once all the same: they may have been deleted since,
 * and others posted.
 */
export function takeProbe(
  { ahead = 0, lastCounter, ...known }: ProbeMemory,
  fields: JsonObject | null,
  atMs: number,
  counter = TWEETS,
): ProbeMemory {
  // A clock that was set back must not put off full polls by as much.
  const { blindAtMs } = known;
  const tried = blindAtMs === undefined ? {} : { blindAtMs: Math.min(blindAtMs, atMs) };
  const from = numberIn(known.fields, counter) ?? lastCounter;
  const missing = fields === null && from !== undefined ? { lastCounter: from } : {};
  const memory = { ...known, ...tried, ...missing, fullAtMs: Math.min(known.fullAtMs, atMs) };
  // The fields stand in the order of their names on both sides.
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

/** Null when the counter did not grow: something else moved. */
const growthOf = (from: number | undefined, to: number | undefined): number | null =>
  from !== undefined && to !== undefined && to > from ? to - from : null;

function numberIn(fields: JsonObject | null, name: string): number | undefined {
  const value = fields?.[name];
  return typeof value === "number" ? value : undefined;
}

export const isDue = ({ open }: ProbeMemory, nowMs: number): boolean =>
  open !== undefined && open.dueMs <= nowMs;

/** Whether a read left posts unfound that the counter promises. */
export const isUnexplained = ({ open }: ProbeMemory): boolean =>
  open !== undefined && open.reads > 0 && (open.owed ?? 0) > 0;

/**
 * The search shows a post that much later now and then. What is older than that was out of sight,
 * whoever asked.
 */
export const SEARCH_LAG_MS = 300_000;

/** What the next read asks: the search, once, and then where the posts were posted. */
export const endpointToRead = (memory: ProbeMemory): "search" | "timeline" =>
  isUnexplained(memory) || (isHidden(memory) && !isOnTrial(memory)) ? "timeline" : "search";

const isHidden = ({ hidden = 0 }: ProbeMemory): boolean => hidden >= HIDDEN_AFTER;

/**
 * The search may have shown nothing for an hour: it is asked again after four such reads, eight,
 * sixteen and so on.
 */
const isOnTrial = ({ hidden = 0, open }: ProbeMemory): boolean =>
  open !== undefined && Number.isInteger(Math.log2(hidden));

/**
 * The timeline of a missing account was refused: nothing is to be read before a probe shows it
 * again. Asked once more a day all the same.
 */
export const afterRefusal = (memory: ProbeMemory, atMs: number): ProbeMemory =>
  memory.fields !== null || memory.open === undefined
    ? memory
    : { ...memory, fullAtMs: atMs, open: { ...memory.open, dueMs: atMs + REFUSED_FOR_MS } };

/** What a read brought that was not known before. */
export interface ReadResult {
  readonly endpoint: "search" | "timeline";
  readonly newPosts: number;
  /** Of them, those that were there before the last probe: its counters should have shown them. */
  readonly newBeforeProbe: number;
  /** It went back to the last full poll. */
  readonly isFull: boolean;
  /** Not even the newest post that is known was shown: it says nothing of what there is. */
  readonly isSuspicious?: boolean;
}

/** The memory after a read that came to its end. */
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
  // The first probe of an account counted what the read after it finds: credit for that would hide
  // posts to come.
  const isFirst = open?.sinceMs === 0;
  const surplus = isFirst
    ? ahead
    : ahead + Math.max(0, result.newPosts - Math.max(open?.owed ?? 0, 0) - unfound);
  const sight = sightAfter(memory, result);
  const next = open === undefined ? undefined : openAfter(open, result, atMs);
  const givenUp =
    open === undefined || next !== undefined ? 0 : Math.max(0, (open.owed ?? 0) - result.newPosts);
  // What a full poll does not show will not come.
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
 * Whatever had moved is part of the baseline. Of many accounts the first reads take minutes:
 * `uncounted` were posted after the last probe.
 */
export function afterFirstRead(
  { open: _, ...memory }: ProbeMemory,
  uncounted: number,
): ProbeMemory {
  return uncounted === 0 ? memory : { ...memory, ahead: (memory.ahead ?? 0) + uncounted };
}

/** Whether the counters still hide posts. */
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
 * Undefined when the change is discharged: every post that was promised is found, or the last read
 * was made.
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
 * A timeline that had to be asked because the search was silent speaks against the search; a search
 * that shows something, for it.
 */
function hiddenAfter(memory: ProbeMemory, { endpoint, newPosts }: ReadResult): number {
  const { hidden = 0, open } = memory;
  if (newPosts === 0) return hidden;
  if (endpoint === "search") return 0;
  // One that was never probed before is read from its timeline at once: no search was asked.
  const isSilent = open !== undefined && open.sinceMs > 0 && (open.reads > 0 || isHidden(memory));
  return isSilent ? hidden + 1 : hidden;
}
