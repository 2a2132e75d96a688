/**
 * Checks what follows an alert on a value. The alert is repeated no sooner than `repeat_interval`,
 * its end is reported once, and both go only to sinks that want them. Punctuality is left to the
 * daemon's own tests, because no check knows what the detector remembers.
 */
import type { LeftEvent } from "../run/read-state.ts";
import { ESCALATED } from "./acts.ts";
import type { Evidence } from "./evidence.ts";
import { type Alert, groupBy } from "./outbox.ts";
import { routesIn } from "./routes.ts";

/**
 * Returns whether an event is a repeat or the end of an alert on a value. An escalation has the
 * fields of its alert, but follows rules of its own.
 */
export const isFollowUp = ({ type, body }: Pick<LeftEvent, "type" | "body">): boolean =>
  type !== ESCALATED && (body["repeat"] !== undefined || body["resolved"] !== undefined);

export function checkLevels({ outbox, epochs, isClockSet }: Evidence): readonly string[] {
  const followers = outbox.alerts.filter(({ event }) => isFollowUp(event));
  const isWanted = ({ event, row }: Alert): boolean =>
    epochs.some(({ rules }) => {
      const written = [
        ...routesIn(rules.root).map(({ levels }) => levels),
        rules.sinks.get(row.sink)?.levels,
      ];
      return written.some((levels) =>
        event.body["repeat"] === undefined
          ? levels?.sendResolved === true
          : typeof levels?.repeatMs === "number",
      );
    });
  const unwanted = followers
    .filter((alert) => !isWanted(alert))
    .map(
      ({ event, row }) =>
        `${row.sink} got what follows ${event.type} ${event.subject}, which nobody wants there`,
    );
  return [
    ...unwanted,
    ...checkWaiting(followers, outbox),
    ...(isClockSet ? [] : followers.flatMap((alert) => checkFollower(alert, outbox.alerts))),
  ];
}

/** Checks that at most one repeat of an alert on a value waits for a sink. */
function checkWaiting(
  followers: readonly Alert[],
  { messages }: Evidence["outbox"],
): readonly string[] {
  const repeats = followers.filter(({ event }) => event.body["repeat"] !== undefined);
  const waiting = repeats.filter(
    ({ row }) => row.state === "waiting" || messages.get(row.messageId ?? "")?.state === "open",
  );
  const values = groupBy(waiting, ({ event, row }) =>
    JSON.stringify([row.sink, event.watch, event.type, event.subject, event.body["crossed"]]),
  );
  return [...values].flatMap(([value, alike]) =>
    alike.length > 1 ? [`${alike.length} repeats wait of ${value}`] : [],
  );
}

/**
 * Checks that an alert on the same value came before at the same sink. A repeat must follow one of
 * its own watch.
 */
function checkFollower({ event, row }: Alert, alerts: readonly Alert[]): readonly string[] {
  const isSame = (other: Alert): boolean =>
    other.row.sink === row.sink &&
    other.event.type === event.type &&
    other.event.subject === event.subject;
  const before = alerts.filter((other) => other.row.id < row.id && isSame(other));
  const what = `${row.sink}: ${event.type} ${event.subject} of ${event.watch}`;
  if (!before.some((other) => !isFollowUp(other.event)))
    return [`${what} follows an alert that was never made`];
  if (event.body["repeat"] === undefined) return [];
  const last = Math.max(
    ...before
      .filter((other) => other.event.watch === event.watch)
      .filter(
        (other) =>
          JSON.stringify(other.event.body["crossed"]) === JSON.stringify(event.body["crossed"]),
      )
      .map((other) => other.row.createdAtMs),
  );
  // The repeat needs a poll that began after the last alert and still found the value.
  if (event.occurredAtMs <= last)
    return [`${what} is repeated as of ${event.occurredAtMs}, before the alert of ${last}`];
  return row.createdAtMs - last < SHORTEST_MS
    ? [`${what} is repeated after ${row.createdAtMs - last} ms`]
    : [];
}

/** The shortest `repeat_interval` that a scenario draws, less a tolerance. */
const SHORTEST_MS = 5 * 60_000 - 2_000;
