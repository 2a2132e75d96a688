/**
 * Turns polls of accounts with the same schedule into one poll of the group, which probes many
 * accounts with one request and reads those that changed. Pure.
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
 * Returns the key of the group to which a poll belongs; undefined for a poll that shares its
 * requests with no other.
 */
export function accountsKey(poll: Poll): string | undefined {
  // A search by author shows what a timeline shows, so only timelines can be read that way.
  const isProbed =
    poll.source.endpoint === "user-tweets" &&
    poll.subscribers.every(({ type }) => type.probeFields !== undefined);
  return isProbed && strategyOf(poll) !== "single" ? sharedKey(poll) : undefined;
}

/**
 * Creates the poll of the group. `probing` says how many probes a run adds to those of other polls,
 * and whether the accounts may be piggybacked on probes of others.
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
