/**
 * The storage port for escalations. An alert that a sink has taken, or does not take, waits here for
 * the steps of `escalate` until somebody acknowledges it.
 */
import type { ChirpEvent } from "./event.ts";
import type { NewDelivery } from "./poll-store.ts";
import type { RoutedPlace } from "./routed-place.ts";

/** The type of the event that says that nobody acknowledged an alert. */
export const ESCALATED_EVENT = "alert.escalated";

export const isEscalation = ({ type }: Pick<ChirpEvent, "type">): boolean =>
  type === ESCALATED_EVENT;

/** A step of `escalate`, without its condition. */
export type PlannedStep = {
  /** The sink that the escalation goes to. */
  readonly sink: string;
  /**
   * Which of the steps to this sink it is, counted from 1. Sink and number identify a step, so a
   * changed `after` makes no new step.
   */
  readonly nth: number;
  /** How long after the step before, or after the alert, in ms. */
  readonly afterMs: number;
};

/**
 * A step that is over. `passed`: its `when` was false. `dropped`: the configuration did not have it
 * any more.
 */
export type TakenStep = PlannedStep & {
  readonly kind: "sent" | "passed" | "dropped";
  readonly atMs: number;
  /** The event that was sent. Absent unless `kind` is `sent`. */
  readonly eventId?: string;
};

/**
 * Why nothing more is escalated. Empty while something may be. `acknowledged` ends with an undo, the
 * others are final.
 */
export type EscalationEnd = "" | "acknowledged" | "silenced" | "replayed" | "unsent" | "done";

/** The message in which a sink got an alert, or is to get it. */
export interface EscalatedMessage {
  readonly id: string;
  readonly state: "open" | "sent" | "dead";
  /** The last error, if it was not sent. */
  readonly error: string;
  readonly ref: string | null;
  readonly channel: string | null;
  /** Until when a mute holds it, in epoch ms; null if none does. */
  readonly heldUntilMs: number | null;
}

/** The progress of one alert at one sink. */
export interface Escalation {
  readonly deliveryId: string;
  readonly sink: string;
  /** From when `after` of the next step counts, in epoch ms. */
  readonly baseAtMs: number;
  /** Since when the alert is not acknowledged at its sink, or its sink does not take it. */
  readonly begunAtMs: number;
  /** Whether the next step is due without its `after`, because the message was given up. */
  readonly isAtOnce: boolean;
  /** The steps to come; undefined before they were planned. */
  readonly plan: readonly PlannedStep[] | undefined;
  readonly taken: readonly TakenStep[];
  readonly ended: EscalationEnd;
  /** When it is checked next, in epoch ms; null if nothing is to come. */
  readonly dueAtMs: number | null;
}

export interface DueEscalation extends Escalation {
  /** Increases with every change. */
  readonly revision: number;
  readonly event: ChirpEvent;
  readonly routed: RoutedPlace | undefined;
  readonly groupKey: string;
  /** Whether the alert is in a message or waits for one, and was not dropped or summarised. */
  readonly isOnItsWay: boolean;
  /** When the alert is due, in epoch ms, while it is not in a message; otherwise null. */
  readonly waitsUntilMs: number | null;
  readonly isReplayed: boolean;
  readonly isFollowUp: boolean;
  readonly isAcknowledged: boolean;
  /** Whether its post was deleted. */
  readonly isGone: boolean;
  readonly message: EscalatedMessage | undefined;
  /** What was sent about the same alert because of other sinks. */
  readonly sentElsewhere: readonly TakenStep[];
}

export interface EscalationChange
  extends Pick<
    DueEscalation,
    "deliveryId" | "revision" | "baseAtMs" | "isAtOnce" | "plan" | "taken" | "ended" | "dueAtMs"
  > {
  /** The id of an event that must not be acknowledged, because a step of it is sent. */
  readonly unlessAcknowledged?: string | undefined;
}

export interface EscalationCommit {
  readonly atMs: number;
  readonly changes: readonly EscalationChange[];
  /** The deliveries of alerts that are not escalated at all. */
  readonly forgottenIds: readonly string[];
  readonly events: readonly ChirpEvent[];
  readonly deliveries: readonly NewDelivery[];
}

/** The alerts of a sink that are escalated next to the same sink. */
export interface EscalationOutlook {
  readonly sink: string;
  /** The sink that they are escalated to. */
  readonly to: string;
  readonly count: number;
  /** When the first of them is due, in epoch ms. */
  readonly nextAtMs: number;
}

export interface EscalationStore {
  /** Returns what is to come, unless somebody acknowledges the alerts. */
  escalationOutlook(): Promise<readonly EscalationOutlook[]>;
  /** Returns when an escalation must be checked next; null if none is to come. */
  nextEscalationAt(): Promise<number | null>;
  /**
   * Returns the escalations that are due, the oldest first, with all alerts of a message or none.
   */
  dueEscalations(nowMs: number): Promise<readonly DueEscalation[]>;
  /**
   * Commits all of it in one transaction, or nothing: if one of the escalations was changed since
   * it was read, or an alert was acknowledged that is to be escalated. Resolves to whether it was
   * committed.
   */
  commitEscalations(commit: EscalationCommit): Promise<boolean>;
  /**
   * Begins to count for alerts that are due at sinks which take no messages, and for which no
   * attempt was made.
   */
  trackFailing(sinks: readonly string[], nowMs: number): Promise<void>;
  /** Makes all escalations due, because another configuration is the active one. */
  replanEscalations(nowMs: number): Promise<void>;
}
