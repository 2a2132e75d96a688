/**
 * A follower list of any length, newest first, of which only those who came and went by hand are
 * held in memory. Cursors name the last member shown, so that pages do not shift.
 */
import type { UpstreamAnswer } from "../../src/model/upstream.ts";
import type { User } from "../../src/model/user.ts";
import { makeUser } from "./make-event.ts";

const PAGE = 200;

export interface LargeList {
  /** Members there are. */
  readonly size: number;
  /** Somebody follows now, newest of all; gives the id. Somebody new where none is named. */
  join(id?: string): string;
  leave(id: string): void;
  page(cursor: string | undefined): UpstreamAnswer;
}

/** Ids of those who were there at the start: 1 is the oldest. */
export function createLargeList(early: number): LargeList {
  /** Newest last. */
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
