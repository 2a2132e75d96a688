/** How an alert came to its sink: route, group, throttle, silence, attempts. Routes are those of the configuration of now, which may have changed since. */
import type { Config } from "../../config/config.ts";
import { isoTime } from "../../model/clock.ts";
import { readDigestGroup } from "../../model/digest.ts";
import { formatDuration } from "../../model/duration.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { DeliveryPath } from "../../model/history.ts";
import type { StoredSilence } from "../../model/silence.ts";
import { isSummaryGroup } from "../../route/noise.ts";
import type { Route } from "../../route/route.ts";
import { findReceivers, throttlesByKey } from "../../route/route-event.ts";
import { isOpsAlert } from "../../route/select-routes.ts";
import type { AttemptView, EditView, PathSilenceView, PathView } from "../../server/words/path-view.ts";
import { sinkFactsOf, sinkTypeOf } from "../delivering/create-sink.ts";
import { matcherText, placeOfRoute } from "../delivering/route-test.ts";

export type PathReader = (event: ChirpEvent, delivery: DeliveryPath) => PathView;

export function createPathReader(config: Config, silences: readonly StoredSilence[]): PathReader {
  const facts = sinkFactsOf(config.sinks);
  const throttles = throttlesByKey(config.route, facts);
  const routesOf = (event: ChirpEvent) => {
    const watch = config.watches.find(({ id }) => id === event.watch);
    const ownSinks = isOpsAlert(event) ? config.ops.sinks : (watch?.sinks ?? []);
    return findReceivers(event, { ownSinks, tree: config.route, sinks: facts, nowMs: event.detectedAtMs });
  };
  return (event, delivery) => {
    const receiver = routesOf(event).find(({ sink }) => sink === delivery.sink);
    const throttle = throttles.get(delivery.throttleKey ?? "");
    return {
      ...placeOf(event, receiver),
      group: groupOf(delivery.groupKey, event, config.route),
      throttle: throttle === undefined ? null : `${throttle.limit} messages in ${formatDuration(throttle.intervalMs)}`,
      silence: silenceOf(delivery, silences),
      replayed_at: delivery.replayedAtMs === null ? null : isoTime(delivery.replayedAtMs),
      joined_event: delivery.joinedEventId,
      attempt_log: attemptsOf(delivery),
      edit: editOf(delivery),
      link: linkOf(config, delivery),
    };
  };
}

function placeOf(event: ChirpEvent, receiver: ReturnType<typeof findReceivers>[number] | undefined) {
  if (receiver === undefined) return { route: null, routed_by: "unknown", matchers: [] } as const;
  const { route } = receiver;
  if (route === undefined) return { route: null, routed_by: isOpsAlert(event) ? "ops" : "watch", matchers: [] } as const;
  return { route: placeOfRoute(route.path), routed_by: "route", matchers: route.matchers.map(matcherText) } as const;
}

const DIGESTS: Readonly<Record<string, string>> = {
  throttle: "a digest of what exceeded the throttle",
  backfill: "the digest of a backfill",
  schedule: "the digest of its schedule",
  return: "the digest of what came while the watch was away",
};

/** The key of a route's group is JSON: path, sink and the values of its labels. */
function groupOf(groupKey: string, event: ChirpEvent, tree: Route | undefined): readonly string[] {
  if (groupKey === "" || groupKey === event.id) return [];
  const digest = readDigestGroup(groupKey);
  if (digest !== undefined) return [DIGESTS[digest.cause] ?? `a digest (${digest.cause})`];
  if (isSummaryGroup(groupKey)) return ["one line a day, as the account came and went"];
  if (!groupKey.startsWith("[")) return ["one message for each target and poll"];
  const [path, , ...values] = JSON.parse(groupKey.split("\n")[0] ?? "[]") as readonly string[];
  const route = tree === undefined ? undefined : routeAt(tree, path ?? "");
  return values.map((value, index) => `${route?.groupBy[index] ?? `label ${index + 1}`}=${JSON.stringify(value)}`);
}

const routeAt = (route: Route, path: string): Route | undefined =>
  route.path === path ? route : route.routes.map((child) => routeAt(child, path)).find((found) => found !== undefined);

function silenceOf({ silencedBy }: DeliveryPath, silences: readonly StoredSilence[]): PathSilenceView | null {
  if (silencedBy === null) return null;
  const silence = silences.find(({ id }) => id === silencedBy);
  if (silence === undefined) return { id: silencedBy, matchers: [], author: "", comment: "", ends_at: null };
  const { id, matchers, author, comment, endsAtMs } = silence;
  return { id, matchers, author, comment, ends_at: isoTime(endsAtMs) };
}

function attemptsOf({ failures, sentAtMs, ref }: DeliveryPath): readonly AttemptView[] {
  const failed = failures.map(({ atMs, error }) => ({ at: isoTime(atMs), result: "failed" as const, answer: error }));
  return sentAtMs === null ? failed : [...failed, { at: isoTime(sentAtMs), result: "sent", answer: ref ?? "" }];
}

function editOf({ edit }: DeliveryPath): EditView | null {
  if (edit === null) return null;
  const { state, dueAtMs, editedAtMs, error } = edit;
  return {
    state,
    due_at: state === "waiting" ? isoTime(dueAtMs) : null,
    edited_at: editedAtMs === null ? null : isoTime(editedAtMs),
    error,
  };
}

function linkOf({ sinks }: Config, { sink, ref }: DeliveryPath): string | null {
  const config = sinks.find(({ name }) => name === sink);
  return config === undefined || ref === null ? null : (sinkTypeOf(config).linkTo?.(config.settings, ref) ?? null);
}
