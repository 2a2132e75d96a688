/**
 * Checks that nothing is attempted inside muted hours, however long ago it was found: neither a
 * message that waited behind a failing sink nor one carried over by a reload or a restart. The
 * hours that are active at the attempt count. Alerts that an operator sent again are exempt.
 */
import { isFollowUp } from "./check-levels.ts";
import type { Evidence } from "./evidence.ts";
import { isMuted } from "./mutes.ts";
import { type Alert, epochsAt, routedOf } from "./outbox.ts";
import { placesOf } from "./routes.ts";

/** At the edge of two intervals either may count, and an attempt takes a moment to arrive. */
const EDGE_MS = 3_000;

export function checkMutedAttempts(evidence: Evidence): readonly string[] {
  const { outbox, isClockSet } = evidence;
  if (isClockSet) return [];
  return [...outbox.attempts].flatMap(([messageId, attempts]) => {
    const members = outbox.members.get(messageId) ?? [];
    return attempts.flatMap(({ atMs, sink }) => {
      const muted = members.find((alert) => isCertainlyMuted(alert, atMs, evidence));
      return muted === undefined
        ? []
        : [
            `${muted.event.type} ${muted.event.subject} of ${muted.event.watch} was attempted at ${sink} in muted hours`,
          ];
    });
  });
}

/**
 * Returns whether every configuration that may have been active at that time mutes the alert. A
 * follow-up goes to its first alert's sink, so it is left out.
 */
function isCertainlyMuted({ row, event }: Alert, atMs: number, { epochs }: Evidence): boolean {
  if (row.replayedAtMs !== null || event.watchType === "daemon" || isFollowUp(event)) return false;
  return epochsAt(epochs, atMs).every(({ rules }) => {
    const watch = rules.watches.get(event.watch);
    const places =
      watch === undefined
        ? []
        : placesOf(rules, watch, routedOf(event)).filter(({ sink }) => sink === row.sink);
    const [place] = places;
    return (
      place !== undefined &&
      places.length === 1 &&
      [-EDGE_MS, 0, EDGE_MS].every((ms) => isMuted(place.hours, atMs + ms))
    );
  });
}
