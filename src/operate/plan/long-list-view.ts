/**
 * Describes the member lists that are too long for a single poll: how many requests and days their
 * first complete read takes. Makes no requests.
 */
import { spendingLimit } from "../../budget/spending-limit.ts";
import type { Watch } from "../../model/watch.ts";
import { type Forecast, MONTH_DAYS } from "../../forecast/forecast.ts";
import type { PlannedWatch } from "../../plan/polls/plan-polls.ts";
import { sum } from "../../plan/sum.ts";
import {
  MEMBERS_PER_PAGE,
  memberCountOf,
  readSoFar,
  wholeReadEveryMs,
} from "../../plan/polls/whole-reads.ts";
import { endpointOf } from "./list-lengths.ts";
import type { PlanQuota } from "./plan-quota.ts";
import { watchTypeOf } from "../../watches/registry.ts";

export interface PlanLongListView {
  /** The target as it is written in the YAML. */
  readonly target: string;
  readonly members: number;
  /** Requests that a complete read takes. */
  readonly whole_read_requests: number;
  /** Requests that the first complete read still needs; 0 if it is done, or if none is planned. */
  readonly first_read_requests: number;
  /** How many days these requests take; null if there is nothing left to read. */
  readonly first_read_days: number | null;
  /** Whether new members are reported before the first complete read is done. */
  readonly tells_newcomers: boolean;
  /**
   * Seconds between complete reads after the first one; 0 if every poll continues a complete read,
   * null if there are no more complete reads.
   */
  readonly whole_read_every_seconds: number | null;
  /** Whether the list is read only because the service has not indexed the account. */
  readonly is_fallback: boolean;
}

interface LongList extends Omit<PlanLongListView, "first_read_days"> {
  readonly watchId: string;
  readonly pagesPerDay: number;
}

const DAY_MS = 86_400_000;
/**
 * First reads of long lists get at least this share of an even pace, even if the plan leaves
 * nothing to spare (`budget/catch-up.ts`).
 */
const MIN_SHARE = 0.1;

/** Returns the views by watch id. */
export function longListViews(
  planned: readonly PlannedWatch[],
  { polls, requestsPerDay }: Pick<Forecast, "polls" | "requestsPerDay">,
  { limit, reserve }: Pick<PlanQuota, "limit"> & { readonly reserve: number },
): ReadonlyMap<string, readonly PlanLongListView[]> {
  const intervals = new Map(
    polls.flatMap(({ poll }) => poll.subscribers.map(({ watch }) => [watch.id, poll.intervalMs])),
  );
  const lists = planned.flatMap((one) =>
    one.paused ? [] : listsOf(one, intervals.get(one.watch.id) ?? DAY_MS),
  );
  const line =
    spendingLimit({ monthly: limit ?? undefined, reserve, purpose: "poll" }) ??
    Number.POSITIVE_INFINITY;
  const evenPerDay = line / MONTH_DAYS;
  const sparePerDay = Math.max(evenPerDay - requestsPerDay, evenPerDay * MIN_SHARE);
  // Lists that report new members before their first read is done are read in the background. All
  // of these first reads share the requests that the quota can spare.
  const waiting = sum(lists, (list) =>
    list.tells_newcomers && !list.is_fallback ? list.first_read_requests : 0,
  );
  const views = new Map<string, PlanLongListView[]>();
  for (const { watchId, pagesPerDay, ...list } of lists) {
    const { first_read_requests: requests, tells_newcomers: isBehind } = list;
    const days = Math.max(
      requests / pagesPerDay,
      isBehind ? Math.max(requests, waiting) / sparePerDay : 0,
    );
    const view = { ...list, first_read_days: requests === 0 ? null : Math.round(days * 10) / 10 };
    views.set(watchId, [...(views.get(watchId) ?? []), view]);
  }
  return views;
}

function listsOf({ watch, targets }: PlannedWatch, intervalMs: number): readonly LongList[] {
  const { detection } = watchTypeOf(watch);
  if (detection.detector !== "roster") return [];
  return targets.flatMap((target) => {
    const members = target.userId === null ? undefined : memberCountOf(target.memory);
    if (members === undefined || members <= watch.maxPages * MEMBERS_PER_PAGE) return [];
    const all = { ...target, memory: { ...target.memory, mode: "all" } };
    const { mode } = detection.rule(watch.settings, all);
    if (mode === "window") return [];
    const everyMs = wholeReadEveryMs([{ watch }], members);
    return [
      {
        watchId: watch.id,
        target: target.name,
        members,
        whole_read_requests: Math.ceil(members / MEMBERS_PER_PAGE),
        first_read_requests: leftToRead(watch, target, members),
        tells_newcomers: mode === "newest",
        whole_read_every_seconds:
          mode === "whole" ? 0 : Number.isFinite(everyMs) ? everyMs / 1_000 : null,
        is_fallback: endpointOf(watch, target) !== endpointOf(watch, all),
        pagesPerDay: watch.maxPages * (DAY_MS / intervalMs),
      },
    ];
  });
}

function leftToRead(
  { fullReadEveryMs }: Watch,
  { baselineAtMs, memory }: PlannedWatch["targets"][number],
  members: number,
): number {
  const read = readSoFar(memory);
  const isDone = baselineAtMs !== null && memory["partial"] === undefined && read === undefined;
  if (isDone || fullReadEveryMs === Number.POSITIVE_INFINITY) return 0;
  return Math.max(0, Math.ceil((members - (read ?? 0)) / MEMBERS_PER_PAGE));
}
