/**
 * Finds an item by what people write when they ask about it: a tweet id or link, a user id, a
 * handle or a profile link, or the id of an event.
 */
import { parseAccount } from "../../model/account.ts";
import type { DeliveryPath, History } from "../../model/history.ts";
import type { WaitReader } from "../alerts/waiting.ts";
import type { PathReader } from "./delivery-path.ts";
import { isTweetId, type UnseenItem } from "./unseen.ts";
import type { FoundItem } from "../../server/contract/views.ts";

const STATUS_LINK = /(?:\/([A-Za-z0-9_]{1,15}))?\/status(?:es)?\/(\d+)/;

/** An event id as `runtime/hash.ts` makes them. No id of an item and no handle is that long. */
const EVENT_ID = /^[\w-]{22}$/;

export interface ItemReaders {
  readonly readWait: WaitReader;
  readonly readPath: PathReader;
}

export async function findItem(
  store: History,
  item: string,
  { readWait, readPath }: ItemReaders,
): Promise<Omit<FoundItem, "firstReads" | "unseen">> {
  const text = item.trim();
  const ofEvent = EVENT_ID.test(text) ? await store.explainEvent(text) : [];
  const itemId = ofEvent[0]?.itemId ?? (await itemIdOf(store, text));
  const histories =
    ofEvent.length > 0 ? ofEvent : itemId === null ? [] : await store.explainItem(itemId);
  const deliveries = histories.flatMap((history) => history.deliveries);
  const waits = new Map(
    deliveries.flatMap((one) =>
      one.wait === null ? [] : [[one, readWait(one.sink, one.wait)] as const],
    ),
  );
  const paths = new Map(
    histories.flatMap(({ event, deliveries: own }) =>
      event === undefined
        ? []
        : own.filter(isRouted).map((one) => [one, readPath(event, one)] as const),
    ),
  );
  return { itemId, histories, waits, paths };
}

/** Crossposts, and events that wait for their enrichment, have no route. */
const isRouted = ({ groupKey }: DeliveryPath): boolean => groupKey !== "";

async function itemIdOf(store: History, text: string): Promise<string | null> {
  if (/^\d+$/.test(text)) return text;
  const tweetId = STATUS_LINK.exec(text)?.[2];
  if (tweetId !== undefined) return tweetId;
  const account = parseAccount(text);
  if (account === undefined) return null;
  return account.kind === "id" ? account.id : store.userIdOfHandle(account.handle);
}

/**
 * Returns the facts that the text contains about an item with a known id. A link to a tweet also
 * names its author, unless the link has `i` in place of the handle.
 */
export function unseenItem(item: string, id: string, nowMs: number): UnseenItem {
  const link = STATUS_LINK.exec(item.trim());
  const handle = link?.[1]?.toLowerCase();
  return {
    id,
    isTweet: link !== null || isTweetId(item.trim(), nowMs),
    author: handle === "i" ? undefined : handle,
  };
}
