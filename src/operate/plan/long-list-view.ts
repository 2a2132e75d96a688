/**
 * Member lists that are longer than a poll reads: what a first read of all of them takes, and how
 * long. Asks nobody.
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
  /** As the target is written in the YAML. */
  readonly target: string;
  readonly members: number;
  /** Requests that a read of all of it takes. */
  readonly whole_read_requests: number;
  /** Requests that the first one still takes; 0 once it is done, and where there is none. */
  readonly first_read_requests: number;
  /** How long that takes; null where there is nothing left to read. */
  readonly first_read_days: number | null;
  /** Whether newcomers are reported meanwhile. */
  readonly tells_newcomers: boolean;
  /** How often it is read whole from then on; 0: every poll reads on in it; null: never. */
  readonly whole_read_every_seconds: number | null;
  /** Whether it is read only where the service has not indexed the account. */
  readonly is_fallback: boolean;
}

interface LongList extends Omit<PlanLongListView, "first_read_days"> {
  readonly watchId: string;
  readonly pagesPerDay: number;
}

const DAY_MS = 86_400_000;
/** What catching up takes of an even pace where a plan leaves nothing, as the daemon does it. */
const MIN_SHARE = 0.1;

/** By watch id. */
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
  // Newcomers are reported beside it, so that nobody waits for the rest: it takes what the quota
  // can spare.
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
