/** What happened by day, as JSON: of all watches, and of one. */
import { z } from "zod";
import { list } from "./schema.ts";

export const activityViewSchema = z
  .object({
    alerts: list(
      z.object({ day: z.string().describe("The day in UTC, as `2026-03-10`."), count: z.number() }),
    ).describe("Alerts by the day on which what they report occurred: 30 days, oldest first."),
    requests: list(z.object({ at: z.string(), spent: z.number() })).describe(
      "The hours of the quota period in which something was spent, in order.",
    ),
  })
  .meta({ id: "Activity" });
export type ActivityView = z.infer<typeof activityViewSchema>;

export const watchDaysViewSchema = z
  .object({
    watch: z.string(),
    days: list(
      z.object({
        day: z.string().describe("The day in UTC, as `2026-03-10`."),
        read: z.number().describe("New items; 0 for a watch of values."),
        filtered: z.number().describe("New items that the filters of the watch rejected."),
        alerted: z.number(),
        requests: z.number(),
      }),
    ).describe("14 days, oldest first."),
  })
  .meta({ id: "WatchDays" });
export type WatchDaysView = z.infer<typeof watchDaysViewSchema>;
