import { describe, expect, it } from "vitest";
import type { GroupMember } from "../../../src/groups/memory/group-members.ts";
import { type TaskQuery, tasksOf } from "../../../src/groups/accounts/group-tasks.ts";
import type { AccountMemory } from "../../../src/groups/probing/probe-states.ts";
import type { Poll } from "../../../src/polling/watch-poll.ts";
import { FIRST_LIMITS, handlesPerQuery } from "../../../src/query/merging/merge.ts";

const MIN = 60_000;
const HOUR = 60 * MIN;
const NOW = Date.UTC(2026, 2, 2, 12);
const FULL_POLL_EVERY = 8 * HOUR;
const PLACES = handlesPerQuery(FIRST_LIMITS);

/** A group of which each account was probed two minutes ago, and read whole so many hours ago. */
function group() {
  const members: GroupMember[] = [];
  const accounts = new Map<string, AccountMemory>();
  const add = (fullHoursAgo: number, { hasMoved = false, postsAnHour = 0, searchedMinutesAgo = -1 } = {}): string => {
    const userId = `a${accounts.size}`;
    const probedAtMs = NOW - 2 * MIN;
    const open = { sinceMs: probedAtMs, dueMs: NOW, reads: 0, owed: 1, calmMs: probedAtMs };
    members.push({ userId, key: userId, poll: { key: userId, overlapMs: 15 * MIN } as Poll });
    accounts.set(userId, {
      probe: {
        fields: {},
        probedAtMs,
        fullAtMs: NOW - fullHoursAgo * HOUR,
        ...(hasMoved ? { open } : {}),
        ...(searchedMinutesAgo < 0 ? {} : { isBlind: true }),
      },
      searchedAtMs: NOW - searchedMinutesAgo * MIN,
      rate: { posts: postsAnHour * 240, days: 10, excited: 0, atMs: probedAtMs },
      handle: userId,
      checkedAtMs: probedAtMs,
    });
    return userId;
  };
  const read = () => {
    const query: TaskQuery = {
      members,
      unready: new Set(),
      isCoolingDown: () => false,
      fullPollEveryMs: FULL_POLL_EVERY,
      limits: FIRST_LIMITS,
      unprobed: new Set(),
      accountOf: (id) => accounts.get(id),
      intervalMs: 2 * MIN,
      nowMs: NOW,
      toService: (ms) => ms,
    };
    return tasksOf(query).map(({ member, reach, isFull }) => ({ id: member.userId, kind: reach?.kind, isFull }));
  };
  const wholly = () => read().flatMap(({ id, isFull }) => (isFull ? [id] : []));
  return { add, read, wholly };
}

describe("full polls", () => {
  it("wait until one of them is due, and then fill its search", () => {
    const { add, wholly } = group();
    for (let index = 0; index < 30; index += 1) add(7.9);
    expect(wholly()).toEqual([]);
    const due = add(8.1);
    expect(wholly().length).toBeGreaterThanOrEqual(PLACES);
    expect(wholly()[0]).toBe(due);
  });

  it("leave out who was read whole not long ago", () => {
    const { add, wholly } = group();
    const due = [add(8.1), add(4.1)];
    add(3.9);
    expect(wholly()).toEqual(due);
  });

  it("are filled with whoever takes no page more", () => {
    const { add, wholly } = group();
    const due = add(8.1);
    add(7, { postsAnHour: 4 });
    const quiet = add(6);
    expect(wholly()).toEqual([due, quiet]);
  });
});

it("an account with unreliable counters is searched for once a tick, however often its group runs", () => {
  const { add, read } = group();
  add(0.1, { searchedMinutesAgo: 1 });
  expect(read()).toEqual([]);
  const other = add(0.1, { searchedMinutesAgo: 2 });
  expect(read()).toEqual([{ id: other, kind: "since", isFull: false }]);
});
