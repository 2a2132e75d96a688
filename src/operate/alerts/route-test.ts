/**
 * Shows which routes and sinks an event with the given labels would take now, according to a
 * configuration. It does not read the state, so silences and throttles are left out.
 */
import { describeUnknownLabel, describeUnknownValue } from "../../config/check/matched-names.ts";
import type { Config } from "../../config/config.ts";
import { isoTime } from "../../model/clock.ts";
import type { ChirpEvent, Labels } from "../../model/event.ts";
import type { NewDelivery } from "../../model/poll-store.ts";
import {
  type ChosenReceiver,
  findReceivers,
  routeEvent,
  type RoutingContext,
} from "../../route/route-event.ts";
import { matcherText, placeOfRoute } from "../../route/routed-place.ts";
import type { RoutedSinkView, RouteTestView } from "../../server/schema/route-view.ts";
import { sinkFactsOf } from "./create-sink.ts";
import { matchableNames } from "./silence-request.ts";

const DAEMON = "daemon";

/** Returns the view, or a list of what is wrong with the labels. */
export function testRoute(
  texts: readonly string[],
  config: Config,
  nowMs: number,
): RouteTestView | readonly string[] {
  const given = texts.map(readLabel);
  const problems = given.flatMap((one) =>
    typeof one === "string" ? [one] : labelProblems(one, config),
  );
  if (problems.length > 0) return problems;
  const labels = labelsOf(Object.fromEntries(given as readonly Given[]), config);
  const event = eventOf(labels, nowMs);
  const watch = config.watches.find(({ id }) => id === labels["watch"]);
  const ownSinks = event.watchType === DAEMON ? config.ops.sinks : (watch?.sinks ?? []);
  const context: RoutingContext = {
    ownSinks,
    tree: config.route,
    sinks: sinkFactsOf(config.sinks),
    nowMs,
  };
  const deliveries = new Map(
    routeEvent(event, context).map((delivery) => [delivery.sink, delivery]),
  );
  return {
    labels,
    sinks: findReceivers(event, context).map((receiver) =>
      sinkView(receiver, deliveries.get(receiver.sink)),
    ),
  };
}

type Given = readonly [label: string, value: string];

function readLabel(text: string): Given | string {
  const at = text.indexOf("=");
  if (at < 1) return `"${text}" is not a label with a value: write LABEL=VALUE, like team=comms`;
  return [text.slice(0, at).trim(), text.slice(at + 1).replace(/^"(.*)"$/s, "$1")];
}

/**
 * Returns what is wrong with a label. For the label `type`, the type of the daemon's own events is
 * accepted in addition to the types of watches.
 */
function labelProblems([label, value]: Given, config: Config): readonly string[] {
  const names = matchableNames(config);
  const known = { ...names, watchTypes: [...names.watchTypes, DAEMON] };
  return [
    describeUnknownLabel(label, known) ??
      describeUnknownValue({ label, op: "=", value }, known) ??
      [],
  ].flat();
}

/** Adds the labels that every event of the watch has, so that a caller need not give them. */
function labelsOf(given: Labels, { watches }: Config): Labels {
  const watch = watches.find(({ id }) => id === given["watch"]);
  return {
    severity: "info",
    ...watch?.labels,
    ...(watch === undefined ? {} : { type: watch.type }),
    ...given,
  };
}

const eventOf = (labels: Labels, nowMs: number): ChirpEvent => ({
  id: "route test",
  type: labels["event"] ?? "",
  watchKey: "",
  watch: labels["watch"] ?? "",
  watchType: labels["type"] ?? "",
  subject: "",
  labels,
  body: {},
  occurredAtMs: nowMs,
  detectedAtMs: nowMs,
});

const sinkView = (
  { sink, route }: ChosenReceiver,
  delivery: NewDelivery | undefined,
): RoutedSinkView => ({
  sink,
  route: route === undefined ? null : placeOfRoute(route.path),
  matchers: (route?.matchers ?? []).map(matcherText),
  group_by: route?.groupBy ?? [],
  muted_by: delivery?.mutedBy ?? delivery?.heldBy ?? null,
  held_until: delivery?.heldBy === undefined ? null : isoTime(delivery.notBeforeMs),
});
