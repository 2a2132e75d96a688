/**
 * Checks that exactly the alerts that match an active silence are held back, both when an event is
 * found and when a message is made of waiting alerts. Where a process was cut while it added or
 * ended a silence, both outcomes are allowed.
 */
import type { LeftEvent } from "../run/read-state.ts";
import type { Played } from "../run/simulate.ts";
import type { SilenceSpan } from "../run/silencing.ts";
import type { Evidence } from "./evidence.ts";
import type { Alert, Outbox } from "./outbox.ts";
import { matches } from "./routes.ts";

/** At the edge of two intervals either may count. */
const EDGE_MS = 2_000;

export const checkSilences = (evidence: Evidence): readonly string[] =>
  evidence.outbox.alerts.flatMap((alert) => [
    ...checkHeldBack(alert, evidence),
    ...checkSent(alert, evidence),
  ]);

/** Returns whether an alert was held back itself, or joined an alert of another watch that was. */
export function isSilenced({ row }: Alert, { alerts }: Pick<Outbox, "alerts">): boolean {
  if (row.state !== "merged") return row.state === "silenced";
  const joined = alerts.find((other) => other.row.id === row.joinedId);
  return joined !== undefined && isSilenced(joined, { alerts });
}

function checkHeldBack(alert: Alert, { played, outbox, isClockSet }: Evidence): readonly string[] {
  const { row, event } = alert;
  if (!isSilenced(alert, outbox)) return [];
  const mayHold = holding("silence", played, alert).some(
    ({ toMs }) => isClockSet || toMs >= row.createdAtMs - EDGE_MS,
  );
  return mayHold ? [] : [`${nameOf(event)} was silenced at ${row.sink}, and no silence matches it`];
}

function checkSent(alert: Alert, { played, outbox, isClockSet }: Evidence): readonly string[] {
  const { row, event } = alert;
  if (isClockSet || isSilenced(alert, outbox) || row.state === "muted") return [];
  const isHeldAt = (atMs: number) =>
    holding("silence", played, alert).some(
      ({ certainFromMs, certainToMs }) =>
        certainFromMs <= atMs - EDGE_MS && certainToMs >= atMs + EDGE_MS,
    );
  if (isHeldAt(row.createdAtMs))
    return [`${nameOf(event)} went to ${row.sink}, and a silence held it back`];
  const message = outbox.messages.get(row.messageId ?? "");
  const isOnItsOwn = !outbox.alerts.some((other) => other.row.joinedId === row.id);
  const hasWaited =
    (row.dueAtMs ?? 0) > row.createdAtMs && message !== undefined && message.cause !== "expired";
  return row.joinedId === null && isOnItsOwn && hasWaited && isHeldAt(message.sealedAtMs)
    ? [
        `${nameOf(event)} waited for a message to ${row.sink}, and is in it although a silence held it back`,
      ]
    : [];
}

/**
 * Returns the silences or snoozes that match an alert at its sink. None of the drawn ones matches
 * the daemon's own events.
 */
export const holding = (
  kind: SilenceSpan["kind"],
  { silences }: Pick<Played, "silences">,
  { event, row: { sink } }: { readonly event: LeftEvent; readonly row: { readonly sink: string } },
): readonly SilenceSpan[] =>
  event.watchType === "daemon"
    ? []
    : silences.filter(
        (one) =>
          one.kind === kind &&
          (one.sinks.length === 0 || one.sinks.includes(sink)) &&
          one.matchers.every((matcher) => matches(matcher, event.labels)),
      );

const nameOf = (event: LeftEvent): string => `${event.type} ${event.subject} of ${event.watch}`;
