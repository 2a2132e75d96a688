/**
 * Reads a member list in steps, each of which is committed by itself. A short list of recent
 * members is read in one step (`window`). A long list is read from its newest member down to known
 * ones (`head`), then where an earlier poll was cut off before it reached these (`gap`), then
 * completely, page by page over many polls (`rest`). Decides what is read and remembered;
 * evaluate-member-list.ts decides what a member means.
 */
import type { RosterMode } from "../../detect/roster.ts";
import { passedMs } from "../../model/clock.ts";
import { isBadRequest } from "../../model/upstream.ts";
import type { User } from "../../model/user.ts";
import { MEMBERS_PER_PAGE } from "../../plan/polls/whole-reads.ts";
import {
  hasSeenEnough,
  isStillUnread,
  type KnownMembers,
  type ListSubscriber,
  missesNews,
  showsOrder,
} from "./list-subscribers.ts";
import type { MemberListGap, MemberListMemory, MemberListScan } from "./member-list-memory.ts";
import { type AskPage, isAtListEnd, type Walk, type PageWalkEnd, walkPages } from "./walk-pages.ts";

export type MemberListStep = "window" | "head" | "gap" | "rest";

export interface MemberListObservation {
  /** Each account once, in the order in which it was read. */
  readonly members: readonly User[];
  readonly step: MemberListStep;
  readonly end: PageWalkEnd;
  /** When the gap was left; only set for the step `gap`. */
  readonly leftAtMs?: number;
  readonly memory: MemberListMemory;
  /** When the read began that found these members, on our clock. */
  readonly readAtMs: number;
  /** When the full read began that this step completed; undefined if it completed none. */
  readonly completedScanAtMs: number | undefined;
  /** The number of pages of that full read, over all its polls. */
  readonly completedPages?: number;
  /** How many pages of this step count for a full read. */
  readonly scanPages: number;
  readonly error?: unknown;
}

export interface MemberListNeeds {
  /** How the service lists the members, according to the rules of the subscribers. */
  readonly modes: ReadonlySet<RosterMode>;
  readonly subscribers: readonly ListSubscriber[];
  /** Whether a subscriber waits for a read of the whole list. */
  readonly needsScan: boolean;
  /**
   * How often the list is read completely if no subscriber waits for that. Infinite means never.
   */
  readonly wholeEveryMs: number;
  /** For how long after a member joined the service may not list it yet. */
  readonly overlapMs: number;
  readonly nowMs: number;
  /** Returns what the state has on these members, for each subscriber. */
  readonly known: (ids: readonly string[]) => Promise<KnownMembers>;
}

/**
 * The maximum number of pages of a window. It is documented as one page, but a service may send
 * several.
 */
const MAX_WINDOW_PAGES = 50;

const isPartial = ({ partial }: ListSubscriber): boolean => partial !== undefined;

/**
 * Whether a walk that was cut off may report new members. With a partial baseline it may not, until
 * the list is known to have its newest members first.
 */
const isTrusted = (memory: MemberListMemory, { subscribers }: MemberListNeeds): boolean =>
  memory.isOrdered === true || !subscribers.some(isPartial);

const hasGap = ({ gaps = [] }: MemberListMemory): boolean => gaps.length > 0;

/**
 * Whether the read of the whole list must wait, because members in a gap must first be reported as
 * new.
 */
const holdsRest = (memory: MemberListMemory, { subscribers }: MemberListNeeds): boolean =>
  subscribers.some(isPartial) && (hasGap(memory) || memory.downToMs !== undefined);

/** Returns the next step of a poll; undefined if the poll is done. */
export function nextStep(
  memory: MemberListMemory,
  needs: MemberListNeeds,
  done: ReadonlySet<MemberListStep>,
): MemberListStep | undefined {
  const { modes, subscribers } = needs;
  if (modes.has("window")) return done.has("window") ? undefined : "window";
  const wantsHead = subscribers.some(({ part }) => part !== "whole") && !done.has("head");
  if (wantsHead && (isTrusted(memory, needs) || !hasGap(memory))) return "head";
  if (hasGap(memory) && !done.has("gap")) return "gap";
  if (wantsHead || done.has("rest") || holdsRest(memory, needs)) return undefined;
  // With a partial baseline, a read of the whole list is begun by the walk from the top, so it is
  // only continued here.
  return wantsRest(memory, needs) && (memory.scan !== undefined || !subscribers.some(isPartial))
    ? "rest"
    : undefined;
}

function wantsRest(memory: MemberListMemory, needs: MemberListNeeds): boolean {
  const { modes, needsScan, wholeEveryMs, nowMs } = needs;
  if (needsScan || modes.has("whole")) return true;
  if (wholeEveryMs === Number.POSITIVE_INFINITY) return false;
  return (
    memory.scan !== undefined ||
    memory.fullAtMs === null ||
    passedMs(memory.fullAtMs, nowMs) >= wholeEveryMs
  );
}

export interface ReadOptions {
  readonly ask: AskPage;
  readonly maxPages: number;
  readonly memory: MemberListMemory;
  readonly needs: MemberListNeeds;
}

/** Reads one step. @throws the error of its first request */
export async function readStep(
  step: MemberListStep,
  options: ReadOptions,
): Promise<MemberListObservation> {
  if (step === "head") return readHead(options);
  if (step === "gap") return readGap(options);
  return step === "window"
    ? readRest(step, { ...options, maxPages: MAX_WINDOW_PAGES })
    : readRest(step, options);
}

/** Returns a function that asks the state about each member only once. */
function askOnce(needs: MemberListNeeds): (ids: readonly string[]) => Promise<KnownMembers> {
  const known = needs.subscribers.map(() => new Map());
  let asked = 0;
  return async (ids) => {
    const marks = await needs.known(ids.slice(asked));
    for (const [index, found] of marks.entries())
      for (const [id, mark] of found) known[index]?.set(id, mark);
    asked = ids.length;
    return known;
  };
}

type IsSo = (
  subscriber: ListSubscriber,
  ids: readonly string[],
  known: KnownMembers[number] | undefined,
) => boolean;

interface WalkToKnown extends ReadOptions {
  readonly cursor?: string;
  readonly isEnough: IsSo;
  readonly missesNews: IsSo;
}

async function walkToKnown({ ask, maxPages, needs, cursor, ...is }: WalkToKnown) {
  const knownOf = askOnce(needs);
  const { subscribers } = needs;
  const isMet = async (ids: readonly string[]): Promise<boolean> => {
    const known = await knownOf(ids);
    return subscribers.every((subscriber, index) => is.isEnough(subscriber, ids, known[index]));
  };
  const walk = await walkPages(ask, { cursor, maxPages, isMet });
  const ids = walk.users.map(({ id }) => id);
  const known = await knownOf(ids);
  return {
    walk,
    isOrdered: subscribers.some((subscriber, index) =>
      showsOrder(subscriber, ids, known[index], cursor !== undefined),
    ),
    leavesNews:
      walk.end === "cut" &&
      subscribers.some((subscriber, index) => is.missesNews(subscriber, ids, known[index])),
  };
}

/**
 * Reads from the newest member down to known ones. Once per overlap it reads further, down to where
 * members may be that the service lists late.
 */
async function readHead(options: ReadOptions): Promise<MemberListObservation> {
  const { memory, needs } = options;
  const rescan = rescanOf(memory, needs);
  const sinceMs = least(memory.downToMs, rescan.sinceMs);
  const { walk, isOrdered, leavesNews } = await walkToKnown({
    ...options,
    isEnough: (subscriber, ids, known) => hasSeenEnough(subscriber, ids, known, sinceMs),
    missesNews: (subscriber, ids, known) => missesNews(subscriber, ids, known, sinceMs),
  });
  if (walk.pages === 0) throw walk.error;
  const { downToMs: _, ...kept } = memory;
  const after = { ...withOrder(kept, isOrdered), rescannedAtMs: rescan.atMs };
  const gaps = leavesNews
    ? withGap(memory.gaps, { ...at(walk), sinceMs: sinceMs ?? needs.nowMs, leftAtMs: needs.nowMs })
    : memory.gaps;
  return observed("head", walk, begin(withGaps(after, gaps), walk, needs), needs.nowMs);
}

/**
 * Decides whether this walk also reads down to members that the service lists late. The first walk
 * of a list does not, because everything was just read, and none does while a gap is open.
 */
function rescanOf(
  memory: MemberListMemory,
  { overlapMs, nowMs }: MemberListNeeds,
): { readonly atMs: number; readonly sinceMs?: number } {
  const { rescannedAtMs: lastMs = nowMs } = memory;
  const isDue = passedMs(lastMs, nowMs) >= overlapMs && !hasGap(memory);
  return isDue ? { atMs: nowMs, sinceMs: lastMs - overlapMs } : { atMs: lastMs };
}

const least = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);

async function readGap(options: ReadOptions): Promise<MemberListObservation> {
  const { memory, needs } = options;
  const [gap, ...others] = memory.gaps ?? [];
  if (gap === undefined) throw new Error("no gap to read");
  const { cursor, sinceMs, leftAtMs } = gap;
  const { walk, isOrdered, leavesNews } = await walkToKnown({
    ...options,
    cursor,
    isEnough: (subscriber, ids, known) =>
      !isStillUnread(subscriber, leftAtMs) || hasSeenEnough(subscriber, ids, known, sinceMs),
    missesNews: (subscriber, ids, known) =>
      isStillUnread(subscriber, leftAtMs) && missesNews(subscriber, ids, known, sinceMs),
  });
  const isExpired = isBadRequest(walk.error);
  if (walk.pages === 0 && !isExpired) throw walk.error;
  const isLost = isExpired || walk.end === "circle";
  const after = {
    ...withOrder(memory, isOrdered),
    ...(isLost ? { downToMs: least(memory.downToMs, sinceMs) ?? sinceMs } : {}),
  };
  const gaps = leavesNews && !isLost ? [{ ...gap, ...at(walk) }, ...others] : others;
  const seen = isExpired ? withoutError(walk) : walk;
  return {
    ...observed("gap", seen, { memory: withGaps(after, gaps), scanPages: 0 }, needs.nowMs),
    leftAtMs,
  };
}

async function readRest(
  step: "window" | "rest",
  { ask, maxPages, memory, needs }: ReadOptions,
): Promise<MemberListObservation> {
  const before = step === "window" ? undefined : memory.scan;
  const { startedAtMs = needs.nowMs } = before ?? {};
  const walk = await walkPages(ask, { cursor: before?.cursor, maxPages });
  if (walk.pages === 0 && before === undefined) throw walk.error;
  const isExpired = isBadRequest(walk.error) && (await isAnswered(() => ask(undefined)));
  const read = addTo(before, walk);
  const after = withoutScan(memory);
  if (walk.end === "list_end")
    return observed(step, walk, completed(after, read, startedAtMs), startedAtMs);
  // If the cursor has expired or leads in a circle, the next poll starts over.
  const { cursor } = walk;
  const isOver = isExpired || walk.end === "circle" || cursor === undefined;
  const scan = isOver ? {} : { scan: { cursor, startedAtMs, ...read } };
  return observed(
    step,
    isExpired ? withoutError(walk) : walk,
    { memory: { ...after, ...scan }, scanPages: walk.pages },
    startedAtMs,
  );
}

interface After extends Pick<MemberListObservation, "memory" | "scanPages" | "completedPages"> {
  readonly completedScanAtMs?: number;
}

const observed = (
  step: MemberListStep,
  { users, end, error }: Walk,
  after: After,
  readAtMs: number,
): MemberListObservation => ({
  members: users,
  step,
  end,
  completedScanAtMs: undefined,
  ...after,
  readAtMs,
  error,
});

/** Returns the cursor at which a walk was cut off: that of the next page. */
const at = ({ cursor = "" }: Walk): Pick<MemberListGap, "cursor"> => ({ cursor });

const MAX_GAPS = 20;

/**
 * Adds a gap. Beyond the limit the last two gaps are read as one, together with the known members
 * between them.
 */
function withGap(
  gaps: readonly MemberListGap[] = [],
  gap: MemberListGap,
): readonly MemberListGap[] {
  const last = gaps.at(-1);
  if (gaps.length < MAX_GAPS || last === undefined) return [...gaps, gap];
  return [...gaps.slice(0, -1), { ...gap, sinceMs: Math.min(gap.sinceMs, last.sinceMs) }];
}

function withGaps(
  { gaps: _, ...memory }: MemberListMemory,
  gaps: readonly MemberListGap[] = [],
): MemberListMemory {
  return gaps.length === 0 ? memory : { ...memory, gaps };
}

const withOrder = (memory: MemberListMemory, isOrdered: boolean): MemberListMemory =>
  isOrdered ? { ...memory, isOrdered } : memory;

function withoutScan({ scan: _, ...memory }: MemberListMemory): MemberListMemory {
  return memory;
}

function withoutError({ error: _, ...walk }: Walk): Walk {
  return walk;
}

type ReadSoFar = Required<Pick<MemberListScan, "pages" | "found" | "members">>;

const addTo = (scan: MemberListScan | undefined, { pages, users }: Walk): ReadSoFar => ({
  pages: (scan?.pages ?? 0) + pages,
  found: (scan?.found ?? false) || users.length > 0,
  members: (scan?.members ?? (scan?.pages ?? 0) * MEMBERS_PER_PAGE) + users.length,
});

const completed = (
  memory: MemberListMemory,
  { pages, found }: ReadSoFar,
  startedAtMs: number,
): After => ({
  memory: { ...memory, fullAtMs: found ? startedAtMs : memory.fullAtMs },
  completedScanAtMs: startedAtMs,
  completedPages: pages,
  scanPages: pages,
});

/**
 * Begins a read of the whole list if one is due. The pages of the walk from the top are its first
 * pages.
 */
function begin(memory: MemberListMemory, walk: Walk, needs: MemberListNeeds): After {
  if (!wantsRest(memory, needs)) return { memory: withoutScan(memory), scanPages: 0 };
  if (memory.scan !== undefined || holdsRest(memory, needs)) return { memory, scanPages: 0 };
  const read = addTo(undefined, walk);
  if (isAtListEnd(walk)) return completed(memory, read, needs.nowMs);
  if (walk.cursor === undefined) return { memory, scanPages: 0 };
  return {
    memory: { ...memory, scan: { cursor: walk.cursor, startedAtMs: needs.nowMs, ...read } },
    scanPages: walk.pages,
  };
}

/**
 * Whether the service answers a request for the first page. If it does not, the cursor may not be
 * the cause of the error, and hundreds of pages need not be read again.
 */
const isAnswered = (askFirst: () => Promise<unknown>): Promise<boolean> =>
  askFirst().then(
    () => true,
    () => false,
  );
