import { expect, it } from "vitest";
import { spareSlotTasks } from "../../../src/groups/accounts/spare-slot-tasks.ts";
import type { Waiting } from "../../../src/groups/accounts/pacing/turns.ts";
import type { GroupMember } from "../../../src/groups/memory/group-members.ts";
import type { ReadTask } from "../../../src/groups/accounts/group-tasks.ts";
import type { AccountMemory } from "../../../src/groups/probing/probe-states.ts";
import type { Poll } from "../../../src/polling/watch-poll.ts";
import { FIRST_LIMITS, handlesPerQuery } from "../../../src/query/merging/merge.ts";

const MIN = 60_000;
const NOW = 10_000 * MIN;
const members = new Map<string, AccountMemory>();

/** Creates an account that was checked `minutes` ago and has posted a number of times since. */
function account(
  id: string,
  minutes: number,
  posts = 0,
  changes: Partial<AccountMemory> = {},
): GroupMember {
  const atMs = NOW - minutes * MIN;
  members.set(id, {
    probe: { fields: {}, probedAtMs: atMs, fullAtMs: atMs },
    rate: { posts: (posts * 10 * 1_440) / minutes, days: 10, excited: 0, atMs },
    handle: id,
    checkedAtMs: atMs,
    ...changes,
  });
  return { userId: id, key: id, poll: { key: id } as Poll };
}
const accountOf = (id: string) => members.get(id) as AccountMemory;
const waiting = (member: GroupMember, rate = 1): Waiting => {
  const own = accountOf(member.userId);
  return { id: member.userId, member, account: own, rate, ageMs: NOW - own.checkedAtMs };
};
const moved = (member: GroupMember, minutes: number): ReadTask => ({
  member,
  endpoint: "search",
  reach: { kind: "since", sinceMs: NOW - minutes * MIN },
  isFull: false,
});
const piggybacking = (
  tasks: readonly ReadTask[],
  others: readonly Waiting[],
  unready: readonly string[] = [],
) =>
  spareSlotTasks({
    tasks,
    waiting: () => others,
    limits: FIRST_LIMITS,
    unready: new Set(unready),
    accountOf,
    intervalMs: 2 * MIN,
    nowMs: NOW,
    toService: (ms) => ms,
  }).all.map(({ member }) => member.userId);

it("takes nobody where nothing is searched, or a timeline is read", () => {
  const [one, other] = [account("one", 5), account("other", 5)];
  expect(piggybacking([], [waiting(other)])).toEqual([]);
  expect(
    piggybacking([{ member: one, endpoint: "timeline", isFull: true }], [waiting(other)]),
  ).toEqual([]);
});

it("fills the places of a search with those next in turn", () => {
  const one = account("one", 5);
  const others = Array.from({ length: 40 }, (_, index) =>
    waiting(account(`o${index}`, 5), 1 + index),
  );
  const piggybacked = piggybacking([moved(one, 5)], others);
  expect(piggybacked.length).toBeGreaterThanOrEqual(handlesPerQuery(FIRST_LIMITS) - 1);
  expect(piggybacked.slice(0, 3)).toEqual(["o39", "o38", "o37"]);
});

it("makes no search reach further back than it does", () => {
  const tasks = [moved(account("one", 5), 5)];
  expect(
    piggybacking(tasks, [waiting(account("as_old", 5)), waiting(account("older", 6), 100)]),
  ).toEqual(["as_old"]);
});

it("makes no search take another page", () => {
  const tasks = [moved(account("one", 5, 12), 5)];
  expect(
    piggybacking(tasks, [waiting(account("many", 5, 9), 100), waiting(account("few", 5, 2))]),
  ).toEqual(["few"]);
});

it("takes nobody who is searched already, cannot be named, or is read through another endpoint", () => {
  const one = account("one", 5);
  const hidden = account("hidden", 5, 0, {
    probe: { fields: {}, probedAtMs: NOW, fullAtMs: NOW, hidden: 1 },
  });
  const gone = account("gone", 5, 0, { probe: { fields: null, probedAtMs: NOW, fullAtMs: NOW } });
  const others = [
    one,
    hidden,
    gone,
    account("nameless", 5, 0, { handle: "" }),
    account("unready", 5),
  ].map((member) => waiting(member));
  expect(piggybacking([moved(one, 5)], others, ["unready"])).toEqual([]);
});
