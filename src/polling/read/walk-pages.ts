/**
 * Reads pages of a list of accounts, one after the other, until the caller has seen enough. Handles
 * cursors and decides what ends a walk.
 */
import type { User } from "../../model/user.ts";

/**
 * How a walk ended.
 * - `met`: the caller had seen enough. That may be at the end of the list.
 * - `list_end`: the list ended before the caller had seen enough.
 * - `circle`: the service repeated a cursor.
 * - `cut`: a request failed, or `maxPages` were read.
 */
export type PageWalkEnd = "met" | "list_end" | "circle" | "cut";

export interface Walk {
  /** Each account once, in the order of the list. */
  readonly users: readonly User[];
  /** The number of pages that were answered. */
  readonly pages: number;
  readonly end: PageWalkEnd;
  /** The cursor of the next page; undefined if there is none. */
  readonly cursor?: string | undefined;
  /** The error that ended the walk. */
  readonly error?: unknown;
}

export const isAtListEnd = ({ end, cursor }: Pick<Walk, "end" | "cursor">): boolean =>
  end === "list_end" || (end === "met" && cursor === undefined);

export interface PageWalkOptions {
  /** Where to begin; undefined means at the top. */
  readonly cursor?: string | undefined;
  readonly maxPages: number;
  /**
   * Called after each page with the ids of all accounts so far. Ends the walk if it returns true.
   */
  readonly isMet?: (ids: readonly string[]) => Promise<boolean>;
}

/** Asks for the page at a cursor, or for the first page. */
export type AskPage = (
  cursor: string | undefined,
) => Promise<{ readonly users?: readonly User[]; readonly nextCursor?: string }>;

export async function walkPages(
  ask: AskPage,
  { cursor: from, maxPages, isMet }: PageWalkOptions,
): Promise<Walk> {
  const users = new Map<string, User>();
  const cursors = new Set<string>(from === undefined ? [] : [from]);
  let cursor = from;
  let pages = 0;
  const ended = (end: PageWalkEnd, error?: unknown): Walk => ({
    users: [...users.values()],
    pages,
    end,
    cursor,
    error,
  });
  while (pages < maxPages) {
    try {
      const answer = await ask(cursor);
      pages += 1;
      for (const user of answer.users ?? []) if (!users.has(user.id)) users.set(user.id, user);
      cursor = answer.nextCursor;
    } catch (error) {
      return ended("cut", error);
    }
    if ((await isMet?.([...users.keys()])) === true) return ended("met");
    if (cursor === undefined) return ended("list_end");
    if (cursors.has(cursor)) {
      cursor = undefined;
      return ended("circle");
    }
    cursors.add(cursor);
  }
  return ended("cut");
}
