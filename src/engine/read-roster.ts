/**
 * Reads a list of accounts: a short window as a whole; a long list from its newest end, with a full read at the start and once a day; or
 * with every poll on in a full read. A full read goes on over several polls from its cursor; only a complete one can be a baseline.
 */
import type { RosterMode } from "../detect/roster.ts";
import { passedMs } from "../model/clock.ts";
import type { User } from "../model/user.ts";
import { isBadRequest } from "../model/upstream.ts";
import type { Ask } from "./ask.ts";
import type { Poll } from "./watch-poll.ts";

export interface RosterScan {
  readonly cursor: string;
  readonly startedAtMs: number;
  /** Pages read so far; absent in memories from before they were counted. */
  readonly pages?: number;
  /** Whether they held anybody. */
  readonly found?: boolean;
}

export interface RosterMemory {
  /** A full read under way. */
  readonly scan?: RosterScan;
  /** Start of the last full read that reached the end and found anybody; our clock. An empty one may be the service that is blind. */
  readonly fullAtMs: number | null;
}

export const EMPTY_ROSTER: RosterMemory = { fullAtMs: null };

export interface RosterObservation {
  /** Each account once, in the order it came. */
  readonly members: readonly User[];
  readonly memory: RosterMemory;
  /** Start of the read that the members belong to; our clock. */
  readonly readAtMs: number;
  /** Start of the full read that this poll completed; undefined when it completed none. */
  readonly completedScanAtMs: number | undefined;
  /** Requests which that full read took, over all its polls. */
  readonly completedPages?: number;
  readonly error?: unknown;
}

export interface RosterNeeds {
  /** What the sharers want, each. */
  readonly modes: ReadonlySet<RosterMode>;
  /** True while a sharer has no baseline: a full read is wanted. */
  readonly needsScan: boolean;
  readonly nowMs: number;
  /** Whether any of these accounts is new to a sharer. */
  readonly hasUnknown: (ids: readonly string[]) => Promise<boolean>;
}

const FULL_READ_EVERY_MS = 86_400_000;
/** A window is one page as documented; a service that pages it anyway is followed so far. */
const MOST_WINDOW_PAGES = 50;

export async function readRoster(ask: Ask, poll: Poll, memory: RosterMemory, needs: RosterNeeds): Promise<RosterObservation> {
  const members = new Map<string, User>();
  const { modes } = needs;
  if (modes.has("window")) return readPages(ask, poll, members, { memory, startedAtMs: needs.nowMs, maxPages: MOST_WINDOW_PAGES });
  const isDue =
    needs.needsScan || modes.has("whole") || memory.fullAtMs === null || passedMs(memory.fullAtMs, needs.nowMs) >= FULL_READ_EVERY_MS;
  if (memory.scan === undefined && isDue)
    return readPages(ask, poll, members, { memory, startedAtMs: needs.nowMs, maxPages: poll.maxPages });
  // Newcomers must not wait for a long full read, unless nobody has a baseline to tell them by.
  if (!needs.needsScan && modes.has("newest")) await readHead(ask, poll, members, needs);
  if (memory.scan === undefined) return { members: [...members.values()], memory, readAtMs: needs.nowMs, completedScanAtMs: undefined };
  return readPages(ask, poll, members, {
    memory,
    ...memory.scan,
    maxPages: poll.maxPages,
  });
}

/** Newest first, whoever follows known members is known: newcomers above them are no reason for another page. */
const END = 20;
const endOf = (users: readonly User[]): readonly string[] => users.slice(-END).map(({ id }) => id);

async function readHead(ask: Ask, poll: Poll, members: Map<string, User>, needs: RosterNeeds): Promise<void> {
  let cursor: string | undefined;
  for (let page = 0; page < poll.maxPages; page += 1) {
    const answer = await ask(poll.source.params, cursor);
    const users = answer.users ?? [];
    keep(members, users);
    cursor = answer.nextCursor;
    if (cursor === undefined || (users.length > 0 && !(await needs.hasUnknown(endOf(users))))) return;
  }
}

interface PagesOptions {
  readonly memory: RosterMemory;
  readonly startedAtMs: number;
  readonly cursor?: string;
  readonly maxPages: number;
  /** Read before this poll. */
  readonly pages?: number;
  readonly found?: boolean;
}

async function readPages(ask: Ask, poll: Poll, members: Map<string, User>, options: PagesOptions): Promise<RosterObservation> {
  const seen = new Set<string>();
  const { startedAtMs } = options;
  let { cursor, pages = 0, found = false } = options;
  const result = (memory: RosterMemory, completed: Pick<RosterObservation, "completedPages"> | undefined, error?: unknown) => ({
    members: [...members.values()],
    memory,
    readAtMs: startedAtMs,
    completedScanAtMs: completed === undefined ? undefined : startedAtMs,
    ...completed,
    ...(error === undefined ? {} : { error }),
  });
  const pausedAt = (at: string | undefined): RosterMemory => ({
    fullAtMs: options.memory.fullAtMs,
    ...(at === undefined ? {} : { scan: { cursor: at, startedAtMs, pages, found } }),
  });
  for (let page = 0; page < options.maxPages; page += 1) {
    try {
      const answer = await ask(poll.source.params, cursor);
      pages += 1;
      found ||= (answer.users ?? []).length > 0;
      keep(members, answer.users ?? []);
      if (answer.nextCursor === undefined)
        return result({ fullAtMs: found ? startedAtMs : options.memory.fullAtMs }, { completedPages: pages });
      // A cursor that comes again leads in a circle: the read starts over at the next poll.
      if (seen.has(answer.nextCursor)) return result(pausedAt(undefined), undefined);
      seen.add(answer.nextCursor);
      cursor = answer.nextCursor;
    } catch (error) {
      if (page === 0 && members.size === 0 && options.cursor === undefined) throw error;
      const isExpired = isBadRequest(error) && (await isAnswered(() => ask(poll.source.params, undefined)));
      return result(pausedAt(isExpired ? undefined : cursor), undefined, isExpired ? undefined : error);
    }
  }
  return result(pausedAt(cursor), undefined);
}

/** Where the first page is not answered either, the cursor may not be to blame: hundreds of pages need not be read again. */
const isAnswered = (askFirst: () => Promise<unknown>): Promise<boolean> =>
  askFirst().then(
    () => true,
    () => false,
  );

function keep(members: Map<string, User>, users: readonly User[]): void {
  for (const user of users) if (!members.has(user.id)) members.set(user.id, user);
}
