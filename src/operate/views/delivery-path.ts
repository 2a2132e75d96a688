/**
 * Shows how an alert came to its sink: route, group, throttle, silence, thread, wording, attempts.
 * All of this was stored with the delivery; the current configuration might treat the alert
 * differently.
 */
import type { Config } from "../../config/config.ts";
import { isoTime } from "../../model/clock.ts";
import { readDigestGroup } from "../../model/digest.ts";
import { formatDuration } from "../../model/duration.ts";
import type { ChirpEvent } from "../../model/event.ts";
import type { DeliveryPath } from "../../model/history.ts";
import type { RoutedPlace } from "../../model/routed-place.ts";
import type { StoredSilence } from "../../model/silence.ts";
import { isSummaryGroup } from "../../route/noise.ts";
import { findReceivers, throttlesByKey } from "../../route/route-event.ts";
import { routedPlace } from "../../route/routed-place.ts";
import { isOpsAlert } from "../../route/select-routes.ts";
import type {
  AttemptView,
  EditView,
  EscalationView,
  PathSilenceView,
  PathView,
} from "../../server/schema/path-view.ts";
import { sinkFactsOf, sinkTypeOf } from "../alerts/create-sink.ts";
import { ownValue } from "../../model/own-value.ts";

export type PathReader = (event: ChirpEvent, delivery: DeliveryPath) => PathView;

export function createPathReader(config: Config, silences: readonly StoredSilence[]): PathReader {
  const facts = sinkFactsOf(config.sinks);
  const throttles = throttlesByKey(config.route, facts);
  const routesOf = (event: ChirpEvent) => {
    const watch = config.watches.find(({ id }) => id === event.watch);
    const ownSinks = isOpsAlert(event) ? config.ops.sinks : (watch?.sinks ?? []);
    return findReceivers(event, {
      ownSinks,
      tree: config.route,
      sinks: facts,
      nowMs: event.detectedAtMs,
    });
  };
  return (event, delivery) => {
    const throttle = throttles.get(delivery.throttleKey ?? "");
    const { thread, wording, repeat } = delivery;
    const place =
      delivery.routed ??
      placeNow(
        event,
        routesOf(event).find(({ sink }) => sink === delivery.sink),
      );
    return {
      route: place?.route ?? null,
      routed_by: place?.by ?? "unknown",
      matchers: place?.matchers ?? [],
      group: groupOf(delivery.groupKey, event, place?.groupBy ?? []),
      throttle:
        throttle === undefined
          ? null
          : `${throttle.limit} messages in ${formatDuration(throttle.intervalMs)}`,
      silence: silenceOf(delivery, silences),
      replayed_at: delivery.replayedAtMs === null ? null : isoTime(delivery.replayedAtMs),
      joined_event: delivery.joinedEventId,
      thread:
        thread === null
          ? null
          : { first_message: thread.firstMessageId, is_first: thread.isFirst, ref: thread.ref },
      template: wording?.template ?? null,
      template_error: wording?.error ?? null,
      repeat:
        repeat === null
          ? null
          : {
              count: repeat.count,
              next_at: repeat.nextAtMs === null ? null : isoTime(repeat.nextAtMs),
            },
      escalation: escalationView(delivery),
      attempt_log: attemptsOf(delivery),
      edit: editOf(delivery),
      link: linkOf(config, delivery),
    };
  };
}

/**
 * Returns the route that the current configuration would choose. Used for deliveries of releases
 * before schema 25, which did not store the route.
 */
const placeNow = (
  event: ChirpEvent,
  receiver: ReturnType<typeof findReceivers>[number] | undefined,
): RoutedPlace | undefined =>
  receiver === undefined ? undefined : routedPlace(receiver.route, isOpsAlert(event));

const DIGESTS: Readonly<Record<string, string>> = {
  throttle: "a digest of alerts above the throttle's limit",
  backfill: "the digest of a backfill",
  schedule: "the scheduled digest",
  return: "the digest of items from while the watch was away",
};

/**
 * Describes the group with which the alert was sent. The key of a route's group is a JSON array:
 * the path of the route, the sink, and the values of the labels in `group_by`.
 */
function groupOf(
  groupKey: string,
  event: ChirpEvent,
  labels: readonly string[],
): readonly string[] {
  if (groupKey === "" || groupKey === event.id) return [];
  const digest = readDigestGroup(groupKey);
  if (digest !== undefined)
    return [ownValue(DIGESTS, digest.cause) ?? `a digest (${digest.cause})`];
  if (isSummaryGroup(groupKey)) return ["one line a day, because the account came and went"];
  if (!groupKey.startsWith("[")) return ["one message for each target and poll"];
  const [, , ...values] = JSON.parse(groupKey.split("\n")[0] ?? "[]") as readonly string[];
  return values.map(
    (value, index) => `${labels[index] ?? `label ${index + 1}`}=${JSON.stringify(value)}`,
  );
}

function silenceOf(
  { silencedBy }: DeliveryPath,
  silences: readonly StoredSilence[],
): PathSilenceView | null {
  if (silencedBy === null) return null;
  const silence = silences.find(({ id }) => id === silencedBy);
  if (silence === undefined)
    return { id: silencedBy, matchers: [], author: "", comment: "", ends_at: null };
  const { id, matchers, author, comment, endsAtMs } = silence;
  return { id, matchers, author, comment, ends_at: isoTime(endsAtMs) };
}

function attemptsOf({ failures, sentAtMs, ref }: DeliveryPath): readonly AttemptView[] {
  const failed = failures.map(({ atMs, error }) => ({
    at: isoTime(atMs),
    result: "failed" as const,
    answer: error,
  }));
  return sentAtMs === null
    ? failed
    : [...failed, { at: isoTime(sentAtMs), result: "sent", answer: ref ?? "" }];
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

/** Returns the steps that are over and those to come, with the times at which they are due. */
function escalationView({ escalation }: Pick<DeliveryPath, "escalation">): EscalationView | null {
  if (escalation === null) return null;
  const { plan = [], taken, ended, dueAtMs } = escalation;
  const over = taken.map(({ sink, afterMs, kind, atMs, eventId = null }) => ({
    ...{ sink, after: formatDuration(afterMs), state: kind, at: isoTime(atMs), event: eventId },
  }));
  let atMs = dueAtMs;
  const planned = plan.map(({ sink, afterMs }, index) => {
    if (index > 0 && atMs !== null) atMs += afterMs;
    const at = atMs === null ? null : isoTime(atMs);
    return { sink, after: formatDuration(afterMs), state: "planned" as const, at, event: null };
  });
  return ended === "" && over.length + planned.length === 0
    ? null
    : { ended: ended === "" ? null : ended, steps: [...over, ...planned] };
}

function linkOf({ sinks }: Config, { sink, ref, channel }: DeliveryPath): string | null {
  const config = sinks.find(({ name }) => name === sink);
  return config === undefined || ref === null
    ? null
    : (sinkTypeOf(config).linkTo?.(config.settings, ref, channel ?? undefined) ?? null);
}
