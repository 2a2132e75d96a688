/**
 * Applies the active configuration to deliveries that already wait, and stores their new waits.
 * Runs after a start, after a reload, and when this process takes a sink over from another replica.
 * A mute, digest, throttle or group wait that was removed from the configuration then no longer
 * delays them.
 */
import type { Clock } from "../model/clock.ts";
import type { PlacedAgain, WaitingDelivery, WaitsStore } from "../model/waits.ts";
import type { WaitRules } from "./stages/mute.ts";

export interface AskAgainDeps {
  readonly store: Pick<WaitsStore, "waitingDeliveries" | "placeAgain" | "releaseHeld">;
  readonly clock: Clock;
  readonly waitRules?: WaitRules;
}

const AT_ONCE = 500;

export async function askAgain(
  { store, clock, waitRules }: AskAgainDeps,
  sink: string,
): Promise<void> {
  if (waitRules === undefined) return;
  const nowMs = clock.now();
  await store.releaseHeld(sink, nowMs);
  const held = new Map<string, Held>();
  for (let afterId = 0; ; ) {
    const waiting = await store.waitingDeliveries({ sink, nowMs, afterId, limit: AT_ONCE });
    const last = waiting.at(-1);
    if (last === undefined) return;
    await store.placeAgain({ sink, nowMs, afterId }, placedOf(waiting, waitRules, held));
    afterId = Number(last.deliveryId);
  }
}

type Held = Pick<PlacedAgain["delivery"], "notBeforeMs" | "heldBy">;

/**
 * Returns the new wait of each delivery. If a delivery undoes the fact of an earlier one (its
 * `once.undo`), and a mute still holds the earlier one, the later one waits at least as long.
 * `held` contains the facts that a mute holds, by their keys.
 */
const placedOf = (
  waiting: readonly WaitingDelivery[],
  rules: WaitRules,
  held: Map<string, Held>,
): readonly PlacedAgain[] =>
  waiting.flatMap((one) => {
    const delivery = rules.placeAgain(one);
    if (delivery === undefined) return [];
    const { once, notBeforeMs, heldBy } = delivery;
    const undone = held.get(once?.undo?.key ?? "");
    const isBehind = undone !== undefined && undone.notBeforeMs > notBeforeMs;
    const placed = isBehind ? { ...delivery, ...undone, groupKey: one.event.id } : delivery;
    if (once !== undefined && placed.heldBy !== undefined)
      held.set(once.key, { notBeforeMs: placed.notBeforeMs, heldBy: placed.heldBy });
    else if (once !== undefined && heldBy === undefined) held.delete(once.key);
    return [{ waiting: one, delivery: placed }];
  });
