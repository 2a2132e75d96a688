/**
 * Decides which polls are combined into groups: polls of timelines, of member lists and of searches
 * that have the same timing. Pure.
 */
import { BATCH_SIZE } from "../model/batch.ts";
import { accountsKey, toGroup } from "./accounts/group-accounts.ts";
import type { Freshness } from "../model/schedule.ts";
import { atOnce, type Steps } from "../model/steps.ts";
import { groupSpreadMs } from "../plan/polls/group-spread.ts";
import { type Members, sortByKind } from "../plan/polls/kinds.ts";
import { type Poll, type Pollable, userIdOf } from "../plan/poll.ts";
import { groupMemberLists, type ListGroupDeps } from "./member-lists/list-groups.ts";
import { groupSearches } from "./searches/search-groups.ts";
import { SharedProbes } from "./probing/shared-probes.ts";
import { strategyOf } from "../plan/polls/effective-settings.ts";

/**
 * The version of the planner. Increase it in a release that creates other polls or other keys for
 * the same watches, because replicas can only share work if they create the same polls.
 */
export const PLANNER_VERSION = 1;

/**
 * The minimum number of polls in a group. For a single account a probe saves nothing. For two
 * accounts, a probe and a search cost at most as much as two reads.
 */
const MIN_MEMBERS = 2;

/**
 * Returns the polls that are read on their own, and the polls of the groups. A group keeps its key
 * when members are added or removed.
 */
export const groupPolls = <T extends Pollable>(
  polls: readonly Poll<T>[],
  deps: ListGroupDeps,
): readonly Poll<T>[] => atOnce(groupInSteps(polls, deps));

/** Does what `groupPolls` does, in steps. */
export function* groupInSteps<T extends Pollable>(
  polls: readonly Poll<T>[],
  deps: ListGroupDeps,
): Steps<readonly Poll<T>[]> {
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
  // The groups were added to `shared` before these polls, so a request that serves a group and one
  // of these polls counts as a request of the group.
  const read = alone.map((poll) => (isReading(poll) ? withSharedProfiles(poll, shared) : poll));
  const asking = groups.length + fresh.length + alone.filter(isReading).length;
  const beside = fresh.map(([kind, members]) => {
    const mayBePiggybacked = asking > 1 && members.length <= BATCH_SIZE;
    return toGroup(kind, members, deps.hash, mayBePiggybacked ? { mayBePiggybacked } : {});
  });
  const searches = yield* groupSearches(read, deps.hash);
  return [...groupMemberLists(searches, deps, shared), ...groups, ...beside];
}

/**
 * Whether an account is cheaper to read on its own than by probes. If no other poll requests
 * profiles, a read of the timeline costs as much as a probe and also shows the posts. If other
 * polls request profiles, a probe costs nothing. If the `freshness` is a mean delay, the account is
 * always probed, because only probes follow the account's own posting rate.
 */
const isCheaperAlone = (member: Poll, { kind }: Freshness, polls: readonly Poll[]): boolean =>
  kind === "p95" && polls.every((poll) => poll === member || !asksForProfiles(poll));

const asksForProfiles = (poll: Poll): boolean =>
  isReading(poll) ||
  (userIdOf(poll) !== "" && poll.subscribers.every(({ type }) => type.probeFields !== undefined));

/**
 * Whether a poll requests profiles for a watch of values. Such a request also serves as a probe.
 */
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
