/**
 * Decides again, by the active configuration, about a delivery that waits and may have been routed
 * by another configuration: whether a mute holds it, which group it belongs to, and until when it
 * waits. Pure.
 */
import { digestGroup, readDigestGroup } from "../model/digest.ts";
import { isEscalation } from "../model/escalation.ts";
import type { MuteableDelivery } from "../model/outbox.ts";
import type { Hold, PlacedAgain, WaitingDelivery } from "../model/waits.ts";
import { muteOf } from "./mute.ts";
import { isSummaryGroup, opsAlertGroupOf, TARGET_ALERTS_WAIT_MS } from "./noise.ts";
import type { EscalationStep, Muting, Route } from "./route.ts";
import {
  type ChosenReceiver,
  findReceivers,
  heldGroupKey,
  placeAt,
  snoozeDelivery,
  type RoutingContext,
} from "./route-event.ts";
import { routedPlace } from "./routed-place.ts";
import { isOpsAlert } from "./select-routes.ts";

type Placed = Pick<MuteableDelivery, "event"> & {
  readonly routed?: MuteableDelivery["routed"] | undefined;
  readonly sink: string;
};

/**
 * Returns the mute that holds a waiting delivery; undefined if there is none. A mute that drops
 * alerts only drops new ones; alerts that already wait are held.
 */
export function muteHold(delivery: Placed, context: RoutingContext): Hold | undefined {
  const receiver = receiverNow(delivery, context);
  if (receiver === undefined) return undefined;
  const { facts, route } = receiver;
  if (isEscalation(delivery.event)) return holdNow(facts, context.nowMs);
  if (isOpsAlert(delivery.event))
    return route === undefined ? undefined : holdNow(route, context.nowMs);
  return holdNow({ ...facts, ...route }, context.nowMs);
}

/**
 * Returns the mute that holds a message that is not an alert and goes directly to the sink;
 * undefined if none does.
 */
export function holdNow(muting: Muting, nowMs: number): Hold | undefined {
  const mute = muteOf({ ...muting, onMute: "hold" }, nowMs, nowMs);
  return mute.kind === "hold" ? { untilMs: mute.untilMs, heldBy: mute.name } : undefined;
}

/**
 * Returns the group and the times of a waiting delivery; undefined if its sink is not configured.
 */
export function placeWaiting(
  waiting: WaitingDelivery,
  context: RoutingContext,
): PlacedAgain["delivery"] | undefined {
  const receiver = receiverNow(waiting, context);
  if (receiver === undefined) return undefined;
  const { event } = waiting;
  const spentMs = Math.max(0, context.nowMs - waiting.createdAtMs);
  const made = placeAt(event, stillWaiting(receiver, spentMs), context.nowMs);
  const shared =
    opsAlertGroupOf(event) === made.groupKey
      ? { groupWaitMs: Math.max(0, TARGET_ALERTS_WAIT_MS - spentMs) }
      : {};
  const kept = keptGroup(waiting, { receiver, made, nowMs: context.nowMs });
  const placed = { originalGroupKey: null, ...made, ...shared, ...kept };
  const held =
    placed.heldBy === undefined
      ? placed
      : { ...placed, groupKey: heldGroupKey(event, placed.groupKey, placed.notBeforeMs) };
  return snoozeDelivery(event, held, context);
}

/**
 * Returns the steps of `escalate` for an alert of a sink. Those of its route replace those of the
 * sink.
 */
export function escalationOf(delivery: Placed, context: RoutingContext): readonly EscalationStep[] {
  const receiver = receiverNow(delivery, context);
  const escalate = receiver?.route?.escalate ?? receiver?.facts.escalate ?? false;
  return escalate === false ? [] : escalate;
}

/**
 * Returns the receiver with the remaining part of the wait for its group. A delivery that already
 * waits is never dropped.
 */
const stillWaiting = ({ sink, facts, route }: ChosenReceiver, spentMs: number): ChosenReceiver => ({
  sink,
  facts: { ...facts, onMute: "hold" },
  ...(route === undefined
    ? {}
    : {
        route: { ...route, onMute: "hold", groupWaitMs: Math.max(0, route.groupWaitMs - spentMs) },
      }),
});

interface Remade {
  readonly receiver: ChosenReceiver;
  readonly made: ReturnType<typeof placeAt>;
  readonly nowMs: number;
}

/**
 * Returns the parts of the waiting delivery's group that stay the same; none if the group is
 * decided again. A delivery keeps a group that no setting creates, such as the digest of a
 * backfill, and the digest of a throttle that is still configured.
 */
function keptGroup(
  waiting: WaitingDelivery,
  { receiver, made, nowMs }: Remade,
): Partial<PlacedAgain["delivery"]> {
  const { groupKey, heldBy, dueAtMs, groupIntervalMs } = waiting;
  const groupWaitMs = heldBy === null ? Math.max(0, dueAtMs - nowMs) : 0;
  const kept = { groupWaitMs, groupIntervalMs: groupIntervalMs ?? 0 };
  if (isSummaryGroup(groupKey)) return { ...kept, groupKey };
  const digest = readDigestGroup(groupKey);
  if (digest === undefined || digest.cause === "schedule" || made.digestAtMs !== undefined)
    return {};
  // If a mute held the group, the name is followed by a line with the time at which the mute ends.
  const [name = ""] = digest.name.split("\n");
  if (digest.cause !== "throttle") return { ...kept, groupKey: digestGroup(digest.cause, name) };
  const throttle = receiver.route?.throttle ?? receiver.facts.throttle;
  if (throttle === undefined || made.throttleKey !== name) return { groupWaitMs: 0 };
  const { originalGroupKey } = waiting;
  return {
    groupKey: digestGroup("throttle", name),
    originalGroupKey,
    groupWaitMs: Math.min(groupWaitMs, throttle.digestIntervalMs),
  };
}

/**
 * Returns a delivery's sink with the route that would send the event there now. If there is none,
 * returns the sink with the route that sent it originally, if that route is still configured, or
 * without a route. Undefined if the sink is not configured.
 */
function receiverNow(
  { event, sink, routed }: Placed,
  context: RoutingContext,
): ChosenReceiver | undefined {
  const facts = context.sinks.get(sink);
  if (facts === undefined) return undefined;
  if (isEscalation(event)) return { sink, facts };
  const found = findReceivers(event, context).find((one) => one.sink === sink);
  if (found !== undefined || routed?.by !== "route") return found ?? { sink, facts };
  const route =
    context.tree === undefined
      ? undefined
      : findRoute(context.tree, (one) => isPlacedBy(one, routed));
  return { sink, facts, route };
}

const isPlacedBy = (route: Route, routed: NonNullable<Placed["routed"]>): boolean => {
  const now = routedPlace(route, false);
  return (
    now.route === routed.route && JSON.stringify(now.matchers) === JSON.stringify(routed.matchers)
  );
};

function findRoute(route: Route, test: (route: Route) => boolean): Route | undefined {
  if (test(route)) return route;
  return route.routes.map((child) => findRoute(child, test)).find((found) => found !== undefined);
}
