/** What happened in a period, in numbers: reports, and counts by day for charts, as JSON. */
import { z } from "zod";
import type { ReportView } from "../../model/report.ts";
import { list } from "./schema.ts";

const alertCountSchema = z
  .object({
    count: z.number(),
    events: z
      .record(z.string(), z.string())
      .describe("The options with which `chirpwatch events` lists the counted alerts."),
  })
  .meta({ id: "AlertCount" });

const comparedCountSchema = z
  .object({
    count: z.number(),
    before: z
      .number()
      .nullable()
      .describe("The count of the period before; null if its data is incomplete."),
  })
  .meta({ id: "ComparedCount" });

const watchReportSchema = z
  .object({
    watch: z.string(),
    read: comparedCountSchema
      .nullable()
      .describe("The items that were read; null for a watch of values."),
    filtered: comparedCountSchema.nullable(),
    alerted: z.object({ ...comparedCountSchema.shape, ...alertCountSchema.shape }),
    days: list(z.object({ day: z.string(), count: z.number() })).describe(
      "The alerts of each day, oldest first.",
    ),
  })
  .meta({ id: "WatchReport" });

export const reportViewSchema: z.ZodType<ReportView> = z
  .object({
    name: z.string().nullable().describe("Null for a report that is not configured."),
    title: z.string(),
    from: z.string(),
    to: z.string(),
    timezone: z.string(),
    watches: list(watchReportSchema),
    top_authors: list(
      z.object({ handle: z.string(), name: z.string(), alerted: alertCountSchema }),
    ),
    top_posts: list(
      z.object({
        id: z.string(),
        author: z.string(),
        text: z.string(),
        url: z.string(),
        likes: z.number(),
        reposts: z.number(),
        replies: z.number(),
        seen_at: z.string(),
      }),
    ).describe("The posts with the most engagement, counted when each was last seen."),
    shares: list(
      z.object({
        label: z.string(),
        count: z.number().describe("The number of all alerts."),
        values: list(z.object({ value: z.string(), count: z.number() })).describe(
          "The most frequent values.",
        ),
      }),
    ),
    deleted: alertCountSchema,
    silenced: alertCountSchema,
    given_up: alertCountSchema,
    acknowledged: alertCountSchema,
    not_acknowledged: alertCountSchema,
    not_relevant: alertCountSchema.extend({
      top_author: z.string().describe("The author of most of them; empty if they have none."),
      by_top_author: z.number(),
    }),
  })
  .meta({ id: "Report" });

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
