/** Finds the alerts that people acted on, and what each act proves about its alert. */
import type { ActSpan } from "../run/acting.ts";
import type { Evidence } from "./evidence.ts";
import { rootOf } from "./outbox.ts";

/** The type of an escalation. It is acknowledged while all of its alerts are. */
export const ESCALATED = "alert.escalated";

/** Returns the acts of a kind that may concern an alert, in the order of their times. */
export const actsOn = (
  kind: ActSpan["kind"],
  eventId: string,
  evidence: Pick<Evidence, "played" | "outbox">,
): readonly ActSpan[] =>
  evidence.played.acts.filter(
    (act) => act.kind === kind && mayConcern(act, eventId, evidence.outbox),
  );

/**
 * Returns whether an act may concern an event. The id of an event stands for all events that were
 * sent as one with it, and the id of a message also for all alerts in it. Alerts that joined later
 * may have been meant or not. The id of an escalation stands for its alerts.
 */
function mayConcern({ what }: ActSpan, eventId: string, outbox: Evidence["outbox"]): boolean {
  if (what === eventId) return true;
  const own = outbox.alerts.filter(({ event }) => event.id === eventId);
  const named = outbox.alerts.filter(
    ({ event, row }) => event.id === what || row.messageId === what,
  );
  // An alert that was sent again has left the named message.
  if (named.length === 0 || named.some(({ event }) => event.type === ESCALATED)) return true;
  const roots = new Set(named.map((alert) => rootOf(alert, outbox).row.id));
  return own.some((alert) => roots.has(rootOf(alert, outbox).row.id));
}

/**
 * Returns whether every act named this alert itself and was answered before the next one began.
 * Only then is their order certain.
 */
export const areCertain = (acts: readonly ActSpan[], eventId: string): boolean =>
  acts.every(
    ({ what, changed, fromMs }, n) =>
      what === eventId && changed !== undefined && (acts[n - 1]?.toMs ?? 0) <= fromMs,
  );
