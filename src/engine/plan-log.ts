/** Debug lines about plans: what is polled from now on, and what no longer. */
import type { Log } from "../model/log.ts";
import type { Poll } from "../polling/watch-poll.ts";

/** One line for the plan, and one for every poll that is new in it. `source` joins a poll to the lines of its runs. */
export function logPlan(log: Log, before: readonly Poll[], after: readonly Poll[]): void {
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
