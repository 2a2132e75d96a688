/** What snoozing an alert or muting its author holds back, as JSON. */
import { z } from "zod";
import { list } from "./schema.ts";

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
