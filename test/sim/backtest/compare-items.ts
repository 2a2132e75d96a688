/** Compares the verdicts on items that a state has with those of a replay. */
import type { ReplayedItem } from "../../../src/operate/backtest/replayed-watches.ts";
import type { LeftItem } from "./read-items.ts";

export interface ItemDifference {
  readonly watchKey: string;
  readonly itemId: string;
  readonly text: string;
}

export function compareItems(
  stored: readonly LeftItem[],
  replayed: readonly ReplayedItem[],
): readonly ItemDifference[] {
  const own = new Map<string, ReplayedItem>();
  for (const item of replayed) {
    const key = `${item.watchKey} ${item.targetKey} ${item.subject.split("/").at(-1)}`;
    const known = own.get(key);
    // A post that was kept back may raise an alert later. An account that joins again has an item
    // since it first did.
    const isLate = item.type === "tweet.created" && item.reason === undefined;
    if (known === undefined || (known.reason !== undefined && isLate)) own.set(key, item);
  }
  return stored.flatMap(({ watchKey, targetKey, itemId, verdict, detail }) => {
    const item = own.get(`${watchKey} ${targetKey} ${itemId}`);
    if (item !== undefined && isAlike(item, { verdict, detail })) return [];
    const replay =
      item === undefined ? "is not replayed" : `replayed: ${item.found} ${item.reason ?? "event"}`;
    const text = `item ${itemId} of ${watchKey}: ${verdict} ${detail}, ${replay}`;
    return [{ watchKey, itemId, text }];
  });
}

function isAlike(
  { found, reason }: ReplayedItem,
  { verdict, detail }: Pick<LeftItem, "verdict" | "detail">,
): boolean {
  if (reason === undefined) return verdict === "event";
  // What a `where` found is not part of the reasons that are counted.
  const isReason = reason.startsWith(WHERE)
    ? detail.startsWith(WHERE)
    : detail === reason || detail.startsWith(`${reason} (`);
  if (!isReason) return false;
  if (found !== "news") return verdict === found;
  return verdict === (reason === MISSED ? "baseline" : "filtered");
}

const WHERE = "where is false: ";
const MISSED = "it came while the watch was away";
