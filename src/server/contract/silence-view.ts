/** The JSON of `/api/v1/silences` and of the actions on it. */

/** A request for a silence. */
export interface SilenceRequest {
  /** Matchers as in routes, such as `team="comms"`. All of them must match. */
  readonly matchers: readonly string[];
  /** A duration as in the configuration, such as `30m`, `2h` or `3d`. */
  readonly duration: string;
  readonly comment: string;
  readonly author: string;
}

/** A request to send what silences hold back: of one sink and silence, or of all. */
export interface ResendSilenced {
  readonly sink: string | undefined;
  readonly silenceId: string | undefined;
  /** The caller, for the audit. */
  readonly by: string;
}

export interface SilenceView {
  readonly id: string;
  readonly state: "active" | "expired";
  readonly matchers: readonly string[];
  readonly starts_at: string;
  readonly ends_at: string;
  /** The person who added it; may be empty. */
  readonly author: string;
  readonly comment: string;
  /**
   * How many alerts the silence holds back, by sink. Alerts that were sent since or are no longer
   * kept do not count.
   */
  readonly silenced: readonly { readonly sink: string; readonly alerts: number }[];
}

export interface SilencesView {
  /** The silences in the order in which they were added. */
  readonly silences: readonly SilenceView[];
}

export interface AddedSilenceView extends SilenceView {
  /** The number of events of the last 24 hours that the silence matches. */
  readonly matching_24h: number;
}

export type AddSilenceOutcome<More = unknown> =
  | { readonly ok: true; readonly silence: AddedSilenceView & More }
  /** Sentences about what is wrong, each with what to write instead. */
  | { readonly ok: false; readonly errors: readonly string[] };
