/** The JSON of `/api/v1/silences` and of the actions on it. */

/** What a silence is asked for with. */
export interface SilenceRequest {
  /** As in routes: `team="comms"`. All of them must match. */
  readonly matchers: readonly string[];
  /** As in the configuration: `30m`, `2h`, `3d`. */
  readonly duration: string;
  readonly comment: string;
  readonly author: string;
}

/** What is sent of what silences hold back: of one sink and silence, or of all. */
export interface ResendSilenced {
  readonly sink: string | undefined;
  readonly silenceId: string | undefined;
  /** Who asks, for the audit. */
  readonly by: string;
}

export interface SilenceView {
  readonly id: string;
  readonly state: "active" | "expired";
  readonly matchers: readonly string[];
  readonly starts_at: string;
  readonly ends_at: string;
  /** May be empty. */
  readonly author: string;
  readonly comment: string;
  /**
   * Alerts that it holds back, by sink: what was sent since, or is no longer kept, does not count.
   */
  readonly silenced: readonly { readonly sink: string; readonly alerts: number }[];
}

export interface SilencesView {
  /** In the order in which they were added. */
  readonly silences: readonly SilenceView[];
}

export interface AddedSilenceView extends SilenceView {
  /** Events of the last 24 hours that it matches. */
  readonly matching_24h: number;
}

export type AddSilenceOutcome<More = unknown> =
  | { readonly ok: true; readonly silence: AddedSilenceView & More }
  /** One sentence each, with what to write instead. */
  | { readonly ok: false; readonly errors: readonly string[] };
