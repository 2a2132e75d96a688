/**
 * Converts what is known about an item to the JSON of the API: its stored verdicts and deliveries.
 * Used by the server, and by the command `explain` when no daemon runs.
 */
import { isoTime } from "../../model/clock.ts";
import type { ItemHistory } from "../../model/history.ts";
import type { ExplainLine, ExplainView } from "../schema/explain-view.ts";
import { markView } from "./delivery-words.ts";
import type { FoundItem } from "./views.ts";

export const explainView = (item: string, found: FoundItem): ExplainView => ({
  item,
  item_id: found.itemId,
  verdicts: found.histories.map((history) => explainLine(history, found)),
  first_reads: found.firstReads,
  unseen: found.unseen,
});

function explainLine(history: ItemHistory, { waits, paths }: FoundItem): ExplainLine {
  const { event } = history;
  return {
    watch: history.watch,
    target: history.target,
    item_id: history.itemId,
    verdict: history.verdict,
    detail: history.detail,
    occurred_at: isoTime(history.occurredAtMs),
    seen_at: isoTime(history.seenAtMs),
    event: event === undefined ? null : { id: event.id, type: event.type },
    acknowledged: markView(history.acknowledged),
    deliveries: history.deliveries.map((delivery) => ({
      sink: delivery.sink,
      state: delivery.state,
      message_id: delivery.messageId,
      attempts: delivery.attempts,
      sent_at: delivery.sentAtMs === null ? null : isoTime(delivery.sentAtMs),
      ref: delivery.ref,
      detail: delivery.detail,
      wait: waits.get(delivery) ?? null,
      ...paths.get(delivery),
    })),
  };
}
