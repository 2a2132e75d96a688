/**
 * From an event to its deliveries: which sinks, grouped, muted and paced how. Pure; storing and
 * sending belong to others.
 */
import { digestGroup, readDigestGroup } from "../model/digest.ts";
import type { ChirpEvent } from "../model/event.ts";
import type { LevelOptions, OpenLevel } from "../model/level.ts";
import type { NewDelivery } from "../model/poll-store.ts";
import { onceBy } from "./dedupe.ts";
import { aboutOf } from "./follow-up.ts";
import { isFollowUp, isLevel, levelOptionsOf } from "./level.ts";
import { type Mute, muteOf } from "./mute.ts";
import { bundleKeyOf, opsAlertGroupOf, onceOf, TARGET_ALERTS_WAIT_MS } from "./noise.ts";
import type { Route, Shaping, Throttle } from "./route.ts";
import { routedPlace } from "./routed-place.ts";
import { digestOf, digestTiming, type NamedDigest } from "./scheduled-digest.ts";
import { isOpsAlert, selectRoutes } from "./select-routes.ts";
import { findSilence, type Silence } from "./silence.ts";
import { ownValue } from "../model/own-value.ts";

/** What routing must know of a sink. */
export interface SinkFacts extends Shaping {
  readonly chat: boolean;
  readonly throttle?: Throttle;
}

export interface RoutingContext {
  /**
   * The watch's own sinks, asked before the tree; for the daemon's own events the sinks of `ops`,
   * less the one they are about.
   */
  readonly ownSinks: readonly string[];
  readonly tree: Route | undefined;
  /** By sink name. A sink without facts gets nothing. */
  readonly sinks: ReadonlyMap<string, SinkFacts>;
  readonly nowMs: number;
  /** It came while its watch was away: chats get it in a digest, which gathers for so long. */
  readonly gatherMs?: number;
  /** A backfill found it: its digest says so. */
  readonly isBackfilled?: boolean;
  /** Never delivered to: the sink that an ops alert is about. */
  readonly exceptSink?: string;
  /** Those that may hold now. */
  readonly silences?: readonly Silence[];
}

export type RoutedDelivery = NewDelivery;

/**
 * At most one delivery per sink, in the order sinks are named. A watch's own sinks keep the tree
 * from being asked; an ops alert goes to `ownSinks`, at once and never muted, and besides to routes
 * that match `event` by name. A silence changes nothing but that the deliveries are marked with it.
 */
export const routeEvent = (event: ChirpEvent, context: RoutingContext): readonly RoutedDelivery[] =>
  findReceivers(event, context).map((receiver) => {
    const level = levelOf(event, receiver);
    return { ...deliveryTo(event, receiver, context), ...(level === undefined ? {} : { level }) };
  });

function deliveryTo(
  event: ChirpEvent,
  receiver: ChosenReceiver,
  context: RoutingContext,
): RoutedDelivery {
  const { route, facts } = receiver;
  const silence = findSilence(context.silences ?? [], event, context.nowMs);
  const made = placeAt(event, receiver, context.nowMs);
  const isGathered = context.gatherMs !== undefined && facts.chat && made.digestAtMs === undefined;
  const placed = separateHeld(
    event,
    isGathered ? { ...made, ...returnDigest(event, context) } : made,
  );
  const routed = routedPlace(route, isOpsAlert(event));
  const about = isOpsAlert(event) ? {} : aboutOf(event);
  return {
    ...placed,
    routed,
    ...about,
    ...(silence === undefined ? {} : { silencedBy: silence.id }),
  };
}

const levelOf = (event: ChirpEvent, { route, facts }: ChosenReceiver): LevelOptions | undefined =>
  isLevel(event) && !isOpsAlert(event)
    ? levelOptionsOf(route === undefined ? facts : { ...facts, ...route })
    : undefined;

/**
 * An alert that follows another one goes where that went, at the hours and the pace of now.
 * Undefined where nobody wants it there any more.
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
 * A sink that takes an event, and the first route that names it; none where the watch or `ops`
 * does.
 */
export interface ChosenReceiver extends Receiver {
  readonly route?: Route;
}

/** In the order in which they are named. */
export function findReceivers(
  event: ChirpEvent,
  context: RoutingContext,
): readonly ChosenReceiver[] {
  const receivers = new Map<string, ChosenReceiver>();
  const addReceiver = (sink: string, route?: Route) => {
    const facts = context.sinks.get(sink);
    if (facts === undefined || sink === context.exceptSink || receivers.has(sink)) return;
    receivers.set(sink, { sink, facts, ...(route === undefined ? {} : { route }) });
  };
  for (const sink of context.ownSinks) addReceiver(sink);
  if (context.tree !== undefined && (context.ownSinks.length === 0 || isOpsAlert(event))) {
    for (const { route, sinks } of selectRoutes(context.tree, event))
      for (const sink of sinks) addReceiver(sink, route);
  }
  return [...receivers.values()];
}

/** Where and when it waits there, before what is held is separated from what is not. */
export const placeAt = (
  event: ChirpEvent,
  receiver: ChosenReceiver,
  nowMs: number,
): RoutedDelivery =>
  receiver.route === undefined
    ? directDelivery(event, receiver, nowMs)
    : routedDelivery(event, receiver.route, receiver, nowMs);

interface Receiver {
  /** Name of the sink. */
  readonly sink: string;
  readonly facts: SinkFacts;
}

function directDelivery(
  event: ChirpEvent,
  { sink, facts }: Receiver,
  nowMs: number,
): RoutedDelivery {
  const bare = { eventId: event.id, sink, groupWaitMs: 0, groupIntervalMs: 0 };
  if (isOpsAlert(event)) return { ...bare, notBeforeMs: nowMs, ...opsAlertTiming(event) };
  const digest = digestOf(undefined, sink, facts);
  if (digest !== undefined)
    return {
      ...bare,
      ...digestDelivery(event, facts, digest, nowMs),
      ...throttleOf(undefined, sink, facts),
    };
  return {
    ...bare,
    ...muteTiming(muteOf(facts, nowMs, nowMs), nowMs),
    groupKey: soloKey(event, facts),
    ...onceAt(event, facts),
    ...throttleOf(undefined, sink, facts),
  };
}

function routedDelivery(
  event: ChirpEvent,
  route: Route,
  { sink, facts }: Receiver,
  nowMs: number,
): RoutedDelivery {
  // Both have only the keys that are written.
  const shaping = isOpsAlert(event) ? route : { ...facts, ...route };
  const bare = {
    eventId: event.id,
    sink,
    groupWaitMs: route.groupWaitMs,
    groupIntervalMs: route.groupIntervalMs,
  };
  const digest = isOpsAlert(event) ? undefined : digestOf(route, sink, facts);
  if (digest !== undefined)
    return {
      ...bare,
      ...digestDelivery(event, { ...facts, ...shaping }, digest, nowMs),
      ...throttleOf(route, sink, facts),
    };
  const mute = muteOf(shaping, nowMs, nowMs + route.groupWaitMs);
  return {
    ...bare,
    ...(route.groupBy.length === 0
      ? soloTiming(event, facts)
      : { groupKey: groupKeyOf(event, route, sink) }),
    ...muteTiming(mute, nowMs),
    ...(isOpsAlert(event) ? {} : onceAt(event, { ...facts, ...shaping })),
    ...throttleOf(route, sink, facts),
    ...(route.template === undefined ? {} : { template: route.template }),
  };
}

/**
 * What is gathered is not sent meanwhile, so only a mute at the time of the digest holds it.
 * Changes there and back are listed one by one.
 */
function digestDelivery(event: ChirpEvent, shaping: SinkFacts, digest: NamedDigest, nowMs: number) {
  const timing = digestTiming(digest, nowMs);
  const mute = muteOf(
    shaping,
    shaping.onMute === "drop" ? nowMs : timing.digestAtMs,
    timing.digestAtMs,
  );
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

/** One for each watch. */
const returnDigest = (
  { watchKey }: ChirpEvent,
  { gatherMs: waitMs = 0, isBackfilled = false }: RoutingContext,
): Pick<NewDelivery, "groupKey" | "groupWaitMs" | "groupIntervalMs"> => ({
  groupKey: digestGroup(isBackfilled ? "backfill" : "return", watchKey),
  groupWaitMs: waitMs,
  groupIntervalMs: waitMs,
});

function separateHeld(event: ChirpEvent, delivery: RoutedDelivery): RoutedDelivery {
  const { groupKey, heldBy, notBeforeMs } = delivery;
  return heldBy === undefined
    ? delivery
    : { ...delivery, groupKey: heldGroupKey(event, groupKey, notBeforeMs) };
}

/**
 * Digests and bundles collect alerts of several routes. Those that a mute holds form a group of
 * their own, so that the others do not wait for it.
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

/** What is written replaces the default of chats for the events that it is about. */
export function onceAt(event: ChirpEvent, { chat, dedupe }: SinkFacts): Pick<NewDelivery, "once"> {
  if (dedupe === false || isFollowUp(event)) return {};
  const written = dedupe === undefined ? undefined : onceBy(event, dedupe);
  const isDefault = chat && (dedupe === undefined || event.type !== "tweet.created");
  const once = written ?? (isDefault ? onceOf(event) : undefined);
  return once === undefined ? {} : { once };
}

/** A route's own throttle replaces the sink's; each sink of the route is counted for itself. */
function throttleOf(
  route: Route | undefined,
  sink: string,
  facts: SinkFacts,
): Pick<NewDelivery, "throttleKey"> {
  if (route?.throttle !== undefined) return { throttleKey: routeThrottleKey(route, sink) };
  return facts.throttle === undefined ? {} : { throttleKey: `sink:${sink}` };
}

const routeThrottleKey = (route: Route, sink: string): string => `route:${route.path}:${sink}`;

/** Every throttle by the key that deliveries carry, for whoever sends them. */
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
