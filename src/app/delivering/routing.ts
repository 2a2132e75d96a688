/** Where alerts go by one configuration. Knows no pump and sends nothing. */
import type { Config } from "../../config/config.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { OpenLevel } from "../../model/level.ts";
import type { NewDelivery } from "../../model/poll-store.ts";
import type { Watch } from "../../model/watch.ts";
import { gatherMs } from "../../polling/evaluate/absence.ts";
import type { EvaluatedEvent } from "../../polling/evaluate/verdicts.ts";
import { routeEvent, routeFollowUp } from "../../route/route-event.ts";
import type { Silence } from "../../route/silence.ts";
import { describeSink, sinkFactsOf } from "./create-sink.ts";

export interface Routing {
  /** Where a watch's alerts go, for people: "#brand", "console", or the route tree. */
  describe(watch: Watch): string;
  /** Where an event of a watch goes. */
  routeOf(evaluated: EvaluatedEvent, nowMs: number, gatherMs?: number): readonly NewDelivery[];
  /** Where an alert goes that follows another one, and what is wanted there of such alerts; undefined where nothing is. */
  routeFollowUp(level: OpenLevel, followUp: ChirpEvent, ownSinks: readonly string[], nowMs: number): ReturnType<typeof routeFollowUp>;
  /** Where an ops alert goes: `ops`, and routes that ask for it. */
  routeOpsAlert(event: ChirpEvent, exceptSink: string | undefined, nowMs: number): readonly NewDelivery[];
}

/** `silences`: those that may hold now. */
export function createRouting(config: Config, silences: () => readonly Silence[]): Routing {
  const described = new Map(config.sinks.map((one) => [one.name, describeSink(one)]));
  const facts = sinkFactsOf(config.sinks);
  return {
    describe(watch) {
      const names = watch.sinks.length > 0 ? watch.sinks : (config.route?.sinks ?? []);
      const texts = names.flatMap((name) => described.get(name) ?? []);
      const tree = watch.sinks.length === 0 && (config.route?.routes.length ?? 0) > 0;
      return tree ? `the route tree (else ${texts.join(" and ")})` : texts.join(" and ") || "no sink";
    },
    routeOf: ({ event, ownSinks, isMissed, isBackfilled = false }, nowMs, gatheredMs = gatherMs(0, true)) =>
      routeEvent(event, {
        ownSinks,
        tree: config.route,
        sinks: facts,
        nowMs,
        silences: silences(),
        ...(isMissed === true ? { gatherMs: gatheredMs, isBackfilled } : {}),
      }),
    routeFollowUp: (level, followUp, ownSinks, nowMs) =>
      routeFollowUp(level, followUp, { ownSinks, tree: config.route, sinks: facts, nowMs, silences: silences() }),
    routeOpsAlert: (event, exceptSink, nowMs) =>
      routeEvent(event, {
        ownSinks: config.ops.sinks,
        tree: config.route,
        sinks: facts,
        nowMs,
        silences: silences(),
        ...(exceptSink === undefined ? {} : { exceptSink }),
      }),
  };
}
