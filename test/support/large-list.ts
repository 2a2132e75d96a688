/**
 * A follower list of any length, newest first. Only members that a test adds or removes are held in
 * memory. Cursors name the last member shown, so that pages do not shift.
 */
import type { UpstreamAnswer } from "../../src/model/upstream.ts";
import type { User } from "../../src/model/user.ts";
import { makeUser } from "./make-event.ts";

const PAGE = 200;

export interface LargeList {
  /** The number of members. */
  readonly size: number;
  /** Adds a follower at the top and returns its id. Without an id it is a new account. */
  join(id?: string): string;
  leave(id: string): void;
  page(cursor: string | undefined): UpstreamAnswer;
}

/** Creates a list. The ids of its first members are 1 for the oldest, and so on. */
export function createLargeList(early: number): LargeList {
  /** Members that were added, the newest one last. */
  let newcomers: { readonly id: string; readonly position: number }[] = [];
  const gone = new Set<string>();
  let positions = early;

  const below = (
    position: number,
    count: number,
  ): { readonly id: string; readonly position: number }[] => {
    const found = newcomers
      .filter((one) => one.position < position)
      .slice(-count)
      .reverse();
    for (let at = Math.min(position, early + 1) - 1; at > 0 && found.length < count; at -= 1)
      if (!gone.has(String(at))) found.push({ id: String(at), position: at });
    return found;
  };

  return {
    get size() {
      return early - gone.size + newcomers.length;
    },
    join(id = String(9_000_000_000 + positions)) {
      positions += 1;
      newcomers.push({ id, position: positions });
      return id;
    },
    leave(id) {
      if (Number(id) <= early) gone.add(id);
      newcomers = newcomers.filter((one) => one.id !== id);
    },
    page(cursor) {
      const members = below(cursor === undefined ? Number.POSITIVE_INFINITY : Number(cursor), PAGE);
      const last = members.at(-1)?.position ?? 0;
      const users: User[] = members.map(({ id }) => makeUser(id));
      return { users, ...(below(last, 1).length === 0 ? {} : { nextCursor: String(last) }) };
    },
  };
}
