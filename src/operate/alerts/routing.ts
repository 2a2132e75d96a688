/**
 * Routes alerts by one configuration, and decides what this configuration changes for alerts that
 * already wait. Sends nothing.
 */
import type { Config } from "../../config/config.ts";
import type { WaitRules } from "../../deliver/stages/mute.ts";
import type { Clock } from "../../model/clock.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { OpenLevel } from "../../model/level.ts";
import type { MuteableDelivery } from "../../model/outbox.ts";
import type { NewDelivery } from "../../model/poll-store.ts";
import type { Watch } from "../../model/watch.ts";
import { gatherMs } from "../../polling/evaluate/absence.ts";
import type { EvaluatedEvent } from "../../polling/evaluate/verdicts.ts";
import { escalationOf, holdNow, muteHold, placeWaiting } from "../../route/place-again.ts";
import type { EscalationStep, Muting, Route } from "../../route/route.ts";
import {
  escalationDelivery,
  routeEvent,
  routeFollowUp,
  type RoutingContext,
} from "../../route/route-event.ts";
import { isOpsAlert } from "../../route/select-routes.ts";
import { findSnooze, hasSnooze, type Silence } from "../../route/silence.ts";
import { describeSink, sinkFactsOf } from "./create-sink.ts";

export interface Routing {
  /** Returns a text that says where a watch's alerts go: "#brand", "console", or the route tree. */
  describe(watch: Watch): string;
  /** Returns the deliveries of an event of a watch. */
  routeOf(evaluated: EvaluatedEvent, nowMs: number, gatherMs?: number): readonly NewDelivery[];
  /**
   * Routes a follow-up to the sink that got the first alert. Returns the delivery and that sink's
   * options for follow-ups; undefined if the sink gets no follow-ups of this alert any more.
   */
  routeFollowUp(
    level: OpenLevel,
    followUp: ChirpEvent,
    ownSinks: readonly string[],
    nowMs: number,
  ): ReturnType<typeof routeFollowUp>;
  /** Returns the steps of `escalate` for an alert at its sink. */
  escalationOf(due: EscalatedDelivery, nowMs: number): readonly EscalationStep[];
  /** Returns the delivery of an escalation; undefined if there is no such sink. */
  escalationDelivery(event: ChirpEvent, sink: string, nowMs: number): NewDelivery | undefined;
  /** Returns the deliveries of an ops alert: to the sinks of `ops`, and to routes that match it. */
  routeOpsAlert(
    event: ChirpEvent,
    exceptSink: string | undefined,
    nowMs: number,
  ): readonly NewDelivery[];
}

/** What a rename or another edit may have changed since an event of the watch was created. */
export type PresentWatch = Pick<Watch, "id" | "sinks">;

/** An alert at a sink, with its watch as it is now; undefined if the watch is gone. */
export type EscalatedDelivery = Pick<MuteableDelivery, "event"> & {
  readonly routed?: MuteableDelivery["routed"] | undefined;
  readonly sink: string;
  readonly watch: PresentWatch | undefined;
};

/**
 * Returns the sinks that a delivery's watch names. If the watch is gone and had named this sink, the
 * result is this sink.
 */
const namedSinks = (
  { routed, watch }: Pick<EscalatedDelivery, "routed" | "watch">,
  sink: string,
): readonly string[] => watch?.sinks ?? (routed?.by === "watch" ? [sink] : []);

/**
 * Creates the routing of a configuration. `silences` returns the silences that may be active now.
 */
export function createRouting(config: Config, silences: () => readonly Silence[]): Routing {
  const described = new Map(config.sinks.map((one) => [one.name, describeSink(one)]));
  const facts = sinkFactsOf(config.sinks);
  return {
    describe(watch) {
      const names = watch.sinks.length > 0 ? watch.sinks : (config.route?.sinks ?? []);
      const texts = names.flatMap((name) => described.get(name) ?? []);
      const tree = watch.sinks.length === 0 && (config.route?.routes.length ?? 0) > 0;
      return tree
        ? `the route tree (else ${texts.join(" and ")})`
        : texts.join(" and ") || "no sink";
    },
    routeOf: (
      { event, ownSinks, isMissed, isBackfilled = false },
      nowMs,
      gatheredMs = gatherMs(0, true),
    ) =>
      routeEvent(event, {
        ownSinks,
        tree: config.route,
        sinks: facts,
        nowMs,
        silences: silences(),
        ...(isMissed === true ? { gatherMs: gatheredMs, isBackfilled } : {}),
      }),
    routeFollowUp: (level, followUp, ownSinks, nowMs) =>
      routeFollowUp(level, followUp, {
        ownSinks,
        tree: config.route,
        sinks: facts,
        nowMs,
        silences: silences(),
      }),
    escalationOf: (due, nowMs) =>
      escalationOf(due, {
        ownSinks: namedSinks(due, due.sink),
        watchName: due.watch?.id,
        tree: config.route,
        sinks: facts,
        nowMs,
      }),
    escalationDelivery: (event, sink, nowMs) =>
      escalationDelivery(event, sink, { sinks: facts, nowMs }),
    routeOpsAlert: (event, exceptSink, nowMs) =>
      routeEvent(event, {
        ownSinks: config.ops.sinks,
        tree: config.route,
        sinks: facts,
        nowMs,
        silences: silences(),
        exceptSink,
      }),
  };
}

export interface WaitRulesDeps {
  readonly clock: Pick<Clock, "now">;
  readonly active: { watchOf(watchKey: string): PresentWatch | undefined };
  /** Returns the silences and snoozes that may be active now. */
  readonly silences: () => readonly Silence[];
}

/**
 * Returns the rules for deliveries that wait: which mutes are active now, and how long and in which
 * group a delivery waits after a reload.
 */
export function createWaitRules(
  config: Config,
  { clock, active, silences }: WaitRulesDeps,
): WaitRules {
  const sinks = sinkFactsOf(config.sinks);
  const muted = mutedSinks(
    config.route,
    [...sinks].filter(([, facts]) => isMuting(facts)).map(([name]) => name),
  );
  const contextOf = (
    { event, routed }: Pick<MuteableDelivery, "event" | "routed">,
    sink: string,
  ): RoutingContext => {
    const watch = active.watchOf(event.watchKey);
    return {
      ownSinks: isOpsAlert(event) ? config.ops.sinks : namedSinks({ routed, watch }, sink),
      watchName: watch?.id,
      tree: config.route,
      sinks,
      nowMs: clock.now(),
      silences: silences(),
    };
  };
  return {
    canMute: (sink) => muted.has(sink) || hasSnooze(silences(), { sink, nowMs: clock.now() }),
    snoozeOf: (event, sink) => findSnooze(silences(), event, { sink, nowMs: clock.now() }),
    holdOf: (delivery, sink) => muteHold({ ...delivery, sink }, contextOf(delivery, sink)),
    holdOfSink: (sink) => holdNow(sinks.get(sink) ?? {}, clock.now()),
    placeAgain: (waiting) => placeWaiting(waiting, contextOf(waiting, waiting.sink)),
  };
}

const isMuting = ({ mutes = [], actives = [] }: Muting): boolean =>
  mutes.length > 0 || actives.length > 0;

/** Returns the sinks that are muted at certain hours, by their own settings or through a route. */
function mutedSinks(tree: Route | undefined, own: readonly string[]): ReadonlySet<string> {
  const found = new Set(own);
  const visit = (route: Route, inherited: readonly string[]) => {
    const named = route.sinks.length > 0 ? route.sinks : inherited;
    if (isMuting(route)) for (const sink of named) found.add(sink);
    for (const child of route.routes) visit(child, named);
  };
  if (tree !== undefined) visit(tree, []);
  return found;
}
