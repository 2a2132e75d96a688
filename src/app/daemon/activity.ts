/** What the daemon does, as it happens, for whoever listens: events that were committed and results of deliveries. Keeps nothing. */
import type { ChirpEvent } from "../../model/event.ts";
import type { DeliveryResult } from "../../model/outbox.ts";
import type { OpenedStore } from "../../state/open.ts";

export type Activity =
  | { readonly kind: "event"; readonly event: ChirpEvent; readonly sinks: readonly string[] }
  | { readonly kind: "result"; readonly result: DeliveryResult };

export interface ActivityFeed {
  publish(activities: readonly Activity[]): void;
  /** Returns what ends it. Listeners do not throw. */
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

/** The store, which publishes what is committed: events are created by `commitPoll` alone, and results stored by `record`. */
export const publishingStore = (store: OpenedStore, feed: ActivityFeed): OpenedStore => ({
  ...store,
  async commitPoll(commit) {
    const result = await store.commitPoll(commit);
    if (result.status === "committed" && result.created.size > 0) {
      const sinksOf = (id: string) => commit.deliveries.filter(({ eventId }) => eventId === id).map(({ sink }) => sink);
      const created = commit.events.filter(({ id }) => result.created.has(id));
      feed.publish(created.map((event) => ({ kind: "event", event, sinks: sinksOf(event.id) })));
    }
    return result;
  },
  async record(results) {
    await store.record(results);
    feed.publish(results.map((result) => ({ kind: "result", result })));
  },
});
