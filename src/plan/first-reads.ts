/** What a plan takes once, before its rhythm begins: who is read with others is read by itself the first time, and handles are looked up. Pure. */
import { BATCH_SIZE } from "../model/batch.ts";
import { isAssumed } from "./forecast.ts";
import type { PlannedWatch } from "./plan-polls.ts";
import type { Poll, Pollable } from "./poll.ts";
import { sum } from "./sum.ts";

/** Whether a poll has a target whose first read is not done. */
export function hasUnreadTarget<T extends Pollable>(planned: readonly PlannedWatch<T>[]): (poll: Poll<T>) => boolean {
  const unread = new Set(
    planned.flatMap(({ targets }) =>
      targets.filter(({ baselineAtMs }) => baselineAtMs === null).map(({ watchKey, key }) => `${watchKey}\n${key}`),
    ),
  );
  return ({ subscribers }) => subscribers.some(({ watchKey, targetKey }) => unread.has(`${watchKey}\n${targetKey}`));
}

/**
 * Requests; the first read of what is polled by itself is one of its polls where intervals are counted from it, and comes before a cron's times.
 * `pagesOf`: requests of a read of a poll's whole list.
 */
export function firstRequests(polls: readonly Poll[], planned: readonly PlannedWatch[], pagesOf: (poll: Poll) => number): number {
  const unread = polls.flatMap((poll) => poll.group?.members ?? (isOnTheClock(poll) ? [poll] : [])).filter(hasUnreadTarget(planned));
  const profiles = new Set(unread.flatMap(profilesOf));
  const targets = planned.filter(({ paused }) => !paused).flatMap((one) => one.targets);
  const handles = new Set(targets.filter(isAssumed).map(({ userId }) => userId));
  const lists = unread.filter((poll) => profilesOf(poll).length === 0);
  return sum(lists, pagesOf) + Math.ceil(profiles.size / BATCH_SIZE) + Math.ceil(handles.size / BATCH_SIZE);
}

const isOnTheClock = ({ schedules, freshness }: Poll): boolean => freshness === undefined && schedules.every(({ kind }) => kind === "cron");

/** The accounts whose profiles it reads, a hundred in a request. */
const profilesOf = ({ source: { endpoint, params } }: Poll): readonly string[] =>
  endpoint === "info-batch" && Array.isArray(params["user_ids"]) ? (params["user_ids"] as readonly string[]) : [];
