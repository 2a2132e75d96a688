/**
 * Splits a message that its receiver refused as too large. Its alerts are sent in several messages,
 * each with its own id. If a part is refused as too large, it is split again.
 */
import { readDigestGroup } from "../../model/digest.ts";
import type { Log } from "../../model/log.ts";
import type { Outbox } from "../../model/outbox.ts";
import { newMessageId } from "../../model/message-id.ts";
import type { Random } from "../../model/random.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import type { ClaimedMessage } from "../queue/sink-queue.ts";
import { type LayOutDeps, layOutHalves } from "./lay-out.ts";
import { type Item, wordedItems } from "./seal.ts";
import type { Attempt } from "./send.ts";
import type { WordEvents } from "./word-events.ts";

export interface HalveDeps {
  readonly store: Pick<Outbox, "membersOf" | "splitMessage">;
  readonly random: Random;
  readonly log: Log;
  readonly layOut: LayOutDeps;
  readonly wordEvents: WordEvents;
}

/**
 * Splits the message. Returns false if it has at most one alert, so that the refusal is final.
 * @throws StoreError if the parts could not be stored; nothing has changed then
 */
export type Halve = (
  claimed: ClaimedMessage,
  refusal: Attempt & { readonly kind: "failed" },
) => Promise<boolean>;

export function createHalve(deps: HalveDeps): Halve {
  const { store, random, log } = deps;
  return async ({ queue, message }, { atMs, error }) => {
    const { listed, summarised, period } = await store.membersOf(message.id);
    const { groupKey } = message;
    const bundle = { groupKey, throttleKey: null, cause: readDigestGroup(groupKey)?.cause };
    const [items = []] = await wordedItems(deps, queue, [{ ...bundle, members: listed }]);
    if (items.length < 2) return false;
    const idsByEvent = new Map<OutboxEvent, Item["deliveryIds"]>(
      items.map(({ event, deliveryIds }) => [event, deliveryIds]),
    );
    // The mentions that the message contains are found by a search in its body.
    const sent = JSON.stringify(message.body);
    const mentions = (queue.sink.mentions ?? []).flatMap(({ text }) =>
      sent.includes(JSON.stringify(text).slice(1, -1)) ? [text] : [],
    );
    const laidOut = await layOutHalves(
      deps.layOut,
      queue,
      { listed: [...idsByEvent.keys()], unlisted: summarised },
      { ...bundle, mentions, period },
    );
    const parts = laidOut.map(({ events, body }) => ({
      id: newMessageId(random, atMs),
      body,
      deliveryIds: events.flatMap((event) => idsByEvent.get(event) ?? []),
    }));
    await store.splitMessage({ messageId: message.id, parts, atMs, error: error.message });
    log.info("a message was too large for its sink and goes out in parts", {
      sink: queue.name,
      message: message.id,
      alerts: items.length,
      parts: parts.length,
      error: error.message,
    });
    return true;
  };
}
