/**
 * What the active configuration says of a delivery that waits: whether a mute holds it now, where
 * it belongs, and until when it waits there. The configuration that it was routed by may have been
 * another one. Pure.
 */
import { digestGroup, readDigestGroup } from "../model/digest.ts";
import type { MuteableDelivery } from "../model/outbox.ts";
import type { Hold, PlacedAgain, WaitingDelivery } from "../model/waits.ts";
import { muteOf } from "./mute.ts";
import { isSummaryGroup, opsAlertGroupOf, TARGET_ALERTS_WAIT_MS } from "./noise.ts";
import type { Muting, Route } from "./route.ts";
import {
  type ChosenReceiver,
  findReceivers,
  heldGroupKey,
  placeAt,
  type RoutingContext,
} from "./route-event.ts";
import { routedPlace } from "./routed-place.ts";
import { isOpsAlert } from "./select-routes.ts";

type Placed = Pick<MuteableDelivery, "event" | "routed"> & { readonly sink: string };

/**
 * Undefined when nothing holds it. Where mutes drop what is found in them, they hold what was found
 * before.
 */
export function muteHold(delivery: Placed, context: RoutingContext): Hold | undefined {
  const receiver = receiverNow(delivery, context);
  if (receiver === undefined) return undefined;
  const { facts, route } = receiver;
  if (isOpsAlert(delivery.event))
    return route === undefined ? undefined : holdNow(route, context.nowMs);
  return holdNow({ ...facts, ...route }, context.nowMs);
}

/** The same for what is no alert and goes where the sink posts. */
export function holdNow(muting: Muting, nowMs: number): Hold | undefined {
  const mute = muteOf({ ...muting, onMute: "hold" }, nowMs, nowMs);
  return mute.kind === "hold" ? { untilMs: mute.untilMs, heldBy: mute.name } : undefined;
}

/** Undefined for a sink that is not configured. */
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
  if (placed.heldBy === undefined) return placed;
  return { ...placed, groupKey: heldGroupKey(event, placed.groupKey, placed.notBeforeMs) };
}

/**
 * Its route and sink, with what is left of the wait for its group. What waits already is not
 * dropped.
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
 * Groups that no setting asks for go on as they are, and so does the digest of a throttle that is
 * still written.
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
  // Behind the name stands until when a mute held them.
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
 * The route that takes such events to that sink now; else the one that did, where it is as it was;
 * else the sink alone.
 */
function receiverNow(
  { event, sink, routed }: Placed,
  context: RoutingContext,
): ChosenReceiver | undefined {
  const facts = context.sinks.get(sink);
  if (facts === undefined) return undefined;
  const found = findReceivers(event, context).find((one) => one.sink === sink);
  if (found !== undefined || routed?.by !== "route") return found ?? { sink, facts };
  const route =
    context.tree === undefined
      ? undefined
      : findRoute(context.tree, (one) => isPlacedBy(one, routed));
  return { sink, facts, ...(route === undefined ? {} : { route }) };
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
