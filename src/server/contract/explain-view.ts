/**
 * What happened to an item, as JSON: stored verdicts and deliveries in the words of the API. Used
 * by the server, and by `explain` when no daemon runs.
 */
import { isoTime } from "../../model/clock.ts";
import type { Verdict } from "../../model/event.ts";
import type { ItemHistory } from "../../model/history.ts";
import type { MarkView } from "./actions.ts";
import { markView } from "./delivery-words.ts";
import type { PathView } from "./path-view.ts";
import type { UnseenView } from "./unseen-view.ts";
import type { FoundItem, WaitView } from "./views.ts";

export interface ExplainDelivery extends Partial<PathView> {
  readonly sink: string;
  /** The state: waiting, held, sealed, sent, dead, muted, silenced or duplicate. */
  readonly state: string;
  readonly message_id: string | null;
  readonly attempts: number;
  readonly sent_at: string | null;
  /** The sink's own id of the message. */
  readonly ref: string | null;
  readonly detail: string;
  /** Why it waits; null if it does not. */
  readonly wait: WaitView | null;
}

export interface ExplainLine {
  readonly watch: string;
  readonly target: string;
  readonly item_id: string;
  readonly verdict: Verdict;
  readonly detail: string;
  readonly occurred_at: string;
  readonly seen_at: string;
  readonly event: { readonly id: string; readonly type: string } | null;
  /** The person who acknowledged the event; null if nobody did. */
  readonly acknowledged: MarkView | null;
  readonly deliveries: readonly ExplainDelivery[];
}

export interface ExplainView {
  /** The item as it was asked for. */
  readonly item: string;
  readonly item_id: string | null;
  /** A line for each watch and target that ever saw the item; empty if none did. */
  readonly verdicts: readonly ExplainLine[];
  /**
   * If there is no verdict: watches whose first read is not complete and may still find the item.
   */
  readonly first_reads: readonly string[];
  /** If there is no verdict and the item has an id: the reason for each watch. Otherwise null. */
  readonly unseen: UnseenView | null;
}

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
