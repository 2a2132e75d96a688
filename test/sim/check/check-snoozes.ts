/**
 * Checks that alerts matching a snooze are not attempted while it lasts, whatever they waited for,
 * and are sent as the snooze's digest when it ends. Where a process was cut while it added or ended
 * a snooze, both outcomes are allowed.
 */
import type { Evidence } from "./evidence.ts";
import { holding } from "./check-silences.ts";
import { isBroken } from "./lives.ts";
import type { Alert } from "./outbox.ts";

/** At the edge of two intervals either may count, and an attempt takes a moment to arrive. */
const EDGE_MS = 3_000;
/** Another replica knows of a snooze within this time, unless something prevents it. */
const HEARD_MS = 5_000;

export const checkSnoozes = (evidence: Evidence): readonly string[] =>
  evidence.isClockSet ? [] : [...checkAttempts(evidence), ...checkDigests(evidence)];

/** Whether a snooze may have held the alert back at any time since it was found. */
export const mayBeSnoozed = (
  alert: Alert,
  { played, isClockSet }: Pick<Evidence, "played" | "isClockSet">,
  // A clock that was set says nothing about the time at which the alert was found.
  sinceMs = isClockSet ? Number.NEGATIVE_INFINITY : alert.row.createdAtMs,
): boolean => holding("snooze", played, alert).some(({ toMs }) => toMs >= sinceMs - HEARD_MS);

const isCertainAt = ({ played }: Evidence, alert: Alert, atMs: number): boolean =>
  alert.row.replayedAtMs === null &&
  holding("snooze", played, alert).some(
    ({ certainFromMs, certainToMs }) =>
      certainFromMs <= atMs - HEARD_MS && certainToMs >= atMs + EDGE_MS,
  );

function checkAttempts(evidence: Evidence): readonly string[] {
  const { outbox, played } = evidence;
  return [...outbox.attempts].flatMap(([id, attempts]) => {
    const members = outbox.members.get(id) ?? [];
    const [first] = members;
    return first === undefined
      ? []
      : attempts.flatMap(({ atMs, sink }) =>
          members.every((alert) => isCertainAt(evidence, alert, atMs)) &&
          !isBroken(played, atMs - HEARD_MS, atMs)
            ? [`${nameOf(first)} was attempted at ${sink} while a snooze held it back`]
            : [],
        );
  });
}

const nameOf = ({ event }: Alert): string => `${event.type} ${event.subject} of ${event.watch}`;

const DIGEST = /^digest\nsnooze\n(\d+)/;

/**
 * Checks that the digest of a snooze is sent when the snooze ends, and holds only alerts that it
 * matches.
 */
function checkDigests({ outbox, played }: Evidence): readonly string[] {
  return [...outbox.messages.values()].flatMap((message) => {
    const id = DIGEST.exec(message.groupKey)?.[1];
    const own = played.silences.filter((one) => one.kind === "snooze" && one.id === id);
    const isKnown = own.length > 0 && own.every(({ sinks }) => sinks.length > 0);
    if (id === undefined || !isKnown) return [];
    const endMs = Math.max(...own.map(({ certainToMs }) => certainToMs));
    const what = `the digest of the snooze ${id} at ${message.sink}`;
    const strange = (outbox.members.get(message.id) ?? []).filter(
      (alert) => !holding("snooze", played, alert).some((one) => one.id === id),
    );
    return [
      ...(message.sealedAtMs < endMs - EDGE_MS ? [`${what} was made before its end`] : []),
      ...strange.map((alert) => `${what} has ${nameOf(alert)}, which it does not match`),
    ];
  });
}
