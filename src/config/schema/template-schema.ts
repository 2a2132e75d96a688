/**
 * The schemas of message templates, and of the keys of a sink that say how its readers write times
 * and numbers.
 */
import { z } from "zod";
import { locale, timezone } from "./scalar-schemas.ts";

export const templateSchema = z
  .strictObject({
    events: z
      .array(z.string())
      .min(1)
      .describe(
        'Event types it is for, like "tweet.created" or "tweet.*". Others get the default message.',
      ),
    title: z
      .string()
      .optional()
      .describe("Liquid: the line above the alert. The default title when absent."),
    body: z
      .string()
      .optional()
      .describe("Liquid: the text of the alert. The default text when absent."),
  })
  .refine((template) => template.title !== undefined || template.body !== undefined, {
    error: "needs a `title` or a `body`",
    params: { rule: "missing-key" },
  });

/** The keys of a sink. */
export const regionSchema = z.strictObject({
  locale: locale().optional().describe("How its readers write numbers and times, like de-DE."),
  timezone: timezone()
    .optional()
    .describe(
      "Their time zone, an IANA name; UTC when absent. Slack and Discord show each reader their own.",
    ),
});

export type WrittenRegion = z.output<typeof regionSchema>;

export const templateName = () => z.string().min(1).optional();
