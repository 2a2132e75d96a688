/** Turns the daemon's activity into the lines that `tail` prints. */
import { type Clock, isoTime } from "../../model/clock.ts";
import type { History } from "../../model/history.ts";
import type { DeliveryResult } from "../../model/outbox.ts";
import { cleanLine } from "../../render/text/clean-text.ts";
import type { TailFilter, TailLine } from "../../server/schema/tail-view.ts";
import type { Activity, ActivityFeed } from "./activity.ts";
import { createReader } from "../create-reader.ts";

export interface TailDeps {
  readonly feed: ActivityFeed;
  readonly store: Pick<History, "alertsOfMessages">;
  readonly clock: Clock;
  readonly linksHost: () => string;
}

/** Pushes lines in the order in which things happen. Returns a function that stops it. */
export function followActivity(
  deps: TailDeps,
  filter: TailFilter,
  push: (line: TailLine) => void,
): () => void {
  let isOver = false;
  let before = Promise.resolve();
  const publish = async (activities: readonly Activity[], at: string) => {
    const lines = await linesOf(deps, activities, at).catch(() => []);
    if (!isOver) for (const line of lines) if (isWanted(line, filter)) push(line);
  };
  const stop = deps.feed.listen((activities) => {
    const at = isoTime(deps.clock.now());
    before = before.then(() => publish(activities, at));
  });
  return () => {
    isOver = true;
    stop();
  };
}

async function linesOf(
  { store, linksHost }: TailDeps,
  activities: readonly Activity[],
  at: string,
): Promise<readonly TailLine[]> {
  const results = activities.flatMap((one) => (one.kind === "result" ? [one.result] : []));
  const messages =
    results.length === 0
      ? []
      : await store.alertsOfMessages(results.map(({ messageId }) => messageId));
  const byId = new Map(messages.map((message) => [message.messageId, message]));
  return activities.flatMap((one): readonly TailLine[] => {
    if (one.kind === "event") {
      const { event, sinks } = one;
      const { title, url = null } = createReader(linksHost())({ event, watches: [event.watch] });
      return [
        {
          kind: "event",
          at,
          id: event.id,
          type: event.type,
          watch: event.watch,
          title: cleanLine(title),
          url,
          sinks,
        },
      ];
    }
    const message = byId.get(one.result.messageId);
    return message === undefined
      ? []
      : [{ ...deliveryOf(one.result, at), sink: message.sink, alerts: message.alerts }];
  });
}

const deliveryOf = (result: DeliveryResult, at: string) => ({
  kind: "delivery" as const,
  at,
  message_id: result.messageId,
  outcome: result.kind,
  error: result.kind === "sent" ? "" : cleanLine(result.error),
  next_attempt_at: result.kind === "retry" ? isoTime(result.nextAttemptAtMs) : null,
});

function isWanted(line: TailLine, { watch, sink }: TailFilter): boolean {
  const watches = line.kind === "event" ? [line.watch] : line.alerts.map((alert) => alert.watch);
  const sinks = line.kind === "event" ? line.sinks : [line.sink];
  return (
    (watch === undefined || watches.includes(watch)) && (sink === undefined || sinks.includes(sink))
  );
}
