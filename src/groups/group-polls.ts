/**
 * Decides which polls are read as groups: timelines, member lists and searches that share a
 * schedule or freshness. Pure.
 */
import { BATCH_SIZE } from "../model/batch.ts";
import { accountsKey, toGroup } from "./accounts/group-accounts.ts";
import type { Freshness } from "../model/schedule.ts";
import { groupSpreadMs } from "../plan/polls/group-spread.ts";
import { type Members, sortByKind } from "../plan/polls/kinds.ts";
import { type Poll, type Pollable, userIdOf } from "../plan/poll.ts";
import { groupMemberLists, type ListGroupDeps } from "./member-lists/list-groups.ts";
import { groupSearches } from "./searches/search-groups.ts";
import { SharedProbes } from "./probing/shared-probes.ts";
import { strategyOf } from "../plan/polls/effective-settings.ts";

/**
 * The version of polls and their keys. Increase it in a release that plans other polls for the same
 * watches: replicas only share polls that are the same.
 */
export const PLANNER_VERSION = 1;

/**
 * A probe saves nothing for a single account. For two, a probe and a search cost at most as much as
 * two reads.
 */
const MIN_MEMBERS = 2;

/**
 * Returns the polls that stay as they are, then the groups. A group keeps its key when accounts are
 * added or removed.
 */
export function groupPolls<T extends Pollable>(
  polls: readonly Poll<T>[],
  deps: ListGroupDeps,
): readonly Poll<T>[] {
  const { kinds, rest } = sortByKind(polls, accountsKey);
  const shared = new SharedProbes();
  const alone = [...rest];
  const groups: Poll<T>[] = [];
  const fresh: (readonly [string, Members<T>])[] = [];
  for (const [kind, members] of [...kinds].sort(
    ([, [a]], [, [b]]) => a.intervalMs - b.intervalMs,
  )) {
    const [first] = members;
    const { timing } = first;
    const isFresh = timing.kind === "freshness";
    const isAsked =
      strategyOf(first) !== "auto" || (isFresh && !isCheaperAlone(first, timing.freshness, polls));
    if (members.length < MIN_MEMBERS && !isAsked) alone.push(...members);
    else if (isFresh) fresh.push([kind, members]);
    else
      groups.push(
        toGroup(kind, members, deps.hash, {
          probesPerRun: shared.add(first, members.map(userIdOf)),
        }),
      );
  }
  // The groups were added to `shared` first, so a request that serves a group and one of these
  // polls counts as the group's.
  const read = alone.map((poll) => (isReading(poll) ? withSharedProfiles(poll, shared) : poll));
  const asking = groups.length + fresh.length + alone.filter(isReading).length;
  const beside = fresh.map(([kind, members]) => {
    const mayBePiggybacked = asking > 1 && members.length <= BATCH_SIZE;
    return toGroup(kind, members, deps.hash, mayBePiggybacked ? { mayBePiggybacked } : {});
  });
  return [...groupMemberLists(groupSearches(read, deps.hash), deps, shared), ...groups, ...beside];
}

/**
 * Whether an account is cheaper to read on its own. If no other poll requests profiles, a read of
 * its timeline costs the same as a probe, and shows the posts and not only their number. If
 * profiles are requested anyway, a probe costs nothing. Under a mean, the account is probed,
 * because probes follow its own rate.
 */
const isCheaperAlone = (member: Poll, { kind }: Freshness, polls: readonly Poll[]): boolean =>
  kind === "p95" && polls.every((poll) => poll === member || !asksForProfiles(poll));

const asksForProfiles = (poll: Poll): boolean =>
  isReading(poll) ||
  (userIdOf(poll) !== "" && poll.subscribers.every(({ type }) => type.probeFields !== undefined));

/** Whether a poll reads profiles. Such a request shows as much as a probe. */
const isReading = ({ source, detector, group }: Poll): boolean =>
  source.endpoint === "info-batch" &&
  detector === "reading" &&
  group === undefined &&
  Array.isArray(source.params["user_ids"]);

function withSharedProfiles<T extends Pollable>(poll: Poll<T>, shared: SharedProbes): Poll<T> {
  const added = shared.add(poll, poll.source.params["user_ids"] as readonly string[]);
  return {
    ...poll,
    spreadMs: groupSpreadMs(poll),
    costRequests: Math.min(poll.costRequests, added),
  };
}
