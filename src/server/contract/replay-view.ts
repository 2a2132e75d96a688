/**
 * The JSON of `/api/v1/replay`: what would be sent again, and what is; and of `/api/v1/replays`,
 * what was.
 */
import type { Json } from "../../model/json.ts";

/** What to send again, checked: one event, or what was sent or dropped since then. */
export interface ReplayRequest {
  readonly what: { readonly eventId: string } | { readonly sinceMs: number };
  /**
   * To this sink, whether the alert went there before or not; undefined: to the sinks that it was
   * for.
   */
  readonly sink: string | undefined;
  /** Who asks, for the audit. */
  readonly by: string;
}

export interface ReplayView {
  /** Events that were found. */
  readonly events: number;
  readonly alerts: readonly ReplayedSink[];
  /** Left alone: not sent yet. */
  readonly under_way: number;
  /** Left alone: held back by silences, for `replay --silenced`. */
  readonly silenced: number;
}

export interface ReplayedSink {
  readonly sink: string;
  readonly alerts: number;
  /** False: the configuration has no sink of that name, and nothing is sent. */
  readonly configured: boolean;
  /**
   * Alerts that some receivers have and all get again, because the sink does not know which. Absent
   * where there are none.
   */
  readonly reach_again?: number;
}

/** What an operator sent again. */
export interface ReplayRecordView {
  readonly at: string;
  readonly action: string;
  readonly detail: Json;
}

export interface ReplayRecordsView {
  /** Newest first. */
  readonly replays: readonly ReplayRecordView[];
}
