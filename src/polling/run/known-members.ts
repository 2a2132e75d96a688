/** What the state has on the members that a poll of a list saw, and whom a complete read did not find. */
import type { ItemMark, PollStore } from "../../model/poll-store.ts";
import type { MissedMembers } from "../evaluate/evaluate-member-list.ts";
import { memberListMemoryOf, rosterRules } from "./observe-list.ts";
import type { PollState } from "./poll-state.ts";
import type { MemberListObservation } from "../read/read-member-list.ts";

type ListStore = Pick<PollStore, "itemMarks" | "knownMembers" | "absentMembers">;

/** Per subscriber. Members of a list whose departures are reported have no verdict that counts: they come and go. */
export async function knownMembersOf(
  store: ListStore,
  loaded: PollState,
  seen: MemberListObservation,
): Promise<readonly ReadonlyMap<string, ItemMark>[]> {
  const ids = seen.members.map(({ id }) => id);
  const rules = rosterRules(loaded);
  if (ids.length === 0) return rules.map(() => new Map());
  const { subscribers } = loaded.poll;
  const items = rules.some(({ left }) => left === undefined) ? await store.itemMarks(subscribers, ids) : [];
  const members = rules.some(({ left }) => left !== undefined) ? await store.knownMembers(subscribers, ids) : [];
  return rules.map(({ left }, index) => (left === undefined ? items[index] : asMarks(members[index])) ?? new Map());
}

const asMarks = (members: ReadonlySet<string> = new Set()): ReadonlyMap<string, ItemMark> =>
  new Map([...members].map((id) => [id, { verdict: "baseline", seenAtMs: 0 }]));

/** Per subscriber; undefined where leaving is not reported, and where the read was no complete one. */
export async function missedMembersOf(
  store: ListStore,
  loaded: PollState,
  { completedScanAtMs }: MemberListObservation,
): Promise<readonly (MissedMembers | undefined)[]> {
  if (completedScanAtMs === undefined) return [];
  const previousAtMs = memberListMemoryOf(loaded.source).fullAtMs;
  return Promise.all(
    rosterRules(loaded).map(async ({ left }, index) => {
      const subscriber = loaded.poll.subscribers[index];
      if (left === undefined || subscriber === undefined) return undefined;
      return { ...(await store.absentMembers(subscriber, completedScanAtMs)), previousAtMs };
    }),
  );
}
