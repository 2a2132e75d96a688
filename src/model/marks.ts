/**
 * The storage port for marks that people set on alerts: acknowledged, or not relevant. A mark
 * belongs to an event and is stored beside the states of its deliveries.
 */
import type { ChirpEvent } from "./event.ts";
import type { ClickKey } from "./clicks.ts";
import type { Mark, MarkKind } from "./mark.ts";
import type { NewDelivery } from "./poll-store.ts";

export interface MarkRequest extends Mark {
  readonly kind: MarkKind;
  /** The id of an event or of a message. */
  readonly what: string;
  /** Whether the mark is removed. */
  readonly isUndo: boolean;
  /** The click that asks for it, if it was one. A click that already had its effect changes nothing. */
  readonly click?: ClickKey | undefined;
}

/** Events that report marks on alerts, and their deliveries. */
export interface MarkNews {
  readonly events: readonly ChirpEvent[];
  readonly deliveries: readonly NewDelivery[];
}

/** Returns the events about new marks. `episode` is a number that differs in every request. */
export type NewsOfMarks = (marked: readonly ChirpEvent[], episode: string) => MarkNews;

export interface MarkOutcome {
  /** The number of alerts that the request selected. */
  readonly alerts: number;
  /** The number of alerts that the request changed; 0 if all of them already were as requested. */
  readonly changed: number;
  /** The mark that was set last on one of these alerts; null if none has one now. */
  readonly mark: Mark | null;
}

/** How many alerts of a watch were marked as not relevant. */
export interface NotRelevantCount {
  readonly watchKey: string;
  readonly marked: number;
  /** The number of all alerts of the watch in the same time. */
  readonly alerts: number;
  /** The author of most of the marked alerts, without @; empty if they have none. */
  readonly topAuthor: string;
  /** How many of the marked alerts are by that author. */
  readonly byTopAuthor: number;
}

/** An alert, and where it went. */
export interface SentAlert {
  readonly event: ChirpEvent;
  /** The sinks that have a delivery of it. */
  readonly sinks: readonly string[];
}

export interface MarkStore {
  /** Counts the marks on alerts since a time, for each watch that has any. */
  countNotRelevant(sinceMs: number): Promise<readonly NotRelevantCount[]>;
  /**
   * Returns the alerts that a mark on an event or a message would concern. For a message, `sinks`
   * is the sink of the message only. Empty if the state has no such event and no such message.
   */
  alertsOf(what: string): Promise<readonly SentAlert[]>;
  /**
   * Marks an event, or every event in a message, with all events that were sent as one alert with
   * them. Events that already have what is asked for are not changed. `newsOf` returns what is
   * committed about the events that were marked. Resolves to undefined if the state has no such
   * event and no such message with alerts. Writes an audit record if something changed.
   */
  mark(request: MarkRequest, newsOf?: NewsOfMarks): Promise<MarkOutcome | undefined>;
}
