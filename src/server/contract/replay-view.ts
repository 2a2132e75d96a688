/**
 * The JSON of `/api/v1/replay` (what would be sent again, and what is) and of `/api/v1/replays`
 * (what was).
 */
import type { Json } from "../../model/json.ts";

/** What to send again, checked: one event, or what was sent or dropped since then. */
export interface ReplayRequest {
  readonly what: { readonly eventId: string } | { readonly sinceMs: number };
  /**
   * The sink to send to, whether the alert went there before or not; undefined means the alert's
   * original sinks.
   */
  readonly sink: string | undefined;
  /** The caller, for the audit. */
  readonly by: string;
}

export interface ReplayView {
  /** The number of events that were found. */
  readonly events: number;
  readonly alerts: readonly ReplayedSink[];
  /** Alerts that are not sent again because they have not been sent yet. */
  readonly under_way: number;
  /** Alerts that are not sent because silences hold them back; `replay --silenced` sends them. */
  readonly silenced: number;
}

export interface ReplayedSink {
  readonly sink: string;
  readonly alerts: number;
  /** False if the configuration has no sink of that name, so that nothing is sent to it. */
  readonly configured: boolean;
  /**
   * Alerts that some receivers already have and all will get again, because the sink cannot know
   * which. Absent if there are none.
   */
  readonly reach_again?: number;
}

/** A replay by an operator. */
export interface ReplayRecordView {
  readonly at: string;
  readonly action: string;
  readonly detail: Json;
}

export interface ReplayRecordsView {
  /** Newest first. */
  readonly replays: readonly ReplayRecordView[];
}
