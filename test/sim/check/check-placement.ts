/**
 * Checks that every event of a watch goes where the configuration says: once to each of its sinks
 * and to no other, and muted, held and grouped as its route says. Works from the events in the
 * state, and so covers every type of watch.
 */
import type { LeftEvent } from "../run/read-state.ts";
import type { Evidence } from "./evidence.ts";
import { isFollowUp } from "./check-levels.ts";
import { type Hours, isMuted, mutedUntil } from "./mutes.ts";
import { type Alert, epochsOfAlert, groupBy, routedOf } from "./outbox.ts";
import { placesOf } from "./routes.ts";

export function checkPlacement(evidence: Evidence): readonly string[] {
  const alerts = groupBy(evidence.outbox.alerts, ({ row }) => row.eventId);
  const { events, unenriched } = evidence.played.left;
  // Follow-ups go to the sinks that want them: check-levels.ts checks those.
  const isChecked = (event: LeftEvent): boolean =>
    event.watchType !== "daemon" && !unenriched.includes(event.id) && !isFollowUp(event);
  return events
    .filter(isChecked)
    .flatMap((event) => checkEvent(event, alerts.get(event.id) ?? [], evidence));
}

function checkEvent(
  event: LeftEvent,
  alerts: readonly Alert[],
  evidence: Evidence,
): readonly string[] {
  const { epochs, isClockSet } = evidence;
  const possible = (
    isClockSet
      ? epochs
      : epochsOfAlert(epochs, event, alerts[0]?.row.createdAtMs ?? event.detectedAtMs)
  ).flatMap(({ rules }) => {
    const watch = rules.watches.get(event.watch);
    return watch === undefined ? [] : [{ rules, watch }];
  });
  const what = `${event.type} ${event.subject} of ${event.watch}`;
  if (possible.length === 0)
    return wasRenamed(event.watch, evidence)
      ? []
      : [`${what} was found when there was no such watch`];
  const sinks = alerts
    .map(({ row }) => row.sink)
    .sort()
    .join();
  const expected = possible.map(({ rules, watch }) =>
    placesOf(rules, watch, routedOf(event))
      .map(({ sink }) => sink)
      .sort()
      .join(),
  );
  const objections = expected.includes(sinks)
    ? []
    : [
        `${what} goes to ${sinks || "nobody"} instead of ${[...new Set(expected)].join(" or ") || "nobody"}`,
      ];
  for (const { watch } of possible.slice(-1))
    for (const [name, value] of Object.entries(watch.labels))
      if (event.labels[name] !== value && possible.length === 1)
        objections.push(`${what} has no label ${name}=${value}`);
  return [
    ...objections,
    ...alerts.flatMap((alert) => [
      ...(isClockSet ? [] : checkMute(alert, what)),
      ...checkHeld(alert, what, evidence),
    ]),
  ];
}

/**
 * Returns whether a watch was renamed. A poll that an outage delays over a reload ends under the
 * old name.
 */
const wasRenamed = (name: string, { epochs }: Evidence): boolean =>
  epochs.some(({ rules }) =>
    [...rules.watches.values()].some(({ keys }) => keys["moved_from"] === name),
  );

/** At the edge of two intervals either may count. */
const EDGE_MS = 2_000;

function checkMute({ row, places }: Alert, what: string): readonly string[] {
  const { createdAtMs, state, dueAtMs, sink } = row;
  const isCertain = (hours: Hours) =>
    [-EDGE_MS, 0, EDGE_MS].every((ms) => isMuted(hours, createdAtMs + ms));
  const isPossible = (hours: Hours) =>
    [-EDGE_MS, 0, EDGE_MS].some((ms) => isMuted(hours, createdAtMs + ms));
  const isDropped = places.some(({ hours }) => hours.isDropping && isPossible(hours));
  const isWhole =
    places.length > 0 && places.every(({ hours }) => hours.isDropping && isCertain(hours));
  if (state === "muted")
    return isDropped || places.length === 0
      ? []
      : [`${what} was muted at ${sink}, and nothing mutes it`];
  if (isWhole) return [`${what} went to ${sink} while it was muted`];
  const [place, ...others] = places;
  if (
    place === undefined ||
    others.length > 0 ||
    place.digest !== undefined ||
    place.hours.isDropping ||
    state !== "waiting" ||
    !isCertain(place.hours)
  )
    return [];
  const untilMs = mutedUntil(place.hours, createdAtMs);
  return untilMs !== undefined && (dueAtMs ?? 0) < untilMs - EDGE_MS
    ? [`${what} waits at ${sink} for ${dueAtMs}, before its mute ends at ${untilMs}`]
    : [];
}

/**
 * Checks that an alert is held until its mute ends, also if it was found earlier and its group's
 * time falls into the muted hours.
 */
function checkHeld(
  { row, places }: Alert,
  what: string,
  { outbox, isClockSet }: Evidence,
): readonly string[] {
  const [place, ...others] = places;
  const sealedAtMs = outbox.messages.get(row.messageId ?? "")?.sealedAtMs;
  if (
    isClockSet ||
    others.length > 0 ||
    place === undefined ||
    place.digest !== undefined ||
    place.hours.isDropping ||
    sealedAtMs === undefined
  )
    return [];
  const { hours, route } = place;
  const isCertain = (atMs: number) =>
    [-EDGE_MS, 0, EDGE_MS].every((ms) => isMuted(hours, atMs + ms));
  const heldAtMs = [row.createdAtMs, row.createdAtMs + (route?.groupWaitMs ?? 0)].find(isCertain);
  const untilMs = heldAtMs === undefined ? undefined : mutedUntil(hours, heldAtMs);
  return untilMs === undefined || sealedAtMs >= untilMs - EDGE_MS
    ? []
    : [`${what} went to ${row.sink} inside its muted hours`];
}
