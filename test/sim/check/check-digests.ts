/**
 * Checks scheduled digests: an alert that has one goes out in it, at its time, and is listed once
 * in all messages of that digest. Only alerts beyond `max_items` are not listed.
 */
import type { Evidence } from "./evidence.ts";
import { mayBeSnoozed } from "./check-snoozes.ts";
import { type Alert, groupBy, isBehindMute, routedOf } from "./outbox.ts";
import { type Place, placesOf, routesIn } from "./routes.ts";

const PREFIX = "digest\nschedule\n";

export const checkDigests = (evidence: Evidence): readonly string[] => [
  ...evidence.outbox.alerts.flatMap((alert) => checkAlert(alert, evidence)),
  ...checkListed(evidence),
];

function checkAlert(alert: Alert, evidence: Evidence): readonly string[] {
  const { row, event } = alert;
  const { outbox, isClockSet } = evidence;
  const places = [...alert.places, ...laterPlaces(alert, evidence)];
  const what = `${event.type} ${event.subject} of ${event.watch}`;
  const isGathered = row.groupKey.startsWith(PREFIX);
  const isRequired = places.length > 0 && places.every(({ digest }) => digest !== undefined);
  const isPossible = places.some(({ digest }) => digest !== undefined);
  // The undoing of an alert that a mute holds waits outside its own group. See isBehindMute.
  const isSent = row.state === "sealed" || row.state === "waiting" || row.state === "summarised";
  if (isSent && isGathered && !isPossible)
    return [`${what} waits at ${row.sink} for a digest that is not written`];
  // An alert that a snooze holds past the digest's time is sent when the snooze ends.
  const isSnoozed = mayBeSnoozed(alert, evidence);
  if (isSent && !isGathered && isRequired && !isSnoozed && !isBehindMute(alert, outbox))
    return [`${what} goes to ${row.sink} outside its digest`];
  const message = outbox.messages.get(row.messageId ?? "");
  if (!isGathered || message === undefined || isClockSet) return [];
  return message.sealedAtMs < (row.dueAtMs ?? 0)
    ? [`${what} went to ${row.sink} before the time of its digest`]
    : [];
}

/**
 * Returns the later places of an alert that waits. Each configuration that becomes active places it
 * again. A watch may get a sink of its own, which takes precedence over the digest of the route.
 */
function laterPlaces({ row, event }: Alert, { epochs, outbox }: Evidence): readonly Place[] {
  // The daemon's own events go to ops at once, whichever watch they concern.
  if (event.watchType === "daemon") return [];
  const untilMs = outbox.messages.get(row.messageId ?? "")?.sealedAtMs ?? Number.POSITIVE_INFINITY;
  return epochs
    .filter(({ fromMs }) => fromMs > row.createdAtMs && fromMs <= untilMs)
    .flatMap(({ rules }) => {
      const watch = rules.watches.get(event.watch);
      return watch === undefined ? [] : placesOf(rules, watch, routedOf(event));
    })
    .filter(({ sink }) => sink === row.sink);
}

function checkListed({ outbox, epochs }: Evidence): readonly string[] {
  const parts = [...outbox.messages.values()].filter(({ groupKey }) => groupKey.startsWith(PREFIX));
  return [...groupBy(parts, ({ id, parentId }) => parentId ?? id)].flatMap(([id, own]) => {
    const members = own.flatMap((part) => outbox.members.get(part.id) ?? []);
    const counted = members.filter(({ row }) => row.state === "summarised");
    const listed = members.length - counted.length;
    const limits = members.flatMap(({ row }) =>
      epochs.flatMap(({ rules }) => [
        rules.sinks.get(row.sink)?.digest?.maxItems,
        ...routesIn(rules.root).map(({ digest }) => (digest ? digest.maxItems : undefined)),
      ]),
    );
    return counted.length === 0 || limits.includes(listed)
      ? []
      : [`the digest ${id} lists ${listed} and counts ${counted.length}, with no such max_items`];
  });
}
