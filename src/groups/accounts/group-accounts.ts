/**
 * Combines the polls of accounts that have the same timing into one poll of a group. The group's
 * poll probes many accounts with one request and reads only those that changed. Pure.
 */
import type { Hash } from "../../model/hash.ts";
import { strategyOf } from "../../plan/polls/effective-settings.ts";
import { groupSpreadMs } from "../../plan/polls/group-spread.ts";
import { joinMembers, type Members, sharedKey } from "../../plan/polls/kinds.ts";
import type { Poll, Pollable } from "../../plan/poll.ts";
import { middleOf } from "../../plan/range.ts";
import { spreadIn } from "../../plan/timing.ts";
import { probedRequests } from "./account-estimate.ts";

const DAY_MS = 86_400_000;

/**
 * Returns the key of the group to which a poll belongs; undefined for a poll that is read on its
 * own.
 */
export function accountsKey(poll: Poll): string | undefined {
  // The group reads its members with searches by author, which show the same posts as a timeline,
  // so only polls of timelines can be members.
  const isProbed =
    poll.source.endpoint === "user-tweets" &&
    poll.subscribers.every(({ type }) => type.probeFields !== undefined);
  return isProbed && strategyOf(poll) !== "single" ? sharedKey(poll) : undefined;
}

/**
 * Creates the poll of a group. `probing`: how many probe requests a run needs in addition to those
 * of other polls, and whether the accounts may be added to other probes at no cost.
 */
export function toGroup<T extends Pollable>(
  kind: string,
  members: Members<T>,
  hash: Hash,
  probing: Pick<NonNullable<Poll["group"]>, "probesPerRun" | "mayBePiggybacked">,
): Poll<T> {
  const joined = joinMembers("accounts", members);
  const poll = { ...joined, group: { ...joined.group, ...probing } };
  return {
    ...poll,
    key: hash(`group\n${kind}`),
    source: { endpoint: "info-batch", params: {}, boundParam: "query" },
    spreadMs: spreadIn(poll.timing, groupSpreadMs(poll)),
    costRequests: (middleOf(probedRequests(poll)) * poll.intervalMs) / DAY_MS,
  };
}
