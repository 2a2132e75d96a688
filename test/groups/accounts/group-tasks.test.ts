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

/**
 * Creates a group whose accounts were all probed two minutes ago, and each read whole a given
 * number of hours ago.
 */
function group() {
  const members: GroupMember[] = [];
  const accounts = new Map<string, AccountMemory>();
  const add = (
    fullHoursAgo: number,
    { hasMoved = false, postsAnHour = 0, searchedMinutesAgo = -1 } = {},
  ): string => {
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
    return tasksOf(query).map(({ member, reach, isFull }) => ({
      id: member.userId,
      kind: reach?.kind,
      isFull,
    }));
  };
  const wholly = () => read().flatMap(({ id, isFull }) => (isFull ? [id] : []));
  return { add, read, wholly };
}

describe("full polls", () => {
  it("fill the places of a search that is sent for news, those first that were read whole longest ago", () => {
    const { add, read, wholly } = group();
    const news = add(1, { hasMoved: true });
    const due = Array.from({ length: 30 }, (_, index) => add(4.1 + index / 10));
    expect(read()[0]).toEqual({ id: news, kind: "since", isFull: false });
    expect(wholly().slice(0, PLACES - 1)).toEqual(due.slice(-(PLACES - 1)).reverse());
  });

  it("wait until one of them is due if no account has news, and then fill its search", () => {
    const { add, wholly } = group();
    for (let index = 0; index < 30; index += 1) add(7.9);
    expect(wholly()).toEqual([]);
    const due = add(8.1);
    expect(wholly().length).toBeGreaterThanOrEqual(PLACES);
    expect(wholly()[0]).toBe(due);
  });

  it("leave out accounts that had a full poll recently", () => {
    const { add, wholly } = group();
    add(1, { hasMoved: true });
    const due = add(4.1);
    add(3.9);
    expect(wholly()).toEqual([due]);
  });

  it("take no page of a search for news: neither by their own posts nor by reaching over those of others", () => {
    const quiet = group();
    quiet.add(1, { hasMoved: true });
    quiet.add(6, { postsAnHour: 4 });
    const due = quiet.add(5);
    expect(quiet.wholly()).toEqual([due]);
    const busy = group();
    busy.add(1, { hasMoved: true, postsAnHour: 4 });
    for (let index = 0; index < 20; index += 1) busy.add(6);
    expect(busy.wholly()).toEqual([]);
  });

  it("have a search of their own as soon as one is overdue that finds no room beside news", () => {
    const { add, wholly } = group();
    add(1, { hasMoved: true, postsAnHour: 4 });
    const overdue = add(9);
    expect(wholly()).toEqual([overdue]);
  });

  it("are made once, where they are overdue and find room beside news", () => {
    const { add, wholly } = group();
    add(1, { hasMoved: true });
    const overdue = add(9);
    expect(wholly()).toEqual([overdue]);
  });
});

it("an account with unreliable counters is searched for once a tick, however often its group runs", () => {
  const { add, read } = group();
  add(0.1, { searchedMinutesAgo: 1 });
  expect(read()).toEqual([]);
  const other = add(0.1, { searchedMinutesAgo: 2 });
  expect(read()).toEqual([{ id: other, kind: "since", isFull: false }]);
});
