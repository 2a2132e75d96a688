/**
 * Counts the requests that a plan needs once, in addition to its regular polls: for the first reads
 * of group members and for the lookups of handles. Pure.
 */
import { BATCH_SIZE } from "../model/batch.ts";
import { isAssumed } from "./forecast.ts";
import { namedHandles } from "../plan/polls/named-accounts.ts";
import type { PlannedWatch } from "../plan/polls/plan-polls.ts";
import type { Poll, Pollable } from "../plan/poll.ts";
import { sum } from "../plan/sum.ts";
import { schedulesOf } from "../plan/timing.ts";
import { MEMBERS_PER_PAGE, memberCountOf, readSoFar } from "../plan/polls/whole-reads.ts";

/** Returns a function that says whether a poll has a target whose first read is not complete. */
export function hasUnreadTarget<T extends Pollable>(
  planned: readonly PlannedWatch<T>[],
): (poll: Poll<T>) => boolean {
  const unread = new Set(
    planned.flatMap(({ targets }) =>
      targets
        .filter(({ baselineAtMs }) => baselineAtMs === null)
        .map(({ watchKey, key }) => `${watchKey}\n${key}`),
    ),
  );
  return ({ subscribers }) =>
    subscribers.some(({ watchKey, targetKey }) => unread.has(`${watchKey}\n${targetKey}`));
}

/**
 * Returns how many requests the first reads and lookups of a plan take. If a single poll has an
 * interval, its first read is a regular poll and does not count. With a cron pattern it counts,
 * because it is made before the first tick. `pagesOf` returns how many requests a complete read of
 * a poll's list takes.
 */
export function firstRequests(
  polls: readonly Poll[],
  planned: readonly PlannedWatch[],
  pagesOf: (poll: Poll) => number,
): number {
  const isUnread = hasUnreadTarget(planned);
  const all = polls.flatMap((poll) => poll.group?.members ?? [poll]);
  const unread = all.filter(isUnread);
  const isCounted = new Set(polls.filter((poll) => poll.group === undefined && !hasOnlyCron(poll)));
  const profiles = new Set(unread.filter((poll) => !isCounted.has(poll)).flatMap(profilesOf));
  const handles = new Set(planned.filter(({ paused }) => !paused).flatMap(unknownHandles));
  const lists = unread.filter((poll) => profilesOf(poll).length === 0);
  const reads = sum(
    lists,
    (poll) => (isReadWhole(poll) ? pagesOf(poll) : 1) - (isCounted.has(poll) ? 1 : 0),
  );
  const rest = sum(all, (poll) =>
    isUnread(poll) || !isReadWhole(poll) ? 0 : pagesLeft(poll, planned),
  );
  return (
    reads + rest + Math.ceil(profiles.size / BATCH_SIZE) + Math.ceil(handles.size / BATCH_SIZE)
  );
}

/** Whether a subscriber wants the complete list. */
const isReadWhole = ({ subscribers }: Poll): boolean =>
  subscribers.some(({ watch }) => watch.fullReadEveryMs !== Number.POSITIVE_INFINITY);

/**
 * Returns how many pages the first complete read of a list still needs, if new members are reported
 * before it ends.
 */
function pagesLeft({ subscribers: [first] }: Poll, planned: readonly PlannedWatch[]): number {
  const own = planned.find(({ watchKey }) => watchKey === first?.watchKey);
  const memory = own?.targets.find(({ key }) => key === first?.targetKey)?.memory ?? {};
  const [members, read] = [memberCountOf(memory), readSoFar(memory)];
  return members === undefined || read === undefined
    ? 0
    : Math.max(0, Math.ceil((members - read) / MEMBERS_PER_PAGE));
}

/**
 * Returns the handles to look up: those of the watch's targets and of other accounts that it names.
 */
function unknownHandles({ watch, type, targets }: PlannedWatch): readonly string[] {
  const { required, optional } = namedHandles(watch, type);
  return [...targets.filter(isAssumed).map(({ key }) => key.slice(1)), ...required, ...optional];
}

const hasOnlyCron = ({ timing }: Poll): boolean =>
  schedulesOf(timing).every(({ kind }) => kind === "cron");

/** Returns the user ids of the accounts whose profiles the poll requests, a hundred per request. */
const profilesOf = ({ source: { endpoint, params } }: Poll): readonly string[] =>
  endpoint === "info-batch" && Array.isArray(params["user_ids"])
    ? (params["user_ids"] as readonly string[])
    : [];
