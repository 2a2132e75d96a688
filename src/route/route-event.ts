/**
 * Turns an event into its deliveries: which sinks get it, and how it is grouped, muted and
 * throttled there. Pure. Storing and sending are done elsewhere.
 */
import { digestGroup, readDigestGroup } from "../model/digest.ts";
import { isEscalation } from "../model/escalation.ts";
import { type ChirpEvent, underName } from "../model/event.ts";
import type { LevelOptions, OpenLevel } from "../model/level.ts";
import type { NewDelivery } from "../model/poll-store.ts";
import { onceBy } from "./dedupe.ts";
import { aboutOf } from "./follow-up.ts";
import { isFollowUp, isThresholdAlert, levelOptionsOf } from "./level.ts";
import { type Mute, muteOf } from "./mute.ts";
import { bundleKeyOf, opsAlertGroupOf, onceOf, TARGET_ALERTS_WAIT_MS } from "./noise.ts";
import type { Route, Shaping, Throttle } from "./route.ts";
import { routedPlace } from "./routed-place.ts";
import { digestOf, digestTiming, type NamedDigest } from "./scheduled-digest.ts";
import { isOpsAlert, selectRoutes } from "./select-routes.ts";
import { findSilence, findSnooze, type Silence, snoozedPlace } from "./silence.ts";
import { ownValue } from "../model/own-value.ts";

/** The facts about a sink on which routing depends. */
export interface SinkFacts extends Shaping {
  readonly chat: boolean;
  readonly throttle?: Throttle | undefined;
}

export interface RoutingContext {
  /**
   * The sinks that the watch itself names, which replace the tree. For events of the daemon, these
   * are the sinks of `ops`, without the sink that an alert is about.
   */
  readonly ownSinks: readonly string[];
  /**
   * The name that the watch has now. Routes match it instead of the name that the event has, which
   * may be older than a rename.
   */
  readonly watchName?: string | undefined;
  readonly tree: Route | undefined;
  /** The facts by sink name. A sink without facts gets nothing. */
  readonly sinks: ReadonlyMap<string, SinkFacts>;
  readonly nowMs: number;
  /**
   * For how many ms the digest collects events before it is sent, for chats. Set only for an event
   * that happened while its watch was not polled or that a backfill found; such events go into a
   * digest.
   */
  readonly gatherMs?: number;
  /** Whether a backfill found the event, which the digest then says. */
  readonly isBackfilled?: boolean;
  /** The sink that an ops alert is about. Nothing is delivered to it. */
  readonly exceptSink?: string | undefined;
  /** The silences that may apply now. */
  readonly silences?: readonly Silence[];
}

export type RoutedDelivery = NewDelivery;

/**
 * Returns at most one delivery per sink, in the order in which the sinks are named. If a watch has
 * its own sinks, the tree is not used. An ops alert goes to `ownSinks`, where no mute applies, and
 * also to routes with a matcher for the label `event`. A silenced delivery is returned, too, with
 * the id of the silence.
 */
export const routeEvent = (event: ChirpEvent, context: RoutingContext): readonly RoutedDelivery[] =>
  findReceivers(event, context).map((receiver) => {
    const level = levelOf(event, receiver);
    const delivery = deliveryTo(event, receiver, context);
    return level === undefined ? delivery : { ...delivery, level };
  });

function deliveryTo(
  event: ChirpEvent,
  receiver: ChosenReceiver,
  context: RoutingContext,
): RoutedDelivery {
  const { route, facts } = receiver;
  const { silences = [], nowMs } = context;
  const silence = findSilence(silences, event, { sink: receiver.sink, nowMs });
  const made = placeAt(event, receiver, nowMs);
  const isGathered = context.gatherMs !== undefined && facts.chat && made.digestAtMs === undefined;
  const placed = separateHeld(
    event,
    isGathered ? { ...made, ...returnDigest(event, context) } : made,
  );
  const snoozed = snoozeDelivery(event, placed, context);
  const routed = routedPlace(route, isOpsAlert(event));
  const about = isOpsAlert(event) ? {} : aboutOf(event);
  return Object.assign(
    snoozed,
    { routed: context.isBackfilled === true ? { ...routed, isBackfilled: true } : routed },
    about,
    silence === undefined ? {} : { silencedBy: silence.id },
  );
}

const levelOf = (event: ChirpEvent, { route, facts }: ChosenReceiver): LevelOptions | undefined =>
  isThresholdAlert(event) && !isOpsAlert(event)
    ? levelOptionsOf(route === undefined ? facts : { ...facts, ...route })
    : undefined;

/**
 * Routes a repeat of an alert on values, or the message that the values are back to normal, to the
 * sink that got the alert. The current mutes and throttles apply. Returns undefined if neither the
 * route nor the sink wants such messages any more.
 */
export function routeFollowUp(
  level: Pick<OpenLevel, "event" | "sink">,
  followUp: ChirpEvent,
  context: RoutingContext,
) {
  const receiver = findReceivers(level.event, context).find(({ sink }) => sink === level.sink);
  const options = receiver === undefined ? undefined : levelOf(level.event, receiver);
  if (receiver === undefined || options === undefined) return undefined;
  const delivery = deliveryTo(followUp, receiver, context);
  const follows = delivery.follows === undefined ? {} : { follows: { eventId: level.event.id } };
  return { options, delivery: { ...delivery, ...follows } };
}

/**
 * Returns the delivery of an escalation. Nothing but the muted hours of its sink holds it back.
 * Returns undefined if there is no such sink.
 */
export function escalationDelivery(
  event: ChirpEvent,
  sink: string,
  { sinks, nowMs }: Pick<RoutingContext, "sinks" | "nowMs">,
): RoutedDelivery | undefined {
  const facts = sinks.get(sink);
  return facts === undefined
    ? undefined
    : { ...placeAt(event, { sink, facts }, nowMs), routed: { by: "escalation" } };
}

/**
 * A sink that gets an event, and the first route that names the sink. `route` is undefined if the
 * watch or `ops` names the sink.
 */
export interface ChosenReceiver extends Receiver {
  readonly route?: Route | undefined;
}

/**
 * Returns the sinks that get an event, in the order in which the watch, `ops` or the routes name
 * them.
 */
export function findReceivers(
  event: ChirpEvent,
  context: RoutingContext,
): readonly ChosenReceiver[] {
  const receivers = new Map<string, ChosenReceiver>();
  const addReceiver = (sink: string, route?: Route) => {
    const facts = context.sinks.get(sink);
    if (facts === undefined || sink === context.exceptSink || receivers.has(sink)) return;
    receivers.set(sink, { sink, facts, route });
  };
  for (const sink of context.ownSinks) addReceiver(sink);
  if (context.tree !== undefined && (context.ownSinks.length === 0 || isOpsAlert(event))) {
    for (const { route, sinks } of selectRoutes(context.tree, underName(event, context.watchName)))
      for (const sink of sinks) addReceiver(sink, route);
  }
  return [...receivers.values()];
}

/**
 * Returns in which group a delivery waits and until when, as a new object. Its caller completes it
 * in place, because the spreads for each event of a poll take ten times as long. If a mute holds
 * the delivery, the caller replaces the group by that of `heldGroupKey`.
 */
export const placeAt = (
  event: ChirpEvent,
  receiver: ChosenReceiver,
  nowMs: number,
): RoutedDelivery =>
  receiver.route === undefined
    ? directDelivery(event, receiver, nowMs)
    : routedDelivery(event, receiver.route, receiver, nowMs);

interface Receiver {
  /** The name of the sink. */
  readonly sink: string;
  readonly facts: SinkFacts;
}

function directDelivery(
  event: ChirpEvent,
  { sink, facts }: Receiver,
  nowMs: number,
): RoutedDelivery {
  const bare = { eventId: event.id, sink, groupWaitMs: 0, groupIntervalMs: 0 };
  if (isEscalation(event)) {
    const mute = muteOf({ ...facts, onMute: "hold" }, nowMs, nowMs);
    return { ...bare, ...muteTiming(mute, nowMs), groupKey: event.id };
  }
  if (isOpsAlert(event)) return { ...bare, notBeforeMs: nowMs, ...opsAlertTiming(event) };
  const digest = digestOf(undefined, sink, facts);
  if (digest !== undefined)
    return {
      ...bare,
      ...digestDelivery(event, facts, digest, nowMs),
      ...throttleOf(undefined, sink, facts),
    };
  const placed = Object.assign(
    bare,
    { groupKey: soloKey(event, facts) },
    muteTiming(muteOf(facts, nowMs, nowMs), nowMs),
  );
  return Object.assign(placed, onceAt(event, facts), throttleOf(undefined, sink, facts));
}

function routedDelivery(
  event: ChirpEvent,
  route: Route,
  { sink, facts }: Receiver,
  nowMs: number,
): RoutedDelivery {
  const isOps = isOpsAlert(event);
  // Both objects have only the keys that are configured, so a value of the route replaces the
  // sink's.
  const shaping = Object.assign({}, facts, route);
  const { groupWaitMs, groupIntervalMs, template } = route;
  const bare = { eventId: event.id, sink, groupWaitMs, groupIntervalMs };
  const digest = isOps ? undefined : digestOf(route, sink, facts);
  if (digest !== undefined)
    return Object.assign(
      bare,
      digestDelivery(event, shaping, digest, nowMs),
      throttleOf(route, sink, facts),
    );
  const mute = muteOf(isOps ? route : shaping, nowMs, nowMs + groupWaitMs);
  const placed = Object.assign(
    bare,
    route.groupBy.length === 0
      ? soloTiming(event, facts)
      : { groupKey: groupKeyOf(event, route, sink) },
    muteTiming(mute, nowMs),
  );
  return Object.assign(
    placed,
    isOps ? {} : onceAt(event, shaping),
    throttleOf(route, sink, facts),
    { template },
  );
}

/**
 * Places a delivery in a scheduled digest. The delivery is not sent before the digest, so only a
 * mute at the time of the digest holds it, also one that drops alerts that are found in it. The
 * delivery gets no summary group, because a digest lists every change by itself, even one that was
 * undone.
 */
function digestDelivery(event: ChirpEvent, shaping: SinkFacts, digest: NamedDigest, nowMs: number) {
  const timing = digestTiming(digest, nowMs);
  const { digestAtMs } = timing;
  const { mutes = [], actives = [], onMute } = shaping;
  const found = onMute === "drop" ? muteOf(shaping, nowMs, nowMs) : undefined;
  const mute =
    found?.kind === "drop"
      ? found
      : muteOf({ mutes, actives, onMute: "hold" }, digestAtMs, digestAtMs);
  const { once } = onceAt(event, shaping);
  const undo = once?.undo === undefined ? {} : { undo: { key: once.undo.key } };
  return {
    ...timing,
    ...muteTiming(mute, nowMs),
    ...(once === undefined ? {} : { once: { ...once, ...undo } }),
  };
}

function muteTiming(
  mute: Mute,
  nowMs: number,
): Pick<NewDelivery, "notBeforeMs" | "heldBy" | "mutedBy"> {
  if (mute.kind === "hold") return { notBeforeMs: mute.untilMs, heldBy: mute.name };
  return { notBeforeMs: nowMs, ...(mute.kind === "drop" ? { mutedBy: mute.name } : {}) };
}

/**
 * Returns the digest that gathers a watch's events from a time when it was not polled, or from a
 * backfill.
 */
const returnDigest = (
  { watchKey }: ChirpEvent,
  { gatherMs: waitMs = 0, isBackfilled = false }: RoutingContext,
): Pick<NewDelivery, "groupKey" | "groupWaitMs" | "groupIntervalMs"> => ({
  groupKey: digestGroup(isBackfilled ? "backfill" : "return", watchKey),
  groupWaitMs: waitMs,
  groupIntervalMs: waitMs,
});

/**
 * Moves a delivery into the digest of the snooze that holds it. A delivery that waits for longer in
 * a scheduled digest stays there. A digest lists every change by itself, so there is no summary.
 */
export function snoozeDelivery<Delivery extends Omit<RoutedDelivery, "eventId">>(
  event: ChirpEvent,
  delivery: Delivery,
  { silences = [], nowMs }: Pick<RoutingContext, "silences" | "nowMs">,
): Delivery {
  const snooze = findSnooze(silences, event, { sink: delivery.sink, nowMs });
  if (snooze === undefined || (delivery.digestAtMs ?? 0) >= snooze.endsAtMs) return delivery;
  const { digestAtMs: _, once, ...rest } = delivery;
  const undo = once?.undo === undefined ? {} : { undo: { key: once.undo.key } };
  return {
    ...rest,
    ...(once === undefined ? {} : { once: { ...once, ...undo } }),
    ...snoozedPlace(snooze, delivery),
    ...{ groupWaitMs: 0, groupIntervalMs: 0 },
  } as unknown as Delivery;
}

function separateHeld(event: ChirpEvent, delivery: RoutedDelivery): RoutedDelivery {
  const { groupKey, heldBy, notBeforeMs } = delivery;
  return heldBy === undefined
    ? delivery
    : { ...delivery, groupKey: heldGroupKey(event, groupKey, notBeforeMs) };
}

/**
 * Returns the group of a delivery that a mute holds. Digests and bundles collect alerts of several
 * routes, and a mute may hold only some of the alerts. The held alerts form a group of their own,
 * so that the others need not wait for them.
 */
export function heldGroupKey(event: ChirpEvent, groupKey: string, untilMs: number): string {
  const isShared =
    readDigestGroup(groupKey) !== undefined ||
    groupKey === bundleKeyOf(event) ||
    groupKey === opsAlertGroupOf(event);
  return isShared ? `${groupKey}\n${untilMs}` : groupKey;
}

const soloKey = (event: ChirpEvent, facts: SinkFacts): string =>
  (facts.chat ? bundleKeyOf(event) : undefined) ?? event.id;

const soloTiming = (
  event: ChirpEvent,
  facts: SinkFacts,
): Pick<NewDelivery, "groupKey"> & Partial<NewDelivery> =>
  isOpsAlert(event) ? opsAlertTiming(event) : { groupKey: soloKey(event, facts) };

function opsAlertTiming(event: ChirpEvent): Pick<NewDelivery, "groupKey"> & Partial<NewDelivery> {
  const groupKey = opsAlertGroupOf(event);
  return groupKey === undefined
    ? { groupKey: event.id }
    : { groupKey, groupWaitMs: TARGET_ALERTS_WAIT_MS };
}

const groupKeyOf = (event: ChirpEvent, route: Route, sink: string): string =>
  JSON.stringify([
    route.path,
    sink,
    ...route.groupBy.map((label) => ownValue(event.labels, label) ?? ""),
  ]);

/**
 * Returns the key under which an alert is sent once. A configured `dedupe` replaces the default of
 * chats for the events that it concerns.
 */
export function onceAt(event: ChirpEvent, { chat, dedupe }: SinkFacts): Pick<NewDelivery, "once"> {
  if (dedupe === false || isFollowUp(event)) return {};
  const written = dedupe === undefined ? undefined : onceBy(event, dedupe);
  const isDefault = chat && (dedupe === undefined || event.type !== "tweet.created");
  const once = written ?? (isDefault ? onceOf(event) : undefined);
  return once === undefined ? {} : { once };
}

/**
 * Returns the throttle of a delivery. A route's own throttle replaces the sink's, and counts
 * separately for each sink of the route.
 */
function throttleOf(
  route: Route | undefined,
  sink: string,
  facts: SinkFacts,
): Pick<NewDelivery, "throttleKey"> {
  if (route?.throttle !== undefined) return { throttleKey: routeThrottleKey(route, sink) };
  return facts.throttle === undefined ? {} : { throttleKey: `sink:${sink}` };
}

const routeThrottleKey = (route: Route, sink: string): string => `route:${route.path}:${sink}`;

/** Returns every throttle by the key that deliveries carry, for the code that sends them. */
export function throttlesByKey(
  tree: Route | undefined,
  sinks: ReadonlyMap<string, SinkFacts>,
): ReadonlyMap<string, Throttle> {
  const found = new Map<string, Throttle>();
  for (const [name, { throttle }] of sinks)
    if (throttle !== undefined) found.set(`sink:${name}`, throttle);
  const visit = (route: Route, inherited: readonly string[]) => {
    const named = route.sinks.length > 0 ? route.sinks : inherited;
    if (route.throttle !== undefined)
      for (const sink of named) found.set(routeThrottleKey(route, sink), route.throttle);
    for (const child of route.routes) visit(child, named);
  };
  if (tree !== undefined) visit(tree, []);
  return found;
}
