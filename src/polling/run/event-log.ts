/** Debug lines about events: where each goes, and which run of a poll it came from. */
import type { Log } from "../../model/log.ts";
import type { NewDelivery, PollCommit } from "../../model/poll-store.ts";

/** Of the events that a commit created. `trace`: the run of a poll that they came from, if any. */
export function logEvents(log: Log, commit: PollCommit, created: ReadonlySet<string>, trace?: string): void {
  const byEvent = new Map<string, NewDelivery[]>();
  for (const delivery of commit.deliveries) byEvent.set(delivery.eventId, [...(byEvent.get(delivery.eventId) ?? []), delivery]);
  for (const { id, type, watch, subject } of commit.events) {
    if (!created.has(id)) continue;
    const deliveries = byEvent.get(id) ?? [];
    const muted = deliveries.filter(({ mutedBy }) => mutedBy !== undefined);
    const silenced = deliveries.filter(({ mutedBy, silencedBy }) => mutedBy === undefined && silencedBy !== undefined);
    log.debug("event routed", {
      ...(trace !== undefined && { trace }),
      event: id,
      type,
      watch,
      subject,
      sinks: deliveries.filter((one) => !muted.includes(one) && !silenced.includes(one)).map(({ sink }) => sink),
      ...(muted.length > 0 && { muted: muted.map(({ sink, mutedBy }) => `${sink}: ${mutedBy}`) }),
      ...(silenced.length > 0 && { silenced: silenced.map(({ sink, silencedBy }) => `${sink}: ${silencedBy}`) }),
    });
  }
}
