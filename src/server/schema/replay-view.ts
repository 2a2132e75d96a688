/**
 * The JSON of `/api/v1/replay` and `/api/v1/replays`: a preview of what would be sent again, and
 * the list of what operators sent again.
 */
import { z } from "zod";
import { jsonSchema, list } from "./schema.ts";

/**
 * A checked request to send alerts again: those of one event, or those of all events that were
 * detected since a time (epoch ms).
 */
export interface ReplayRequest {
  readonly what: { readonly eventId: string } | { readonly sinceMs: number };
  /**
   * The sink to send to, even if the alert did not go to that sink before. Undefined means the
   * sinks that the alert went to originally.
   */
  readonly sink: string | undefined;
  /** The caller, for the audit. */
  readonly by: string;
}

export const replayedSinkSchema = z
  .object({
    sink: z.string(),
    alerts: z.number(),
    configured: z
      .boolean()
      .describe(
        "False if the configuration has no sink of that name, so that nothing is sent to it.",
      ),
    reach_again: z
      .number()
      .exactOptional()
      .describe(
        "Alerts that some receivers already have and all will get again, because the sink cannot know which. Absent if there are none.",
      ),
  })
  .meta({ id: "ReplayedSink" });
export type ReplayedSink = z.infer<typeof replayedSinkSchema>;

export const replayViewSchema = z
  .object({
    events: z.number().describe("The number of events that were found."),
    alerts: list(replayedSinkSchema),
    under_way: z
      .number()
      .describe("Alerts that are not sent again because they have not been sent yet."),
    silenced: z
      .number()
      .describe(
        "Alerts that are not sent because silences hold them back; `replay --silenced` sends them.",
      ),
  })
  .meta({ id: "Replay" });
export type ReplayView = z.infer<typeof replayViewSchema>;

export const replayRecordViewSchema = z
  .object({
    id: z.string(),
    at: z.string(),
    action: z.string(),
    detail: jsonSchema,
  })
  .meta({ id: "ReplayRecord", description: "A replay by an operator." });
export type ReplayRecordView = z.infer<typeof replayRecordViewSchema>;

export const replayRecordsViewSchema = z.object({
  replays: list(replayRecordViewSchema).describe("Newest first."),
});
export type ReplayRecordsView = z.infer<typeof replayRecordsViewSchema>;
