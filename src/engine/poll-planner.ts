/**
 * Turns watches into polls, one plan at a time, and passes each plan to the parts that run polls,
 * watch for stalls, and remember polls.
 */
import { hasUnreadTarget } from "../forecast/first-reads.ts";
import { groupInSteps } from "../groups/group-polls.ts";
import type { Runners } from "../groups/runners.ts";
import { createInTurn, createRounds } from "../model/in-turn.ts";
import type { Log } from "../model/log.ts";
import type { PollStore } from "../model/poll-store.ts";
import type { Ports } from "../model/ports.ts";
import { yieldAfter, yieldBetween } from "../model/steps.ts";
import { type Share, shardOf } from "../model/replicas.ts";
import { planInSteps } from "../plan/polls/plan-polls.ts";
import type { Poll } from "../polling/watch-poll.ts";
import type { Timetable } from "../schedule/timetable.ts";
import type { StallMonitor } from "./health/stall-monitor.ts";
import type { PollHistory } from "./loop/poll-history.ts";
import type { PollLoop } from "./loop/poll-loop.ts";
import type { PlannedPolls } from "./planned-polls.ts";
import type { PlannedWatches } from "./planned-watches.ts";

export interface PollPlannerDeps extends Pick<Ports, "hash" | "clock" | "log"> {
  readonly share: Pick<Share, "submit" | "holds">;
  readonly watches: Pick<PlannedWatches, "all">;
  readonly polls: PlannedPolls;
  readonly store: Pick<PollStore, "loadSources">;
  readonly timetable: Timetable;
  readonly history: PollHistory;
  readonly runners: Pick<Runners, "load" | "pagesOf" | "keepOnly">;
  readonly loop: Pick<PollLoop, "setPolls">;
  readonly stalls: Pick<StallMonitor, "setPolls">;
}

export class PollPlanner {
  readonly #deps: PollPlannerDeps;
  readonly #inTurn = createInTurn();
  /**
   * The last plan. `polls` are its polls; `single` are the same polls before they were put into
   * groups.
   */
  #plan: { readonly single: readonly Poll[]; readonly polls: readonly Poll[] } = {
    single: [],
    polls: [],
  };

  constructor(deps: PollPlannerDeps) {
    this.#deps = deps;
  }

  /** Makes a new plan. Calls that come before the planning begins share one plan. */
  readonly replan = createRounds(() => this.#makePlan(), this.#inTurn);

  /** Passes the polls of the current plan that are assigned to this replica to the poll loop. */
  takeShare(): Promise<void> {
    return this.#inTurn(() => this.#takeHeld());
  }

  async #makePlan(): Promise<void> {
    const { watches, hash, timetable, clock, runners, share } = this.#deps;
    const single = await yieldBetween(
      planInSteps(watches.all, { hash, timetable, nowMs: clock.now() }),
    );
    await runners.load();
    await yieldAfter(single);
    const polls = await yieldBetween(groupInSteps(single, { hash, pagesOf: runners.pagesOf }));
    await yieldAfter(polls);
    await share.submit("poll", workOf(polls));
    this.#setPlan(single, polls);
    await yieldAfter(polls);
    await this.#takeHeld();
  }

  #setPlan(single: readonly Poll[], polls: readonly Poll[]): void {
    const { polls: planned, log, runners } = this.#deps;
    logPlan(log, planned.all, polls);
    planned.set(polls);
    runners.keepOnly(polls);
    this.#plan = { single, polls };
  }

  /** Loads when each poll last ran, because its due time is computed from that. */
  async #date(polls: readonly Poll[]): Promise<void> {
    const { watches, store, history } = this.#deps;
    const unknown = new Set(await history.load(polls, store));
    // A batch keeps its key when an entry is added to it. The entry was never polled, so the whole
    // batch is treated as never polled.
    const hasEntries = (poll: Poll) =>
      poll.group !== undefined || poll.subscribers.some(({ entry }) => entry !== undefined);
    const batches = polls.filter((poll) => unknown.has(poll.key) && hasEntries(poll));
    if (batches.length === 0) return;
    const isUnread = hasUnreadTarget(watches.all);
    for (const poll of batches) if (isUnread(poll)) history.lastPolledAtMs.delete(poll.key);
  }

  /**
   * Passes the polls that are assigned to this replica to the loop. Other replicas run the rest.
   */
  async #takeHeld(): Promise<void> {
    const { share, history, loop, stalls } = this.#deps;
    const { single, polls } = this.#plan;
    const held = polls.filter(({ key }) => share.holds("poll", shardOf(key)));
    await this.#date(held);
    history.keepOnly(held);
    loop.setPolls(held, history.lastPolledAtMs);
    const run = new Set(held.flatMap(keysOf));
    stalls.setPolls([
      ...single.filter(({ key }) => run.has(key)),
      ...held.filter(({ group }) => group !== undefined),
    ]);
  }
}

/** Returns the cost of each shard in requests per hour. */
function workOf(
  polls: readonly Poll[],
): readonly { readonly key: string; readonly cost: number }[] {
  const costs = new Map<string, number>();
  for (const { key, costRequests, intervalMs } of polls) {
    const shard = shardOf(key);
    costs.set(shard, (costs.get(shard) ?? 0) + (costRequests * 3_600_000) / intervalMs);
  }
  return [...costs].map(([key, cost]) => ({ key, cost }));
}

/** Returns the key of a poll and the keys of its group's members. */
const keysOf = ({ key, group }: Poll): readonly string[] => [
  key,
  ...(group?.members ?? []).map((member) => member.key),
];

/**
 * Writes debug lines about a new plan: one for the plan, and one for every poll that is new in it.
 * The field `source` connects a poll with the log lines of its runs.
 */
function logPlan(log: Log, before: readonly Poll[], after: readonly Poll[]): void {
  const old = new Set(before.map(({ key }) => key));
  const kept = new Set(after.map(({ key }) => key));
  const fresh = after.filter(({ key }) => !old.has(key));
  const dropped = before.filter(({ key }) => !kept.has(key));
  log.debug("polls planned", { polls: after.length, added: fresh.length, dropped: dropped.length });
  for (const { key, source, subscribers, group, priority, intervalMs, costRequests } of fresh)
    log.debug("poll planned", {
      source: key,
      endpoint: source.endpoint,
      watch: subscribers[0]?.watch.id ?? "",
      subscribers: subscribers.length,
      ...(group !== undefined && { group: group.kind, members: group.members.length }),
      priority,
      interval_ms: intervalMs,
      requests: costRequests,
    });
}
