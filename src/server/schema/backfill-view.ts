/**
 * The JSON of `/api/v1/backfill`: how many items of a watch's past became alerts, and what happened
 * to the others.
 */
import { z } from "zod";

/**
 * A request to turn the items from `sinceMs` (epoch ms) on into alerts. The items must have been
 * read before; this makes no requests to the service.
 */
export interface BackfillRequest {
  readonly watchId: string;
  readonly sinceMs: number;
  /** The caller, for the audit. */
  readonly by: string;
}

export const backfillViewSchema = z.object({
  alerts: z.number().describe("Items that became alerts; in a dry run, that would become alerts."),
  filtered: z.number().describe("Items that the watch's own filters rejected."),
  known: z.number().describe("Items that were alerts before."),
  left: z
    .number()
    .describe("Items that are newer than what the watch has read; its next poll finds them."),
});
export type BackfillView = z.infer<typeof backfillViewSchema>;
