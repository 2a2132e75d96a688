/** The JSON of `/api/v1/silences` and of the routes that act on silences. */
import { list } from "./schema.ts";
import { z } from "zod";

/** A request to add a silence. */
export interface SilenceRequest {
  /** Matchers as in routes, such as `team="comms"`. All of them must match. */
  readonly matchers: readonly string[];
  /** A duration as in the configuration, such as `30m`, `2h` or `3d`. */
  readonly duration: string;
  readonly comment: string;
  readonly author: string;
  /** The sinks at which it holds; every sink if the list is empty or absent. */
  readonly sinks?: readonly string[] | undefined;
}

/**
 * A request to send the alerts that silences hold back: those of one sink or of all, and of one
 * silence or of all. Undefined means all.
 */
export interface ResendSilenced {
  readonly sink: string | undefined;
  readonly silenceId: string | undefined;
  /** The caller, for the audit. */
  readonly by: string;
}

export type AddSilenceOutcome<More = unknown> =
  | { readonly ok: true; readonly silence: AddedSilenceView & More }
  /** Sentences about what is wrong with the request, each with what to write instead. */
  | { readonly ok: false; readonly errors: readonly string[] };

export const silenceViewSchema = z
  .object({
    id: z.string(),
    kind: z
      .enum(["silence", "snooze"])
      .describe(
        "What a snooze holds back is sent as one digest when it ends; what a silence holds back is sent only if somebody asks.",
      ),
    state: z.enum(["active", "expired"]),
    sinks: list(z.string()).describe("The sinks at which it holds; every sink if it is empty."),
    matchers: list(z.string()),
    starts_at: z.string(),
    ends_at: z.string(),
    author: z.string().describe("The person who added it; may be empty."),
    comment: z.string(),
    silenced: list(
      z.object({
        sink: z.string(),
        alerts: z.number(),
      }),
    ).describe(
      "How many alerts the silence holds back, by sink. Alerts that were sent since or are no longer kept do not count.",
    ),
  })
  .meta({ id: "Silence" });
export type SilenceView = z.infer<typeof silenceViewSchema>;

export const silencesViewSchema = z.object({
  silences: list(silenceViewSchema).describe("The silences in the order in which they were added."),
});
export type SilencesView = z.infer<typeof silencesViewSchema>;

export const addedSilenceViewSchema = silenceViewSchema.extend({
  matching_24h: z
    .number()
    .describe("The number of events of the last 24 hours that the silence matches."),
});
export type AddedSilenceView = z.infer<typeof addedSilenceViewSchema>;

export const heldViewSchema = z.object({
  alerts: z.number().describe("The number of alerts that were asked for."),
  changed: z
    .number()
    .describe("How many of `held` the request added or extended; 0 if all of them held already."),
  held: list(
    z.object({
      id: z.string().describe("The id of the snooze or silence, with which it can be ended."),
      sink: z.string(),
      matchers: list(z.string()).describe("What the alerts have that are held back."),
      change: z.enum(["added", "extended", "unchanged"]),
      until: z.string(),
      by: z.string().describe("Who asked for it first."),
    }),
  ),
});
export type HeldView = z.infer<typeof heldViewSchema>;

/** Why a request to hold something back was refused: a sentence with its cure. */
export interface HoldProblem {
  readonly code: "ALERT_UNKNOWN" | "HOLD_INVALID";
  readonly message: string;
}
