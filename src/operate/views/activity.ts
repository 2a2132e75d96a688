/**
 * Publishes what the daemon does as it happens: events that were committed and results of
 * deliveries. Stores nothing.
 */
import type { ChirpEvent } from "../../model/event.ts";
import type { DeliveryResult } from "../../model/outbox.ts";
import type { OpenedStore } from "../../state/open.ts";

export type Activity =
  | { readonly kind: "event"; readonly event: ChirpEvent; readonly sinks: readonly string[] }
  | { readonly kind: "result"; readonly result: DeliveryResult };

export interface ActivityFeed {
  publish(activities: readonly Activity[]): void;
  /** Adds a listener and returns a function that removes it. Listeners must not throw. */
  listen(listener: (activities: readonly Activity[]) => void): () => void;
}

export function createActivityFeed(): ActivityFeed {
  const listeners = new Set<(activities: readonly Activity[]) => void>();
  return {
    publish(activities) {
      if (activities.length > 0) for (const listener of listeners) listener(activities);
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/**
 * Wraps the store and publishes what it commits: new events from `commitPoll`, events whose
 * enrichment is complete from `storeEnrichments`, and results of deliveries from `record`.
 */
export const publishingStore = (store: OpenedStore, feed: ActivityFeed): OpenedStore => ({
  ...store,
  async commitPoll(commit) {
    const result = await store.commitPoll(commit);
    if (result.status === "committed" && result.created.size > 0) {
      const sinksOf = (id: string) =>
        commit.deliveries.filter(({ eventId }) => eventId === id).map(({ sink }) => sink);
      const later = new Set(commit.enrichments?.map(({ eventId }) => eventId));
      const created = commit.events.filter(({ id }) => result.created.has(id) && !later.has(id));
      feed.publish(created.map((event) => ({ kind: "event", event, sinks: sinksOf(event.id) })));
    }
    return result;
  },
  async storeEnrichments(round) {
    const completed = await store.storeEnrichments(round);
    const routed = round.enriched.filter(({ event }) => completed.has(event.id));
    feed.publish(
      routed.map(({ event, deliveries }) => ({
        kind: "event",
        event,
        sinks: deliveries.map(({ sink }) => sink),
      })),
    );
    return completed;
  },
  async record(results, escalating) {
    await store.record(results, escalating);
    feed.publish(results.map((result) => ({ kind: "result", result })));
  },
});
