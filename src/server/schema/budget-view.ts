/**
 * The JSON of `/api/v1/budget`, which says what the requests of a period cost, and of the quota in
 * `/api/v1/status`.
 */
import { z } from "zod";
import { list, prioritySchema } from "./schema.ts";

export const keyViewSchema = z
  .object({
    name: z
      .string()
      .describe("The name of the key in the configuration, or else a short hash of the key."),
    spent: z.number().describe("Requests of this period."),
    limit: z.number().nullable().describe("Null if unknown."),
    aside: z.string().describe("Why the key is suspended; empty while it may pay."),
  })
  .meta({ id: "Key" });
export type KeyView = z.infer<typeof keyViewSchema>;

export const quotaViewSchema = z
  .object({
    limit: z.number().nullable().describe("Null while unknown."),
    spent: z.number(),
    line: z
      .number()
      .nullable()
      .describe("Where scheduled polls stop: the limit without the reserve. Null if unknown."),
    forecast: z
      .number()
      .nullable()
      .describe(
        "Requests of the whole period at the pace that the schedules ask for; null if unknown.",
      ),
    expected: z
      .number()
      .nullable()
      .describe(
        "Requests of the whole period with the slow-down of a short quota, at most the soft limit; null if unknown.",
      ),
    on_exhausted: z
      .enum(["degrade", "pause"])
      .describe(
        "What happens if the schedules ask for more than the soft limit: polls are slowed down before it (`degrade`), or stop at it (`pause`).",
      ),
    stretch: z
      .record(prioritySchema, z.number())
      .readonly()
      .nullable()
      .describe("How many times slower polls of each priority are; null if no daemon runs."),
    drift: z
      .number()
      .describe(
        "Requests of the period that the service counted beyond the ledger; negative if it counted fewer.",
      ),
    keys: list(keyViewSchema),
    period_start: z.string(),
    period_end: z.string(),
  })
  .meta({ id: "Quota" });
export type QuotaView = z.infer<typeof quotaViewSchema>;

export const slowedViewSchema = z
  .object({
    factor: z
      .number()
      .nullable()
      .describe(
        "How many times longer than scheduled the watch waits between polls; null if it is not polled at all because the quota is spent.",
      ),
    until: z
      .string()
      .describe("The end of the quota period, when the slow-down ends at the latest."),
    next_poll_at: z
      .string()
      .nullable()
      .describe(
        "When the watch is polled next. If another replica polls it, this is computed from its schedule and its last poll. Null while a poll is under way.",
      ),
  })
  .meta({ id: "Slowed", description: "How the quota slows a watch down." });
export type SlowedView = z.infer<typeof slowedViewSchema>;

export const spentViewSchema = z
  .object({
    name: z.string(),
    spent: z.number(),
    expected: z
      .number()
      .nullable()
      .describe(
        "Requests until the end of the period at the current pace; null if nothing is planned or known.",
      ),
  })
  .meta({ id: "Spent" });
export type SpentView = z.infer<typeof spentViewSchema>;

export const budgetViewSchema = z
  .object({
    quota: quotaViewSchema,
    price: z
      .object({
        per_request: z.number(),
        currency: z.string(),
      })
      .nullable(),
    watches: list(spentViewSchema).describe(
      "The most expensive watch first. Commands and housekeeping have lines of their own.",
    ),
    endpoints: list(spentViewSchema.pick({ name: true, spent: true })),
    hours: list(
      z.object({
        at: z.string(),
        spent: z.number(),
      }),
    ).describe("The hours of the period in which something was spent, in order."),
  })
  .meta({ id: "Budget", description: "What the period has cost so far, and what it will cost." });
export type BudgetView = z.infer<typeof budgetViewSchema>;
